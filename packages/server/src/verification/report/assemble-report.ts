import type { AcceptanceReport, ReportedLine, VerdictCounts } from "@slipway/contract";
import type { PromisedLine } from "@slipway/spec";
import { storableText } from "../../platform/one-line.ts";
import type { Answerer, LineVerdict, Measured } from "../verdict.ts";
import { compareMeasured } from "./compare-measured.ts";
import { type ServingTask, type TaskUsage, usageByLine } from "./usage-by-line.ts";

interface ToReport {
  readonly projectId: string;
  readonly commit: string | null;
  readonly checkedAt: Date | null;
  /** Every line of the document, in its order. */
  readonly lines: readonly PromisedLine[];
  readonly written: ReadonlyMap<string, { readonly line: number }>;
  readonly verdicts: readonly LineVerdict[];
  /** Why a line without a verdict was not checked. */
  readonly uncheckedReason: (pointer: string) => string;
  readonly tasks: readonly ServingTask[];
  /** What the attempts at the tasks have used. */
  readonly used: readonly TaskUsage[];
  readonly previous?: AcceptanceReport | undefined;
  /** What of the document was not used or not built, as far as somebody can tell. */
  readonly unmet?: readonly { readonly pointer: string; readonly reason: string }[];
}

/** The JSON Pointers of every line that a report tells of: these, and what else tasks serve. */
export function reportedPointers(
  lines: readonly { readonly pointer: string }[],
  tasks: readonly ServingTask[],
): readonly string[] {
  return [...new Set([...lines.map(({ pointer }) => pointer), ...tasks.flatMap(({ serves }) => serves)])];
}

/** The verdict on every line; one that nobody gave is `not_checked`. */
export function assembleReport(toReport: ToReport): AcceptanceReport {
  const { projectId, commit, checkedAt, written, verdicts, uncheckedReason, tasks, used, previous } = toReport;
  const { unmet = [] } = toReport;
  const lineNumbers = new Map([...written].map(([pointer, { line }]) => [pointer, line]));
  const tasksOf = tasksByLine(tasks);
  const usageOf = usageByLine(tasks, used);
  const found = new Map(verdicts.map((verdict) => [verdict.pointer, verdict]));
  const before = new Map(previous?.lines.map((line) => [line.pointer, line]));
  const inOrder = toReport.lines.toSorted((a, b) => placeOf(a, lineNumbers) - placeOf(b, lineNumbers));
  const lines = inOrder.map(({ pointer, phase, title }): ReportedLine => {
    const open: LineVerdict = { pointer, verdict: "not_checked", reason: uncheckedReason(pointer) };
    const { verdict, reason, durationMs, evidence = [], answeredBy, measured = [] } = found.get(pointer) ?? open;
    return {
      pointer,
      line: lineNumbers.get(pointer) ?? null,
      phase: phase ?? null,
      title: shorten(title),
      verdict,
      reason: shorten(reason),
      duration_ms: durationMs ?? null,
      evidence: [...evidence],
      tasks: [...tasksOf(pointer)],
      previous: before.get(pointer)?.verdict ?? null,
      answered_by: answererOf(verdict, answeredBy),
      measured: compareMeasured(withDuration(measured, durationMs), before.get(pointer)?.measured),
      usage: usageOf(pointer),
    };
  });
  const checked_at = checkedAt?.toISOString() ?? null;
  const promised = new Set(lines.map(({ pointer }) => pointer));
  // What was seen to hold is not missing, whatever was foreseen.
  const passed = new Set(lines.filter(({ verdict }) => verdict === "passed").map(({ pointer }) => pointer));
  const missing = unmet.filter(({ pointer }) => !passed.has(pointer));
  return {
    ...{ project_id: projectId, commit, checked_at, counts: countVerdicts(lines), lines },
    unmet: missing.map(({ pointer, reason }) => ({
      pointer: shorten(pointer),
      line: lineNumbers.get(pointer) ?? null,
      reason: shorten(reason),
    })),
    handed_on: handedOn(toReport, (pointer) => !promised.has(pointer)).map((line) => ({
      ...line,
      line: lineNumbers.get(line.pointer) ?? null,
      usage: usageOf(line.pointer),
    })),
  };
}

/** What tasks serve besides the lines that have verdicts. */
function handedOn({ tasks, used }: ToReport, isWanted: (pointer: string) => boolean) {
  const agentOf = new Map(used.map(({ taskId, agentId }) => [taskId, agentId]));
  return tasks.flatMap(({ id, serves }) =>
    serves.filter(isWanted).map((pointer) => ({ pointer, task: id, agent_id: agentOf.get(id) ?? null })),
  );
}

/** The tasks that serve each line, looked up at once: there may be thousands of both. */
function tasksByLine(tasks: readonly ServingTask[]): (pointer: string) => readonly string[] {
  const found = new Map<string, string[]>();
  for (const { id, serves } of tasks)
    for (const pointer of new Set(serves)) {
      const ids = found.get(pointer);
      if (ids === undefined) found.set(pointer, [id]);
      else ids.push(id);
    }
  return (pointer) => found.get(pointer) ?? [];
}

/** Defaults, which are written nowhere, come last. */
function placeOf({ pointer }: PromisedLine, lineNumbers: ReadonlyMap<string, number>): number {
  return lineNumbers.get(pointer) ?? Number.MAX_SAFE_INTEGER;
}

/** How many lines have which verdict. */
function countVerdicts(lines: readonly Pick<ReportedLine, "verdict">[]): VerdictCounts {
  const counts = { passed: 0, failed: 0, not_checked: 0, waived: 0 };
  for (const { verdict } of lines) counts[verdict] += 1;
  return counts;
}

/** The same report with later verdicts on some of its lines. */
export function withVerdicts(report: AcceptanceReport, later: readonly LineVerdict[]): AcceptanceReport {
  const found = new Map(later.map((verdict) => [verdict.pointer, verdict]));
  const lines = report.lines.map((line): ReportedLine => {
    const now = found.get(line.pointer);
    if (now === undefined) return line;
    const { verdict, reason, durationMs, evidence = line.evidence } = now;
    const answered_by = answererOf(verdict, now.answeredBy);
    const duration_ms = durationMs ?? null;
    return { ...line, verdict, reason: shorten(reason), duration_ms, evidence: [...evidence], answered_by };
  });
  return { ...report, lines, counts: countVerdicts(lines) };
}

/** How long a check took is a number like any other, and compared like them. */
function withDuration(measured: readonly Measured[], durationMs: number | undefined): readonly Measured[] {
  return durationMs === undefined ? measured : [...measured, { name: "duration", value: durationMs, unit: "ms" }];
}

/** Nobody has answered for what was not checked. */
function answererOf(verdict: ReportedLine["verdict"], answerer: Answerer = { by: "service" }) {
  if (verdict === "not_checked") return null;
  const { by, id = null, name = null, kind = null } = answerer;
  return { by, id, name, kind };
}

const maxTextLength = 1_000;

/** What a program said may be long, and hold what JSON or Postgres refuse. */
function shorten(text: string): string {
  const plain = storableText(text);
  return plain.length > maxTextLength ? `${plain.slice(0, maxTextLength - 1).toWellFormed()}…` : plain;
}
