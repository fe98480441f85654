import { hasEnded } from "@slipway/client";
import type { EventRecord, Project } from "@slipway/contract";
import type { Connection } from "../connection/connect.ts";
import { type ExitCode, exitCode } from "../exit-code.ts";
import { printable, printableLines } from "../output/printable.ts";
import { duration } from "../output/quantities.ts";
import type { Terminal } from "../output/terminal.ts";

/** A project that has ended, and the event that told so. */
export interface Ending {
  readonly project: Project;
  readonly last: EventRecord | undefined;
}

export function exitCodeOf(project: Project): ExitCode {
  return hasEnded(project) && project.status === "deployed" ? exitCode.ok : exitCode.failed;
}

/** How it ended: where the result is, or what went wrong and what to try next. */
export function verdictLines(ending: Ending, connection: Connection, colors: Terminal["colors"], unmet = 0): string[] {
  const { project } = ending;
  const name = colors.bold(printable(project.name));
  const address = `${connection.client.url}/api/v1/projects/${project.project_id}`;
  const tookMs = Date.parse(project.updated_at) - Date.parse(project.created_at);
  if (project.status === "deployed") {
    const url = urlOf(ending.last);
    return [
      unmet === 0
        ? `${colors.green("✔")} ${name} is deployed, after ${duration(tookMs)}.`
        : `${colors.yellow("!")} ${name} is deployed, after ${duration(tookMs)}, but it is not all that was asked for.`,
      ...(unmet === 0 ? [] : [`  Left out: ${leftOut(unmet)}, listed above and in README.md of the result`]),
      ...(url === undefined ? [] : [`  Result:  ${colors.cyan(printable(url))}`]),
      `  Project: ${address}`,
    ];
  }
  const { code = "", message = "It failed." } = project.error ?? {};
  const remedies = whatToTry(project, connection);
  return [
    `${colors.red("✘")} ${name} has failed: ${printableLines(message)} ${colors.dim(`[${printable(code)}]`)}`,
    ...remedies.map((remedy) => `  ${colors.dim("=")} ${colors.cyan(remedy)}`),
    `  Project: ${address}`,
  ];
}

function leftOut(count: number): string {
  return count === 1 ? "one thing" : `${count} things`;
}

function urlOf(event: EventRecord | undefined): string | undefined {
  const url = event?.event === "project.deployed" ? event.data["url"] : undefined;
  return typeof url === "string" && url !== "" ? url : undefined;
}

function whatToTry({ project_id, error }: Project, { commandLine }: Connection): string[] {
  const { code, phase, task_id } = error ?? {};
  const again = phase === undefined ? [] : [commandLine("projects", "restart", project_id, "--from-phase", phase)];
  if (code === "no_agents_available") {
    return [
      "Nobody here can do this: add an agent that has these capabilities, or ask for others in requirements.agents; then",
      ...again,
    ];
  }
  if (code === "regeneration_conflict") {
    return [
      `To get its files: ${commandLine("source", "get", project_id, "DIR")}`,
      "Resolve what is marked in them, and run the document again with --source DIR.",
    ];
  }
  if (code === "cancelled") return ["It was cancelled. To start over:", ...again];
  if (code === "approval_denied") return ["It was denied. Mend what was objected to, and run the document again."];
  if (task_id !== undefined) {
    return [
      `To try the task again: ${commandLine("projects", "retry", project_id, "--task-id", task_id)}`,
      `To see all attempts: ${commandLine("projects", "show", project_id)}`,
    ];
  }
  return [`To see where it stands: ${commandLine("projects", "show", project_id)}`];
}
