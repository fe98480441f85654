import {
  type AcceptanceLine,
  type CommandCheck,
  type CompleteSpec,
  measuredOfCommand,
  type NamedCheck,
  type PerformanceCheck,
} from "@slipway/spec";
import { findCause } from "../../platform/cause-line.ts";
import { missingTexts } from "../../platform/find-text.ts";
import type { OutputLog } from "../../platform/log/index.ts";
import { oneLine } from "../../platform/one-line.ts";
import {
  type CommandEnd,
  documentLimits,
  limitMessage,
  type Sandbox,
  timeMessage,
  whyUnreached,
} from "../../platform/sandbox/index.ts";
import { Masker } from "../../platform/secrets/index.ts";
import { sentence } from "../../platform/sentence.ts";
import type { LineVerdict } from "../verdict.ts";
import { describeMeasurement, isWithin, type Measurement } from "./compare-limit.ts";

interface ToCheck {
  readonly document: CompleteSpec;
  /** The built project; commands change it, each after the other. */
  readonly folder: string;
  readonly signal: AbortSignal;
  readonly secrets: Readonly<Record<string, string>>;
  readonly openLog: (source: string) => OutputLog;
}

/** Runs each command of the lines, in the document's order, and judges it and what the document says beside it. */
export async function checkCommands(
  sandbox: Pick<Sandbox, "runCommand">,
  toCheck: ToCheck,
  lines: readonly AcceptanceLine[],
): Promise<readonly LineVerdict[]> {
  const commands = lines.filter(({ check }) => check.kind === "command");
  if (commands.length === 0) return [];
  const log = toCheck.openLog("commands");
  const verdicts: LineVerdict[] = [];
  try {
    const isTimed = lines.some(
      ({ check }) => check.kind === "performance" && measuredOfCommand(check.metric) === "time",
    );
    const idleMs = isTimed ? await leastIdleMs(() => run(sandbox, toCheck, log, nothing)) : 0;
    for (const { pointer, check } of commands) {
      const command = check as CommandCheck;
      const end = await run(sandbox, toCheck, log, command);
      verdicts.push(await judgeCommand(pointer, command, end, toCheck));
      const beside = lines.filter((line) => line.pointer.startsWith(`${pointer}/`) && "command" in line.check);
      const ownMs = Math.max(0, end.wallMs - idleMs);
      verdicts.push(...beside.map((line) => judgeBeside(line, end, ownMs)));
    }
  } finally {
    log.end();
  }
  return verdicts;
}

const nothing = { command: "true", timeoutSeconds: 30 };
const idleRuns = 3;

/**
 * How long the sandbox itself takes, which is not a command's fault. The least of some runs: what a busy machine added to one
 * of them would be taken off a slow command.
 */
async function leastIdleMs(runNothing: () => Promise<CommandEnd>): Promise<number> {
  let least = Number.POSITIVE_INFINITY;
  for (let count = 0; count < idleRuns; count += 1) least = Math.min(least, (await runNothing()).wallMs);
  return least;
}

async function run(
  sandbox: Pick<Sandbox, "runCommand">,
  { document, folder, signal, secrets }: ToCheck,
  log: OutputLog,
  { command, stdin, timeoutSeconds }: Pick<CommandCheck, "command" | "stdin" | "timeoutSeconds">,
): Promise<CommandEnd> {
  log.write(`$ ${command}\n`);
  const masker = new Masker(Object.values(secrets));
  const toRun = { command, folder, env: { CI: "true", ...secrets }, masker, onOutput: log.write };
  const limits = { ...documentLimits(document), limitMs: timeoutSeconds * 1000, signal };
  const end = await sandbox.runCommand({ ...toRun, ...(stdin !== undefined && { stdin }) }, limits);
  signal.throwIfAborted();
  return end;
}

async function judgeCommand(
  pointer: string,
  { command, exitCode, stdoutContains, stderrContains, timeoutSeconds }: CommandCheck,
  end: CommandEnd,
  { secrets }: ToCheck,
): Promise<LineVerdict> {
  const durationMs = Math.round(end.wallMs);
  const masker = new Masker(Object.values(secrets));
  const shown = command.length > 120 ? `${command.slice(0, 120)}…` : command;
  const problems: string[] = [];
  const limit =
    end.outcome.is === "timeout"
      ? timeMessage("It", `${timeoutSeconds} seconds`, "its timeout_seconds")
      : limitMessage("It", end.outcome);
  if (limit !== undefined) problems.push(limit.replace(/\.$/, ""));
  else if (end.exitCode !== exitCode)
    problems.push(`it ended with exit code ${end.exitCode}, expected ${exitCode}${sayingOf(end)}`);
  const { stdout, stderr, told } = end;
  problems.push(...(await lackOf({ stream: stdout, told: told.stdout }, stdoutContains, "standard output")));
  problems.push(...(await lackOf({ stream: stderr, told: told.stderr }, stderrContains, "standard error")));
  const evidence = ["logs/validation.log"];
  if (problems.length === 0)
    return { pointer, verdict: "passed", reason: `${shown} ended with exit code ${exitCode}.`, durationMs, evidence };
  return {
    pointer,
    verdict: "failed",
    reason: masker.mask(
      `${sentence(`${shown}: ${problems.join("; ")}`)} ${whyUnreached("It", end, end.output)}`.trim(),
    ),
    durationMs,
    evidence,
  };
}

/** What it said of the reason: the line that names one, else all of it if that is little. */
function sayingOf({ output }: CommandEnd): string {
  const { line, isMarked } = findCause(output, maxQuoted);
  const said = isMarked || output.trim().length > maxQuoted ? line : oneLine(output, maxQuoted);
  return said === "" ? "" : `, saying: ${said}`;
}

const maxQuoted = 200;

/** The texts that a stream lacks, and what it has instead, masked. */
async function lackOf(
  { stream, told }: { readonly stream: string; readonly told: string },
  texts: readonly string[],
  name: string,
): Promise<readonly string[]> {
  const missing = await missingTexts(stream, texts);
  if (missing.length === 0) return [];
  const quoted = missing.map((text) => `'${text.slice(0, 100)}'`).join(" and ");
  return [`${name} does not contain ${quoted}, ${printedOn(told)}`];
}

/** What a stream has instead of what it should. */
function printedOn(told: string): string {
  const printed = oneLine(told, maxQuoted);
  return printed === "" ? "it is empty" : `but: ${printed}`;
}

/** What the document says beside a command: the format of its output, and limits for its measurements. */
function judgeBeside({ pointer, check }: AcceptanceLine, end: CommandEnd, ownMs: number): LineVerdict {
  if (check.kind === "performance") return judgeMeasurement(pointer, check, end, ownMs);
  return judgeFormat(pointer, check as NamedCheck, end);
}

function judgeMeasurement(pointer: string, check: PerformanceCheck, end: CommandEnd, ownMs: number): LineVerdict {
  const what = measuredOfCommand(check.metric);
  const measured: Measurement =
    what === "time" ? { value: ownMs, unit: "ms" } : { value: end.peakMemoryBytes, unit: "bytes" };
  if (what === undefined)
    return { pointer, verdict: "not_checked", reason: `Nobody here measures '${check.metric}' of a command.` };
  const verdict = isWithin(check.limit, measured) ? "passed" : "failed";
  const reason = describeMeasurement(check, measured);
  return { pointer, verdict, reason, measured: [{ name: check.metric, ...measured }] };
}

function judgeFormat(pointer: string, { value }: NamedCheck, { stdout, isStdoutCut, told }: CommandEnd): LineVerdict {
  if (String(value).toLowerCase() !== "json")
    return { pointer, verdict: "not_checked", reason: `Nobody here checks the format '${String(value)}'.` };
  if (isStdoutCut)
    return { pointer, verdict: "not_checked", reason: "Standard output is so long that only its end is known." };
  try {
    JSON.parse(stdout);
    return { pointer, verdict: "passed", reason: "Standard output is valid JSON." };
  } catch (error) {
    // The message itself quotes ten characters around the place, which may be a part of a secret.
    const [place = ""] = /\(line \d+ column \d+\)/.exec((error as Error).message) ?? [];
    const where = place === "" ? "" : ` ${place}`;
    const reason = sentence(`Standard output is not valid JSON${where}, ${printedOn(told.stdout)}`);
    return { pointer, verdict: "failed", reason };
  }
}
