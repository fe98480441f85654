import { useMemo, useRef, useState } from "preact/hooks";
import { client, explain } from "../data/client.ts";
import { useTitle } from "../parts/use-title.ts";
import { navigate } from "../routing/router.tsx";
import { checkDocument, type Diagnostic, exampleOf, exampleTypes } from "./check-document.ts";
import { KeyHelp } from "./key-help.tsx";
import { type DryRun, PlanPreview } from "./plan-preview.tsx";

/** Writes a document, says what is wrong with it while one types, and submits it. */
export function NewProjectPage() {
  const [text, setText] = useState(() => exampleOf("api"));
  const [plan, setPlan] = useState<DryRun | undefined>();
  const [error, setError] = useState("");
  const [caret, setCaret] = useState(0);
  const diagnostics = useMemo(() => checkDocument(text), [text]);
  const isValid = diagnostics.every(({ severity }) => severity !== "error");
  useTitle("New project");
  const write = (next: string) => {
    setText(next);
    setPlan(undefined);
    setError("");
  };
  const submit = async (isDry: boolean) => {
    setError("");
    try {
      const answer = await client.call("createProject", { document: text, query: isDry ? { dry_run: true } : {} });
      if ("project_id" in answer) navigate(`/projects/${answer.project_id}`);
      else setPlan(answer);
    } catch (thrown) {
      setError(explain(thrown));
    }
  };
  return (
    <div class="page">
      <div class="title">
        <h1>New project</h1>
        <label class="inline">
          Start from
          <select onChange={(event) => write(exampleOf(event.currentTarget.value as (typeof exampleTypes)[number]))}>
            {exampleTypes.map((type) => (
              <option key={type} selected={type === "api"}>
                {type}
              </option>
            ))}
          </select>
        </label>
        <div class="buttons">
          <button type="button" onClick={() => void submit(true)} disabled={!isValid}>
            Preview the plan
          </button>
          <button type="button" class="primary" onClick={() => void submit(false)} disabled={!isValid}>
            Create the project
          </button>
        </div>
      </div>
      {error !== "" && (
        <p class="error" role="alert">
          {error}
        </p>
      )}
      <div class="write">
        <Editor text={text} diagnostics={diagnostics} onWrite={write} onCaret={setCaret} />
        <div class="beside">
          <Problems diagnostics={diagnostics} />
          <KeyHelp text={text} offset={caret} onInsert={insertAtLineEnd} />
        </div>
      </div>
      {plan !== undefined && <PlanPreview plan={plan} />}
    </div>
  );
}

interface EditorProps {
  readonly text: string;
  readonly diagnostics: readonly Diagnostic[];
  readonly onWrite: (text: string) => void;
  readonly onCaret: (offset: number) => void;
}

/** A text area with line numbers; lines with a problem are marked. */
function Editor({ text, diagnostics, onWrite, onCaret }: EditorProps) {
  const numbers = useRef<HTMLDivElement>(null);
  const worst = new Map(diagnostics.toReversed().map(({ line, severity }) => [line, severity]));
  const count = text.split("\n").length;
  return (
    <div class="editor">
      <div class="editor-numbers" ref={numbers} aria-hidden="true">
        {Array.from({ length: count }, (_, index) => (
          <div key={index} class={`editor-number is-${worst.get(index + 1) ?? "fine"}`}>
            {index + 1}
          </div>
        ))}
      </div>
      <textarea
        id="document"
        aria-label="The document"
        spellcheck={false}
        autocomplete="off"
        wrap="off"
        value={text}
        onInput={(event) => onWrite(event.currentTarget.value)}
        onSelect={(event) => onCaret(event.currentTarget.selectionStart)}
        onScroll={(event) => {
          numbers.current!.scrollTop = event.currentTarget.scrollTop;
        }}
      />
    </div>
  );
}

/** Below the line of the caret; the browser's own undo takes it back. */
function insertAtLineEnd(text: string): void {
  const area = document.querySelector<HTMLTextAreaElement>("#document")!;
  const end = area.value.indexOf("\n", area.selectionStart);
  const at = end === -1 ? area.value.length : end;
  area.focus();
  area.setSelectionRange(at, at);
  area.ownerDocument.execCommand("insertText", false, text);
}

function Problems({ diagnostics }: { readonly diagnostics: readonly Diagnostic[] }) {
  const goTo = ({ line, column }: Diagnostic) => {
    const area = document.querySelector<HTMLTextAreaElement>("#document")!;
    const before = area.value
      .split("\n")
      .slice(0, line - 1)
      .join("\n");
    const at = before.length + (line > 1 ? 1 : 0) + column - 1;
    area.focus();
    area.setSelectionRange(at, at);
  };
  if (diagnostics.length === 0) return <p class="faint">The document is valid.</p>;
  return (
    <ul class="problems" aria-label="Problems">
      {diagnostics.map((diagnostic, index) => (
        <li key={index} class={`problem problem-${diagnostic.severity}`}>
          <button type="button" class="plain" onClick={() => goTo(diagnostic)}>
            {diagnostic.severity}, line {diagnostic.line}
          </button>
          <p>{diagnostic.message}</p>
          {diagnostic.suggestion !== undefined && <p class="faint">{diagnostic.suggestion}</p>}
        </li>
      ))}
    </ul>
  );
}
