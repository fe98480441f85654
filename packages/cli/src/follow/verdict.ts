import { hasEnded } from "@slipway/client";
import type { EventRecord, Project, UnmetRequest } from "@slipway/contract";
import type { Connection } from "../connection/connect.ts";
import { type ExitCode, exitCode } from "../exit-code.ts";
import { maxListed, unmetLines } from "../foreseen/describe.ts";
import { printable, printableLines } from "../output/printable.ts";
import { checkCounts, count, duration } from "../output/quantities.ts";
import type { Terminal } from "../output/terminal.ts";

/** An ended project and its last event. */
export interface Ending {
  readonly project: Project;
  readonly last: EventRecord | undefined;
}

export function exitCodeOf(project: Project): ExitCode {
  return hasEnded(project) && project.status === "deployed" ? exitCode.ok : exitCode.failed;
}

/** Whether every line of the document was checked. */
export function isFullyChecked({ checks }: Pick<Project, "checks">): boolean {
  return checks !== null && checks.not_checked === 0;
}

/** How the project ended: where the result is, or what failed and what to try next. */
export function verdictLines(
  ending: Ending,
  connection: Connection,
  colors: Terminal["colors"],
  unmet: readonly UnmetRequest[] = [],
): string[] {
  const { project } = ending;
  const name = colors.bold(printable(project.name));
  const address = `${connection.client.url}/api/v1/projects/${project.project_id}`;
  const tookMs = Date.parse(project.updated_at) - Date.parse(project.created_at);
  if (project.status === "deployed") {
    const { result, stop } = resultOf(ending);
    const lacking = unmet.length === 0 ? "" : ", but lacks parts of what the document asks for";
    const unchecked = project.checks?.not_checked ?? 0;
    const isGood = unmet.length === 0 && isFullyChecked(project);
    return [
      `${isGood ? colors.green("✔") : colors.yellow("!")} ${name} is deployed after ${duration(tookMs)}${lacking}.`,
      ...checkLines(project, connection),
      ...(unchecked === 0 ? [] : [`  Nobody checked ${count(unchecked, "line")} of the document.`]),
      ...missingLines(unmet),
      ...(result === "" ? [] : [`  Result:  ${colors.cyan(printable(result))}`]),
      ...(stop === undefined ? [] : [`  Stop:    ${connection.commandLine("apps", "stop", ...stop)}`]),
      `  Project: ${address}`,
    ];
  }
  const { code = "", message = "It failed." } = project.error ?? {};
  const remedies = whatToTry(project, connection);
  return [
    `${colors.red("✘")} ${name} failed: ${printableLines(message)} ${colors.dim(`[${printable(code)}]`)}`,
    ...checkLines(project, connection),
    ...remedies.map((remedy) => `  ${colors.dim("=")} ${colors.cyan(remedy)}`),
    `  Project: ${address}`,
  ];
}

/** What the result does not have, once more: the list before the run has scrolled away. */
function missingLines(unmet: readonly UnmetRequest[]): string[] {
  if (unmet.length === 0) return [];
  const listed = unmetLines(unmet.slice(0, maxListed)).map((line) => `    ${line}`);
  const left = unmet.length - listed.length;
  return [
    `  Missing: ${count(unmet.length, "item")}, not used or not built:`,
    ...listed,
    ...(left > 0 ? [`    and ${left} more, in the result's README.md`] : []),
  ];
}

function checkLines({ checks, project_id }: Project, { commandLine }: Connection): string[] {
  if (checks === null) return [];
  return [`  Checks:  ${checkCounts(checks)} (${commandLine("projects", "acceptance", project_id)})`];
}

/** Where the result is, or how to use it; and what stops it, if it runs. */
function resultOf({ project, last }: Ending): { result: string; stop: string[] | undefined } {
  const { url = "", usage = "", environment = "" } = last?.event === "project.deployed" ? last.data : {};
  const words = [project.application_id, ...(environment === "" ? [] : ["--environment", String(environment)])];
  return { result: String(url || usage), stop: url === "" ? undefined : words };
}

function whatToTry({ project_id, error }: Project, { commandLine }: Connection): string[] {
  const { code, phase, task_id } = error ?? {};
  const again = phase === undefined ? [] : [commandLine("projects", "restart", project_id, "--from-phase", phase)];
  if (code === "no_agents_available") {
    return ["No agent has these capabilities: add one that does, or change requirements.agents; then run", ...again];
  }
  if (code === "regeneration_conflict") {
    return [
      `To get its files: ${commandLine("source", "get", project_id, "DIR")}`,
      "Resolve the conflict markers in them, then run the document again with --source DIR.",
    ];
  }
  if (code === "cancelled") return ["The project was cancelled. To restart it:", ...again];
  if (code === "approval_denied")
    return ["The approval was denied. Fix what was objected to, then run the document again."];
  if (task_id !== undefined) {
    return [
      `To retry the task: ${commandLine("projects", "retry", project_id, "--task-id", task_id)}`,
      `To see all attempts: ${commandLine("projects", "show", project_id)}`,
    ];
  }
  return [`To see its status: ${commandLine("projects", "show", project_id)}`];
}
