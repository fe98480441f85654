import {
  type AcceptanceLine,
  type CompleteSpec,
  isScore,
  knownScores,
  type PerformanceLimit,
  parsePerformanceLimit,
} from "@slipway/spec";
import { FileRefusal, removeProjectFile } from "../../platform/project-files/index.ts";
import { type Json, readProjectJson } from "../scripts/read-json.ts";
import type { LineVerdict, Measured } from "../verdict.ts";
import { isMeasured } from "./check-performance.ts";
import { isWithin } from "./compare-limit.ts";

interface ToCheck {
  readonly document: CompleteSpec;
  readonly folder: string;
  readonly signal: AbortSignal;
}

interface Limit {
  readonly metric: string;
  readonly limit: PerformanceLimit;
}

/** Whether a line sets limits to what the evaluation of a model measures. */
export function isAboutScores(document: CompleteSpec, line: AcceptanceLine): boolean {
  return limitsOf(document, line) !== undefined;
}

/** Whether its limits are of what models are usually measured by: whether anybody measures others is known afterwards. */
export function areKnownScores(document: CompleteSpec, line: AcceptanceLine): boolean {
  return limitsOf(document, line)?.every(({ metric }) => knownScores.includes(metric)) ?? false;
}

function limitsOf({ outcome_type: type }: CompleteSpec, { check }: AcceptanceLine): readonly Limit[] | undefined {
  if (type !== "ml-pipeline") return undefined;
  if (check.kind === "performance") return check.command !== undefined || isMeasured(check) ? undefined : [check];
  if (check.kind !== "named" || check.command !== undefined || check.name !== "metrics") return undefined;
  if (typeof check.value !== "object" || check.value === null || Array.isArray(check.value)) return undefined;
  const limits = Object.entries(check.value).map(([metric, value]) => ({
    metric,
    limit: parsePerformanceLimit(metric, value),
  }));
  const isWhole = limits.length > 0 && limits.every(({ limit }) => limit !== undefined);
  return isWhole ? (limits as Limit[]) : undefined;
}

/** Before the build: scores that were committed were not measured here. */
export async function forgetScores(toCheck: ToCheck, lines: readonly AcceptanceLine[]): Promise<void> {
  if (!lines.some((line) => isAboutScores(toCheck.document, line))) return;
  await removeProjectFile(toCheck.folder, fileOf(toCheck.document), { signal: toCheck.signal }).catch(
    (error: unknown) => {
      if (!(error instanceof FileRefusal)) throw error;
    },
  );
}

/** Judges what the result's own evaluation wrote while it was built, or while a command ran. */
export async function checkScores(toCheck: ToCheck, lines: readonly AcceptanceLine[]): Promise<readonly LineVerdict[]> {
  const asked = lines.flatMap((line) => {
    const limits = limitsOf(toCheck.document, line);
    return limits === undefined ? [] : [{ pointer: line.pointer, limits }];
  });
  if (asked.length === 0) return [];
  const file = fileOf(toCheck.document);
  const scores = await readScores(toCheck, file);
  return asked.map(({ pointer, limits }) => ({ pointer, ...judge(limits, scores, file) }));
}

type Scores = ReadonlyMap<string, number> | { readonly failure: string };

function judge(limits: readonly Limit[], scores: Scores, file: string): Omit<LineVerdict, "pointer"> {
  if ("failure" in scores) return { verdict: "not_checked", reason: scores.failure };
  const missing = limits.filter(({ metric }) => !scores.has(metric)).map(({ metric }) => `'${metric}'`);
  if (missing.length > 0) {
    const known = [...scores.keys()].slice(0, maxShown).join(", ") || "none";
    return { verdict: "not_checked", reason: `${file} has no number ${missing.join(", ")}; it has ${known}.` };
  }
  const found = limits.map(({ metric, limit }) => ({ metric, limit, measured: measuredOf(metric, scores) }));
  const isKept = found.every(({ limit, measured: { value, unit } }) => {
    return isWithin(limit, { value, unit: limit.unit === undefined ? unit : "share" });
  });
  const told = found.map(({ metric, limit, measured: { value } }) => {
    const asked = `${limit.comparison === "at_most" ? "at most" : "at least"} ${limit.value}${limit.unit ? ` ${limit.unit}` : ""}`;
    return `${metric} is ${Number(value.toPrecision(6))}, asked for ${asked}.`;
  });
  const reason = `${told.join(" ")} The evaluation of the result wrote ${limits.length === 1 ? "it" : "them"} to ${file}.`;
  return { verdict: isKept ? "passed" : "failed", reason, measured: found.map(({ measured }) => measured) };
}

const maxShown = 12;
const maxBytes = 1024 * 1024;

function measuredOf(metric: string, scores: ReadonlyMap<string, number>): Measured {
  return { name: metric, value: scores.get(metric)!, unit: isScore(metric) ? "share" : "count" };
}

/** The numbers of the file, which are below `metrics` or at its top. */
async function readScores({ folder, signal }: ToCheck, file: string): Promise<Scores> {
  try {
    const read = await readProjectJson(folder, file, { maxBytes, signal });
    if (read === undefined)
      return {
        failure: `The build wrote no ${file}: let it write there what it measures, such as {"metrics":{"f1":0.9}}.`,
      };
    const { metrics } = read;
    const numbers = typeof metrics === "object" && metrics !== null ? (metrics as Json) : read;
    const isNumber = (entry: [string, unknown]): entry is [string, number] => Number.isFinite(entry[1]);
    return new Map(Object.entries(numbers).filter(isNumber));
  } catch (error) {
    if (error instanceof FileRefusal) return { failure: `${file} cannot be read: ${error.message}` };
    throw error;
  }
}

/** Where the document has the pipeline write what it measures. */
function fileOf(document: CompleteSpec): string {
  const { pipeline } = document as { pipeline?: { outputs?: { metrics?: unknown } } };
  const named = pipeline?.outputs?.metrics;
  return typeof named === "string" ? named : "reports/metrics.json";
}
