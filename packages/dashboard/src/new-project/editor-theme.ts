import { EditorView } from "@codemirror/view";

/** The editor in the colours of the page: custom properties reach into its shadow root, and follow light and dark. */
export const editorTheme = EditorView.theme({
  "&": { height: "100%", color: "var(--ink)", backgroundColor: "var(--paper)" },
  "&.cm-focused": { outline: "2px solid var(--accent)", outlineOffset: "-2px" },
  ".cm-scroller": { font: "var(--mono)", overflow: "auto" },
  ".cm-content": { caretColor: "var(--ink)", padding: "var(--space-2) 0" },
  ".cm-cursor": { borderLeftColor: "var(--ink)" },
  "&.cm-focused > .cm-scroller > .cm-selectionLayer .cm-selectionBackground, .cm-selectionBackground": {
    backgroundColor: "var(--busy-soft)",
  },
  ".cm-activeLine": { backgroundColor: "color-mix(in srgb, var(--surface) 60%, transparent)" },
  ".cm-gutters": {
    backgroundColor: "var(--surface)",
    color: "var(--faint)",
    borderRight: "1px solid var(--line)",
  },
  ".cm-tooltip": {
    maxWidth: "420px",
    backgroundColor: "var(--raised)",
    color: "var(--ink)",
    border: "1px solid var(--line)",
    borderRadius: "var(--radius)",
    font: "var(--text)",
  },
  ".cm-tooltip.cm-tooltip-autocomplete > ul": { font: "var(--mono)" },
  ".cm-tooltip.cm-tooltip-autocomplete > ul > li[aria-selected]": {
    backgroundColor: "var(--accent)",
    color: "var(--on-accent)",
  },
  ".cm-completionMatchedText": { textDecoration: "underline" },
  // In place of pictures in `data:` addresses, which the content policy forbids.
  ".cm-lintRange-error, .cm-lintRange-active": {
    backgroundImage: "none",
    textDecoration: "underline wavy var(--bad)",
  },
  ".cm-lintRange-warning": { backgroundImage: "none", textDecoration: "underline dashed var(--wait)" },
  ".cm-lint-marker-error, .cm-lint-marker-warning": {
    content: "normal",
    width: "10px",
    height: "10px",
    margin: "5px 2px",
    borderRadius: "50%",
    backgroundColor: "var(--bad)",
  },
  ".cm-lint-marker-warning": { borderRadius: "1px", backgroundColor: "var(--wait)" },
  ".key-tip": { padding: "var(--space-2) var(--space-3)" },
  ".key-tip p": { margin: "var(--space-1) 0 0" },
  ".cm-diagnostic": { padding: "var(--space-2) var(--space-3)" },
  ".cm-diagnostic-error": { borderLeftColor: "var(--bad)" },
  ".cm-diagnostic-warning": { borderLeftColor: "var(--wait)" },
});
