import { type AcceptanceLine, type CompleteSpec, measuredOfCommand, type PerformanceCheck } from "@slipway/spec";
import type { EvidenceFile, LineVerdict } from "../verdict.ts";
import { describeMeasurement, isWithin, limitIn, type Measurement } from "./compare-limit.ts";
import { type Load, measureLoad } from "./measure-load.ts";
import type { Software } from "./start-software.ts";
import { tokenHeader, withToken } from "./token-header.ts";

const defaultLoadMs = 2_000;
/** As many times longer where nothing was answered at all: slow answers are measured, too. */
const slowLoads = 5;
const warmUpMs = 300;
const usualConnections = 10;
const maxConnections = 200;

/** Quick errors are no quick answers: above this share, or what the document allows, no limit is kept. */
const usualErrorRate = 0.01;

/** What is measured of started software, beside its answers. */
export interface Performance {
  readonly path: string;
  readonly connections: number;
  readonly load: Load;
  readonly readyMs: number;
  readonly peakMemoryBytes: number;
}

/** Whether any line needs the software to be measured under load. */
export function needsLoad(document: CompleteSpec, lines: readonly AcceptanceLine[]): boolean {
  const isMeasured = ({ check }: AcceptanceLine) => check.kind === "performance" && check.command === undefined;
  return document.guardrails.performance_tests || lines.some(isMeasured);
}

interface ToMeasure {
  readonly document: CompleteSpec;
  readonly signal: AbortSignal;
  readonly loadMs?: number | undefined;
}

/** Sends many requests at once to the first read that the document names. */
export async function measurePerformance(
  software: Software,
  lines: readonly AcceptanceLine[],
  { document, signal, loadMs = defaultLoadMs }: ToMeasure,
): Promise<Omit<Performance, "peakMemoryBytes">> {
  const { path, token } = readOf(lines);
  const connections = connectionsOf(lines);
  const headers = token ? withToken(tokenHeader(document), software.token) : {};
  const toMake = { url: software.url + path, headers, connections };
  // The first requests find programs that are not compiled yet.
  await measureLoad({ ...toMake, durationMs: warmUpMs }, signal);
  const measure = async (durationMs = loadMs) => {
    const load = await measureLoad({ ...toMake, durationMs }, signal);
    return { path, connections, load, readyMs: software.readyMs };
  };
  const first = await measure();
  const { requests, errors, failure } = first.load;
  const isSilent = requests + errors === 0 && failure === undefined;
  const measured = isSilent ? await measure(slowLoads * loadMs) : first;
  if (isWithinAll(lines, measured)) return measured;
  // The machine may have been busy with something else just then.
  const again = await measure();
  return isWithinAll(lines, again) ? again : measured;
}

function isWithinAll(lines: readonly AcceptanceLine[], measured: Omit<Performance, "peakMemoryBytes">): boolean {
  return judgePerformance(lines, { ...measured, peakMemoryBytes: 0 }).every(({ verdict }) => verdict !== "failed");
}

/** Reads that the document names and that are answered with what is read. */
function readsOf(lines: readonly AcceptanceLine[]): readonly { path: string; token: boolean }[] {
  return lines.flatMap(({ check }) => {
    if (check.kind !== "http_endpoint" || check.method !== "GET") return [];
    const isGood = "exactly" in check.status && check.status.exactly < 300;
    return isGood ? [{ path: check.path, token: check.isAuthRequired }] : [];
  });
}

function readOf(lines: readonly AcceptanceLine[]): { path: string; token: boolean } {
  const reads = readsOf(lines);
  const isHealth = ({ path }: { path: string }) => /health|ready|ping/.test(path);
  // What the software is for says more than its health check.
  return (
    reads.find((read) => !read.token && !isHealth(read)) ??
    reads.find(({ token }) => !token) ??
    reads[0] ?? { path: "/", token: false }
  );
}

function connectionsOf(lines: readonly AcceptanceLine[]): number {
  const asked = lines.flatMap(({ check }) =>
    check.kind === "performance" && /concurrent/.test(check.metric) ? [check.limit.value] : [],
  );
  return Math.min(maxConnections, Math.max(usualConnections, ...asked));
}

/** Judges the limits of the document's `performance`. */
export function judgePerformance(
  lines: readonly AcceptanceLine[],
  measured: Performance | { readonly failure: string },
): readonly LineVerdict[] {
  const maxErrorRate = allowedErrorRate(lines);
  return lines.flatMap(({ pointer, check }) => {
    if (check.kind !== "performance" || check.command !== undefined) return [];
    if ("failure" in measured) return [{ pointer, verdict: "not_checked" as const, reason: measured.failure }];
    return [judgeLimit({ pointer, check, maxErrorRate }, measured)];
  });
}

function allowedErrorRate(lines: readonly AcceptanceLine[]): number {
  const allowed = lines.flatMap(({ check }) => {
    if (check.kind !== "performance" || !isErrorRate.test(check.metric)) return [];
    return check.limit.comparison === "at_most" ? [limitIn(check.limit, "share") ?? 0] : [];
  });
  return Math.max(usualErrorRate, ...allowed);
}

interface LimitToJudge {
  readonly pointer: string;
  readonly check: PerformanceCheck;
  readonly maxErrorRate: number;
}

function judgeLimit({ pointer, check, maxErrorRate }: LimitToJudge, measured: Performance): LineVerdict {
  const measurement = measurementOf(check.metric, measured);
  if (measurement === undefined)
    return { pointer, verdict: "not_checked", reason: `Nobody here measures '${check.metric}'.` };
  if (limitIn(check.limit, measurement.unit) === undefined) {
    const reason = `'${check.limit.unit}' is no unit of '${check.metric}' that can be compared.`;
    return { pointer, verdict: "not_checked", reason };
  }
  const isFailing = hasFailed(measured, maxErrorRate);
  const verdict = isWithin(check.limit, measurement) && !isFailing ? "passed" : "failed";
  const why = isFailing && measured.load.failure === undefined ? " Too many failed for any limit to be kept." : "";
  const reason = `${describeMeasurement(check, measurement)} ${describeLoad(measured)}${why}`;
  const measurements = [{ name: check.metric, ...measurement }];
  return { pointer, verdict, reason, evidence: [performancePath], measured: measurements };
}

/** What every measurement under load tells, whatever the document has limits for. */
const usualMetrics = [
  "response_time_p50",
  "response_time_p95",
  "response_time_p99",
  "throughput",
  "error_rate",
  "memory",
];

function hasFailed({ load }: Performance, maxErrorRate: number): boolean {
  return load.requests === 0 || errorRateOf(load) > maxErrorRate;
}

function describeLoad({ load, path, connections }: Performance): string {
  if (load.failure !== undefined) return load.failure;
  const failed = `${load.errors} failed${unansweredIn(load)}`;
  return `${load.good + load.errors} requests to GET ${path} over ${connections} connections, ${failed}.`;
}

/** The verdict on `performance_tests`: it asks for numbers of answers, and has no limits for them, nor for errors. */
export function judgeMeasured(pointer: string, lines: readonly AcceptanceLine[], measured: Performance): LineVerdict {
  const { good, refused, failure } = measured.load;
  // Where the document names no read, an answer that there is nothing to read is one, too.
  const answers = readsOf(lines).length === 0 ? good + refused : good;
  if (failure !== undefined || answers === 0) {
    const why = failure === undefined ? " Nothing was answered well, so there is no measurement." : "";
    return { pointer, verdict: "failed", reason: `${describeLoad(measured)}${why}`, evidence: [performancePath] };
  }
  const measurements = usualMetrics.flatMap((name) => {
    const found = measurementOf(name, measured);
    return found === undefined ? [] : [{ name, ...found }];
  });
  const reason = `It was measured under load: ${describeLoad(measured)}`;
  return { pointer, verdict: "passed", reason, evidence: [performancePath], measured: measurements };
}

const isErrorRate = /error_rate/;

function measurementOf(
  metric: string,
  { load, readyMs, peakMemoryBytes, connections }: Performance,
): Measurement | undefined {
  const [, percent] = /(?:^|_)p(50|75|90|95|99)(?:_|$)/.exec(metric) ?? [];
  if (/response_?time|latency/.test(metric)) {
    const ms = percent === undefined ? load.averageMs : (load.percentilesMs[Number(percent)] ?? 0);
    return { value: ms, unit: "ms" };
  }
  if (/(^|_)(rps|throughput|requests_per_second)(_|$)/.test(metric))
    return { value: load.good / Math.max(0.001, load.seconds), unit: "per second" };
  if (isErrorRate.test(metric)) return { value: errorRateOf(load), unit: "share" };
  if (/concurrent/.test(metric)) return { value: errorRateOf(load) === 0 ? connections : 0, unit: "count" };
  if (/memory/.test(metric)) return { value: peakMemoryBytes, unit: "bytes" };
  if (/start(up)?_?time|time_to_ready/.test(metric)) return { value: readyMs, unit: "ms" };
  return undefined;
}

function errorRateOf({ good, errors, unanswered }: Load): number {
  return (errors + unanswered) / Math.max(1, good + errors + unanswered);
}

function unansweredIn({ unanswered }: Load): string {
  return unanswered === 0 ? "" : `, and ${unanswered} more would have been sent if all had been answered`;
}

/** Whether a limit is of something that the service measures: of the running software, or of a command. */
export function isMeasured({ metric, command }: Pick<PerformanceCheck, "metric" | "command">): boolean {
  if (command !== undefined) return measuredOfCommand(metric) !== undefined;
  const load = {
    requests: 1,
    good: 1,
    refused: 0,
    errors: 0,
    unanswered: 0,
    seconds: 1,
    averageMs: 1,
    percentilesMs: {},
  };
  return measurementOf(metric, { path: "/", connections: 1, load, readyMs: 1, peakMemoryBytes: 1 }) !== undefined;
}

const performancePath = "verification/performance.json";

/** What was measured, as an artifact. */
export function performanceReport(measured: Performance): EvidenceFile {
  const text = `${JSON.stringify(measured, undefined, 2)}\n`;
  return { type: "performance_report", path: performancePath, mediaType: "application/json", text };
}
