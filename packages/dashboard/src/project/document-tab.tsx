import { useEffect, useRef } from "preact/hooks";
import { DiffView } from "../parts/diff-view.tsx";
import type { Project, ReportedVerdict } from "../parts/shapes.ts";
import { SomeOf } from "../parts/some-of.tsx";
import { Link, setQuery, useAddress } from "../routing/router.tsx";
import { useAcceptance, useDocumentLines, useEarlierRuns, useProject } from "./project-data.ts";

const marks: Readonly<Record<ReportedVerdict, string>> = { passed: "✓", failed: "✗", not_checked: "–", waived: "‖" };
const order: readonly ReportedVerdict[] = ["failed", "not_checked", "waived", "passed"];

/** The document as it was submitted, with the verdict at each line that has one, or compared with an earlier run's. */
export function DocumentTab({ id }: { readonly id: string }) {
  const { data: project } = useProject(id);
  const compare = useAddress().searchParams.get("compare") ?? "";
  return (
    <>
      {project !== undefined && <Earlier project={project} compare={compare} />}
      {compare === "" ? <Lines id={id} /> : <Changes id={id} before={compare} />}
    </>
  );
}

function Earlier({ project, compare }: { readonly project: Project; readonly compare: string }) {
  const { data: runs = [] } = useEarlierRuns(project);
  if (runs.length === 0) return null;
  return (
    <div class="filters">
      <label class="inline">
        Compared with
        <select value={compare} onChange={(event) => setQuery({ compare: event.currentTarget.value })}>
          <option value="">nothing</option>
          {runs.map(({ project_id, status, created_at }) => (
            <option key={project_id} value={project_id}>
              the run of {new Date(created_at).toLocaleString()}, {status}
            </option>
          ))}
        </select>
      </label>
    </div>
  );
}

function Changes({ id, before }: { readonly id: string; readonly before: string }) {
  const { data: now } = useDocumentLines(id);
  const { data: then } = useDocumentLines(before);
  if (now === undefined || then === undefined) return <p class="faint">Loading…</p>;
  return <DiffView before={then} after={now} label="Changes of the document" />;
}

function Lines({ id }: { readonly id: string }) {
  const { data: lines } = useDocumentLines(id);
  const report = useAcceptance(id).data?.lines ?? [];
  const wanted = Number(useAddress().searchParams.get("line"));
  const box = useRef<HTMLOListElement>(null);
  useEffect(() => box.current?.querySelector(".is-wanted")?.scrollIntoView({ block: "center" }), [lines, wanted]);
  if (lines === undefined) return <p class="faint">Loading…</p>;
  const byLine = Map.groupBy(report, ({ line }) => line);
  const verdictAt = (number: number) =>
    order.find((verdict) => byLine.get(number)?.some((line) => line.verdict === verdict));
  return (
    <SomeOf items={lines} step={2_000} at={wanted - 1}>
      {(some, from) => (
        <ol class="document" ref={box}>
          {some.map((text, index) => {
            const number = from + index + 1;
            const verdict = verdictAt(number);
            return (
              <li key={number} class={number === wanted ? "is-wanted" : ""}>
                <Link class="line-number" href={`/projects/${id}?tab=document&line=${number}`}>
                  {number}
                </Link>
                <span class={`line-verdict line-${verdict ?? "none"}`} title={verdict?.replace("_", " ")}>
                  {verdict === undefined ? "" : marks[verdict]}
                </span>
                <code>{text}</code>
              </li>
            );
          })}
        </ol>
      )}
    </SomeOf>
  );
}
