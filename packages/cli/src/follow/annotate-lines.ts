import type { AcceptanceReport, Project } from "@slipway/contract";
import type { ServiceContext } from "../command.ts";
import { workflowCommand } from "../output/workflow-command.ts";

type Deps = Pick<ServiceContext, "client" | "terminal" | "signal">;

/** Prints the verdicts on an ended project as annotations of the file that its document is in. */
export async function annotateProject(
  { client, terminal, signal }: Deps,
  project: Project,
  file: string,
): Promise<void> {
  const { project_id, error } = project;
  const report = await client.call("readAcceptance", { params: { project_id }, signal });
  const annotations = annotationsOf(report, file);
  const hasError = annotations.some((line) => line.startsWith("::error "));
  if (error !== null && !hasError) annotations.push(annotate("error", { file, title: error.code }, error.message));
  // Talk, and no data: the log of a job has both streams.
  for (const annotation of annotations) terminal.err(annotation);
}

/** An error for each line of the document that does not hold; a warning for one that nobody checked or built. */
function annotationsOf({ lines, unmet }: AcceptanceReport, file: string): string[] {
  return [
    ...lines
      .filter(({ verdict }) => verdict === "failed")
      .map(({ line, title, reason }) => annotate("error", { file, line, title: `failed: ${title}` }, reason || title)),
    ...lines
      .filter(({ verdict }) => verdict === "not_checked")
      .map(({ line, title, reason }) =>
        annotate("warning", { file, line, title: `not checked: ${title}` }, reason || title),
      ),
    ...unmet.map(({ line, pointer, reason }) =>
      annotate("warning", { file, line, title: `not built: ${pointer}` }, reason),
    ),
  ];
}

interface Place {
  readonly file: string;
  readonly line?: number | null;
  readonly title: string;
}

/** What has no line of its own stands at the first. */
function annotate(command: "error" | "warning", { file, line, title }: Place, text: string): string {
  return workflowCommand(command, { file, line: line ?? 1, title }, text.trim());
}
