import { useMemo, useRef, useState } from "preact/hooks";
import { client, explain } from "../data/client.ts";
import { useTitle } from "../parts/use-title.ts";
import { useDocumentLines } from "../project/project-data.ts";
import { navigate, useAddress } from "../routing/router.tsx";
import { checkDocument, exampleOf, exampleTypes } from "./check-document.ts";
import type { DocumentEditor } from "./document-editor.ts";
import { Editor } from "./editor.tsx";
import { KeyHelp } from "./key-help.tsx";
import { type DryRun, PlanPreview } from "./plan-preview.tsx";
import { Problems } from "./problems.tsx";

/** A document to begin with: an example, or that of a project. */
export function NewProjectPage() {
  const from = useAddress().searchParams.get("from") ?? "";
  useTitle("New project");
  return from === "" ? <Desk first={exampleOf("api")} /> : <DeskOf key={from} id={from} />;
}

function DeskOf({ id }: { readonly id: string }) {
  const { data: lines, error } = useDocumentLines(id);
  if (lines === undefined) return <p class="center">{error === undefined ? "Loading…" : explain(error)}</p>;
  return <Desk first={lines.join("\n")} />;
}

/** Writes a document, says what is wrong with it while one types, and submits it. */
function Desk({ first }: { readonly first: string }) {
  const [text, setText] = useState(first);
  const [plan, setPlan] = useState<DryRun | undefined>();
  const [error, setError] = useState("");
  const [caret, setCaret] = useState(0);
  const editor = useRef<DocumentEditor | undefined>(undefined);
  const diagnostics = useMemo(() => checkDocument(text), [text]);
  const isValid = diagnostics.every(({ severity }) => severity !== "error");
  const write = (next: string) => {
    setText(next);
    setPlan(undefined);
    setError("");
  };
  const preview = async (): Promise<DryRun> => {
    const answer = (await client.call("createProject", { document: text, query: { dry_run: true } })) as DryRun;
    setPlan(answer);
    return answer;
  };
  const create = async () => {
    // Whoever has seen what stands in its way may create it all the same.
    const hasSeen = plan !== undefined;
    if (!hasSeen && (await preview()).preflight.some(({ is_blocking }) => is_blocking))
      throw new Error("Something stands in its way; the plan says what. Create it again to begin all the same.");
    const answer = await client.call("createProject", { document: text });
    if ("project_id" in answer) navigate(`/projects/${answer.project_id}`);
  };
  const attempt = (work: () => Promise<unknown>) => {
    setError("");
    work().catch((thrown) => setError(explain(thrown)));
  };
  return (
    <div class="page">
      <div class="title">
        <h1>New project</h1>
        <label class="inline">
          Start from
          <select
            onChange={(event) =>
              editor.current?.write(exampleOf(event.currentTarget.value as (typeof exampleTypes)[number]))
            }
          >
            {first !== exampleOf("api") && (
              <option disabled selected>
                this document
              </option>
            )}
            {exampleTypes.map((type) => (
              <option key={type} selected={first === exampleOf("api") && type === "api"}>
                {type}
              </option>
            ))}
          </select>
        </label>
        <div class="buttons">
          <button type="button" onClick={() => attempt(preview)} disabled={!isValid}>
            Preview the plan
          </button>
          <button type="button" class="primary" onClick={() => attempt(create)} disabled={!isValid}>
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
        <Editor
          text={text}
          diagnostics={diagnostics}
          onWrite={write}
          onCaret={setCaret}
          onReady={(ready) => {
            editor.current = ready;
          }}
        />
        <div class="beside">
          {plan !== undefined && <PlanPreview plan={plan} />}
          <Problems diagnostics={diagnostics} onGoTo={(diagnostic) => editor.current?.goTo(diagnostic)} />
          <KeyHelp text={text} offset={caret} onInsert={(below) => editor.current?.insertBelow(below)} />
        </div>
      </div>
    </div>
  );
}
