import { useEffect, useRef } from "preact/hooks";
import type { Diagnostic } from "./check-document.ts";
import { DocumentEditor, leaveHint } from "./document-editor.ts";

interface Props {
  /** What it begins with. From then on the editor has the text: one that is handed back would undo what is typed meanwhile. */
  readonly text: string;
  readonly diagnostics: readonly Diagnostic[];
  readonly onWrite: (text: string) => void;
  readonly onCaret: (offset: number) => void;
  /** Called with the editor once it is there. */
  readonly onReady: (editor: DocumentEditor) => void;
}

/** The editor as a part of the page. */
export function Editor({ text, diagnostics, onWrite, onCaret, onReady }: Props) {
  const host = useRef<HTMLDivElement>(null);
  const editor = useRef<DocumentEditor | undefined>(undefined);
  const latest = useRef({ onWrite, onCaret });
  latest.current = { onWrite, onCaret };
  useEffect(() => {
    editor.current = new DocumentEditor(host.current!, text, {
      onWrite: (written) => latest.current.onWrite(written),
      onCaret: (offset) => latest.current.onCaret(offset),
    });
    onReady(editor.current);
    return () => editor.current?.close();
  }, []);
  useEffect(() => editor.current?.mark(diagnostics), [diagnostics]);
  return (
    <div class="editor">
      <div class="editor-host" ref={host} />
      <p class="editor-hint faint">{leaveHint} Ctrl Space offers keys.</p>
    </div>
  );
}
