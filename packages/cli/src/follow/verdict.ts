import { hasEnded } from "@slipway/client";
import type { EventRecord, Project, UnmetRequest } from "@slipway/contract";
import type { Connection } from "../connection/connect.ts";
import { type ExitCode, exitCode } from "../exit-code.ts";
import { maxListed, unmetLines } from "../foreseen/describe.ts";
import { printable, printableLines } from "../output/printable.ts";
import { count, duration } from "../output/quantities.ts";
import type { Terminal } from "../output/terminal.ts";
import { lineVerdicts } from "./line-verdicts.ts";
import type { PrinterDeps } from "./printer.ts";
import { whatToChange } from "./what-to-change.ts";

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

/** How the project ended: each line that does not hold, and where the result is, or what failed and what to change. */
export async function verdictLines(deps: PrinterDeps, ending: Ending, signal: AbortSignal): Promise<string[]> {
  const checks = await checkLines(deps, ending.project, signal);
  const lines = ending.project.status === "deployed" ? deployedLines : failedLines;
  return lines(deps, ending, checks);
}

function deployedLines(deps: PrinterDeps, ending: Ending, checks: readonly string[]): string[] {
  const { unmet = [], isStopping = false, connection } = deps;
  const { project } = ending;
  const { colors } = deps.terminal;
  const { result, stop } = resultOf(ending);
  const lacking = unmet.length === 0 ? "" : ", but lacks parts of what the document asks for";
  const unchecked = project.checks?.not_checked ?? 0;
  const isGood = unmet.length === 0 && isFullyChecked(project);
  const took = duration(Date.parse(project.updated_at) - Date.parse(project.created_at));
  const isGone = isStopping && stop !== undefined;
  return [
    `${isGood ? colors.green("✔") : colors.yellow("!")} ${nameOf(project, colors)} is deployed after ${took}${lacking}.`,
    ...checks,
    ...(unchecked === 0 ? [] : [`  Nobody checked ${count(unchecked, "line")} of the document.`]),
    ...missingLines(unmet),
    ...(result === "" ? [] : [`  Result:  ${colors.cyan(printable(result))}${isGone ? " (stops now)" : ""}`]),
    ...(stop === undefined || isGone ? [] : [`  Stop:    ${connection.commandLine("apps", "stop", ...stop)}`]),
    `  Files:   ${connection.commandLine("source", "get", project.project_id, "DIR")}`,
    projectLine(deps, project),
  ];
}

function failedLines(deps: PrinterDeps, { project }: Ending, checks: readonly string[]): string[] {
  const { colors } = deps.terminal;
  const { code = "", message = "It failed." } = project.error ?? {};
  return [
    `${colors.red("✘")} ${nameOf(project, colors)} failed: ${printableLines(message)} ${colors.dim(`[${printable(code)}]`)}`,
    ...checks,
    ...whatToChange(project, deps.connection).map((remedy) => `  ${colors.dim("=")} ${colors.cyan(remedy)}`),
    projectLine(deps, project),
  ];
}

function nameOf({ name }: Project, colors: Terminal["colors"]): string {
  return colors.bold(printable(name));
}

/** A command, not an address: it also works when the service has stopped. */
function projectLine({ connection }: PrinterDeps, { project_id }: Project): string {
  return `  Project: ${connection.commandLine("projects", "show", project_id)}`;
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

async function checkLines(
  { connection, terminal }: PrinterDeps,
  { checks, project_id }: Project,
  signal: AbortSignal,
): Promise<string[]> {
  if (checks === null) return [];
  const command = connection.commandLine("projects", "acceptance", project_id);
  const isWell = checks.failed === 0 && checks.not_checked === 0;
  const report = isWell ? undefined : await readReport(connection, project_id, signal);
  return lineVerdicts(report ?? { counts: checks, lines: [] }, command, terminal.colors);
}

/** Without it the counts have to do. */
async function readReport({ client }: Connection, project_id: string, signal: AbortSignal) {
  return client.call("readAcceptance", { params: { project_id }, signal }).catch(() => {
    signal.throwIfAborted();
    return undefined;
  });
}

/** Where the result is, or how to use it; and what stops it, if it runs. */
function resultOf({ project, last }: Ending): { result: string; stop: string[] | undefined } {
  const { url = "", usage = "", environment = "" } = last?.event === "project.deployed" ? last.data : {};
  const words = [project.application_id, ...(environment === "" ? [] : ["--environment", String(environment)])];
  return { result: String(url || usage), stop: url === "" ? undefined : words };
}
