import {
  autocompletion,
  type CompletionContext,
  type CompletionResult,
  completionKeymap,
} from "@codemirror/autocomplete";
import { defaultKeymap, history, historyKeymap, indentWithTab } from "@codemirror/commands";
import { yaml } from "@codemirror/lang-yaml";
import { bracketMatching, HighlightStyle, indentUnit, syntaxHighlighting } from "@codemirror/language";
import { lintGutter, lintKeymap, setDiagnostics } from "@codemirror/lint";
import {
  drawSelection,
  EditorView,
  highlightActiveLine,
  hoverTooltip,
  keymap,
  lineNumbers,
  type Tooltip,
} from "@codemirror/view";
import { tags } from "@lezer/highlight";
import { type Diagnostic, explainAt, proposeAt } from "./check-document.ts";
import { editorTheme } from "./editor-theme.ts";

interface Events {
  readonly onWrite: (text: string) => void;
  readonly onCaret: (offset: number) => void;
}

/** How to leave an editor in which Tab indents. */
export const leaveHint = "Tab indents. Escape and then Tab leaves the editor; Ctrl M lets Tab always leave it.";

/**
 * The editor of a document. It lives in a shadow root: there it takes its styles as constructed sheets, which the page's
 * content policy allows, and not as elements, which it forbids.
 */
export class DocumentEditor {
  readonly #view: EditorView;

  constructor(host: HTMLElement, text: string, events: Events) {
    const root = host.shadowRoot ?? host.attachShadow({ mode: "open" });
    this.#view = new EditorView({ root, parent: root, doc: text, extensions: extensionsFor(events) });
  }

  /** Replaces the whole text; undo takes it back. */
  write(text: string): void {
    this.#view.dispatch({ changes: { from: 0, to: this.#view.state.doc.length, insert: text } });
  }

  mark(diagnostics: readonly Diagnostic[]): void {
    const { doc } = this.#view.state;
    const offsetOf = (line: number, column: number) => {
      const { from, to } = doc.line(Math.min(line, doc.lines));
      return Math.min(to, from + column - 1);
    };
    const marks = diagnostics.map(({ line, column, endLine, endColumn, severity, message, suggestion }) => ({
      from: offsetOf(line, column),
      to: Math.max(offsetOf(line, column), offsetOf(endLine, endColumn)),
      severity,
      message: suggestion === undefined ? message : `${message} ${suggestion}`,
    }));
    this.#view.dispatch(setDiagnostics(this.#view.state, marks));
  }

  goTo({ line, column }: Diagnostic): void {
    const { doc } = this.#view.state;
    const at = doc.line(Math.min(line, doc.lines));
    this.#select(Math.min(at.to, at.from + column - 1));
  }

  /** Writes below the line of the caret. */
  insertBelow(text: string): void {
    const { to } = this.#view.state.doc.lineAt(this.#view.state.selection.main.head);
    this.#view.dispatch({ changes: { from: to, insert: text } });
    this.#select(to + text.length);
  }

  close(): void {
    this.#view.destroy();
  }

  #select(anchor: number): void {
    this.#view.dispatch({ selection: { anchor }, scrollIntoView: true });
    this.#view.focus();
  }
}

function extensionsFor({ onWrite, onCaret }: Events) {
  return [
    lineNumbers(),
    lintGutter(),
    history(),
    drawSelection(),
    highlightActiveLine(),
    bracketMatching(),
    indentUnit.of("  "),
    yaml(),
    syntaxHighlighting(colours),
    autocompletion({ override: [complete], icons: false }),
    hoverTooltip(explainHovered),
    keymap.of([...completionKeymap, ...lintKeymap, ...historyKeymap, ...defaultKeymap, indentWithTab]),
    EditorView.contentAttributes.of({ "aria-label": "The document", "aria-description": leaveHint, tabindex: "0" }),
    EditorView.updateListener.of(({ docChanged, selectionSet, state }) => {
      if (docChanged) onWrite(state.doc.toString());
      if (docChanged || selectionSet) onCaret(state.selection.main.head);
    }),
    editorTheme,
  ];
}

const colours = HighlightStyle.define([
  { tag: [tags.propertyName, tags.definition(tags.propertyName)], color: "var(--accent)" },
  { tag: [tags.string, tags.special(tags.string)], color: "var(--good)" },
  { tag: [tags.number, tags.bool, tags.null, tags.keyword], color: "var(--busy)" },
  { tag: [tags.comment, tags.lineComment], color: "var(--faint)", fontStyle: "italic" },
]);

function complete(context: CompletionContext): CompletionResult | null {
  const word = context.matchBefore(/[\w-]*/);
  const text = context.state.doc.toString();
  if (word === null || (word.from === word.to && !context.explicit && !isAfterKey(text, context.pos))) return null;
  const proposals = proposeAt(text, context.pos);
  if (proposals.length === 0) return null;
  const options = proposals.map(({ word: label, about, kind }) => ({
    label,
    apply: kind === "key" ? `${label}: ` : label,
    info: about,
    type: kind === "key" ? "property" : "enum",
  }));
  return { from: word.from, options, validFor: /^[\w-]*$/ };
}

/** Words are offered as soon as a key is written: `outcome_type: `. */
function isAfterKey(text: string, offset: number): boolean {
  return /[\w-]: $/.test(text.slice(Math.max(0, offset - 40), offset));
}

function explainHovered(view: EditorView, offset: number): Tooltip | null {
  const line = view.state.doc.lineAt(offset);
  const key = /^\s*(?:- +)*([A-Za-z_][\w.-]*) *:/.exec(line.text);
  if (key === null || offset > line.from + key[0].length) return null;
  const help = explainAt(view.state.doc.toString(), offset);
  if (help === undefined) return null;
  const create = () => {
    const dom = document.createElement("div");
    dom.className = "key-tip";
    for (const [tag, text] of [
      ["strong", help.path],
      ["p", help.description],
      ["p", help.value],
    ] as const) {
      const part = document.createElement(tag);
      part.textContent = text;
      dom.append(part);
    }
    return { dom };
  };
  return { pos: line.from + line.text.search(/\S/), end: line.from + key[0].length, create };
}
