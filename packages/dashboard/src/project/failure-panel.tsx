import type { Project, ReportedLine } from "@slipway/contract";
import { client } from "../data/client.ts";
import { useQuery } from "../data/query-cache.ts";
import { may } from "../data/session.ts";
import { LogTail } from "../parts/log-tail.tsx";
import { Prose } from "../parts/prose.tsx";
import { Link } from "../routing/router.tsx";
import { artifactHref } from "./artifact-path.ts";
import { SinceLastGood } from "./last-good-run.tsx";
import { useAcceptance, useDocumentLines } from "./project-data.ts";

const maxLines = 5;
const tail = 12;

/** Why a project failed: the error, the lines of the document, what shows it, the last words, and what to do. */
export function FailurePanel({ project }: { readonly project: Project }) {
  const { project_id: id, error } = project;
  const failed = (useAcceptance(id).data?.lines ?? []).filter(({ verdict }) => verdict === "failed");
  const { data: document } = useDocumentLines(id);
  const task = error?.task_id;
  const { data: log } = useQuery(`project/${id}/last-log/${task ?? ""}`, () =>
    client.call("readLogs", { params: { project_id: id }, query: { tail, ...(task !== undefined && { task }) } }),
  );
  return (
    <section class="panel panel-bad" aria-label="Why it failed">
      <h2>Why it failed</h2>
      <p class="error-message">
        {error?.message ?? "It failed."} <code class="faint">{error?.code}</code>
      </p>
      <div class="failure">
        <div class="failure-part">
          {failed.length > 0 && (
            <h3>{failed.length === 1 ? "The line that does not hold" : "Lines that do not hold"}</h3>
          )}
          {failed.slice(0, maxLines).map((line) => (
            <FailedLine key={line.pointer} id={id} line={line} document={document} />
          ))}
          {failed.length > maxLines && (
            <Link href={`/projects/${id}?tab=acceptance`}>{failed.length - maxLines} more lines failed</Link>
          )}
          <SinceLastGood project={project} />
          <h3>Next step</h3>
          <p>
            {nextStep(project, failed.length)}{" "}
            {may("projects:create") && <Link href={`/new?from=${id}`}>Correct the document</Link>}
          </p>
          <p class="faint">
            {error?.phase !== undefined && `In ${error.phase}`}
            {task !== undefined && `, task ${task}`}
          </p>
        </div>
        {log !== undefined && log.lines.length > 0 && (
          <div class="failure-part">
            <h3>Last log lines</h3>
            <LogTail class="log-tail" lines={log.lines} />
            <Link href={`/projects/${id}?tab=logs${task === undefined ? "" : `&task=${encodeURIComponent(task)}`}`}>
              All its log lines
            </Link>
          </div>
        )}
      </div>
    </section>
  );
}

interface LineProps {
  readonly id: string;
  readonly line: ReportedLine;
  readonly document: readonly string[] | undefined;
}

function FailedLine({ id, line: { line, title, reason, evidence }, document }: LineProps) {
  return (
    <div class="failed-line">
      {line !== null && (
        <Link class="source-line" href={`/projects/${id}?tab=document&line=${line}`}>
          <span class="line-number">{line}</span>
          <code>{document?.[line - 1] ?? ""}</code>
        </Link>
      )}
      <p>
        <strong>
          <Prose text={title} />
        </strong>
        : {reason}
      </p>
      {evidence.length > 0 && (
        <p>
          Evidence:{" "}
          {evidence.map((path) => (
            <Link key={path} class="evidence" href={artifactHref(id, path)}>
              {path}
            </Link>
          ))}
        </p>
      )}
    </div>
  );
}

/** What most likely helps, by the error's code. */
function nextStep({ error }: Project, failedLines: number): string {
  switch (error?.code) {
    case "no_agents_available":
      return "Add an agent with these capabilities, or change requirements.agents in the document; then restart.";
    case "cancelled":
      return "Somebody cancelled it. Restart it from the phase where it stopped.";
    case "approval_denied":
      return "Mend what was objected to, then submit the document again.";
    case "secret_not_found":
      return "Set the secret, then restart from the phase that failed.";
    case "regeneration_conflict":
      return "Get the files, resolve the conflict markers, and submit the document with them again.";
  }
  if (failedLines > 0) return "Correct the lines above in the document or in the files, then submit it again.";
  return error?.task_id === undefined
    ? "Restart it from the phase that failed."
    : "Read what the task wrote, then retry the task.";
}
