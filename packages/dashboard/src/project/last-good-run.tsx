import type { Project, ReportedLine } from "@slipway/contract";
import { diffLines, hunksOf } from "../parts/line-diff.ts";
import { Ago } from "../parts/time.tsx";
import { Link } from "../routing/router.tsx";
import { useAcceptance, useDocumentLines, useEarlierRuns } from "./project-data.ts";

const maxShown = 8;

/** What changed since the application last worked: its document, and lines that held then. */
export function SinceLastGood({ project }: { readonly project: Project }) {
  const good = useEarlierRuns(project).data?.find(({ status }) => status === "deployed");
  if (good === undefined) return null;
  return <Changes project={project} good={good} />;
}

function Changes({ project, good }: { readonly project: Project; readonly good: Project }) {
  const { data: now } = useDocumentLines(project.project_id);
  const { data: then } = useDocumentLines(good.project_id);
  const report = useAcceptance(project.project_id).data?.lines ?? [];
  if (now === undefined || then === undefined) return null;
  const changed = hunksOf(diffLines(then, now), 0).flat();
  return (
    <>
      <h3>Since the last good run</h3>
      <p class="faint">
        <Link href={`/projects/${good.project_id}`}>It worked</Link> <Ago at={good.created_at} />.
      </p>
      {changed.length === 0 ? (
        <p>The document is the same as then: what changed is outside of it.</p>
      ) : (
        <>
          <ul class="changed-lines">
            {changed.slice(0, maxShown).map(({ kind, text }, index) => (
              <li key={index} class={`diff-${kind}`}>
                <code>
                  {kind === "added" ? "+" : "−"} {text}
                </code>
              </li>
            ))}
          </ul>
          <Link href={`/projects/${project.project_id}?tab=document&compare=${good.project_id}`}>
            Compare the documents
          </Link>
        </>
      )}
      <Worse lines={report.filter(({ verdict, previous }) => verdict === "failed" && previous === "passed")} />
    </>
  );
}

function Worse({ lines }: { readonly lines: readonly ReportedLine[] }) {
  if (lines.length === 0) return null;
  return (
    <p>
      {lines.length === 1 ? "A line that held" : `${lines.length} lines that held`} in the run before no longer{" "}
      {lines.length === 1 ? "holds" : "hold"}: {lines.map(({ title }) => title).join(", ")}.
    </p>
  );
}
