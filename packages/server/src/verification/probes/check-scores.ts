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
import type { LineVerdict } from "../verdict.ts";
import { isMeasured } from "./check-performance.ts";
import { inBaseUnit, isWithin, limitIn, type Measurement } from "./compare-limit.ts";

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
  const found = limits.map((one) => ({ ...one, score: scores.get(one.metric)!, measured: measurementOf(one, scores) }));
  const isBroken = found.some(({ limit, measured }) => measured !== undefined && !isWithin(limit, measured));
  const unclear = found.find(({ measured }) => measured === undefined);
  const told = found.map(({ metric, limit, score }) => {
    const asked = `${limit.comparison === "at_most" ? "at most" : "at least"} ${limit.value}${limit.unit ? ` ${limit.unit}` : ""}`;
    return `${metric} is ${Number(score.toPrecision(6))}, asked for ${asked}.`;
  });
  const written = `${told.join(" ")} The evaluation of the result wrote ${limits.length === 1 ? "it" : "them"} to ${file}.`;
  const isOpen = unclear !== undefined && !isBroken;
  return {
    verdict: isBroken ? "failed" : isOpen ? "not_checked" : "passed",
    reason: isOpen ? `${written} ${whyUnclear(unclear)}` : written,
    measured: found.flatMap(({ metric, measured }) => (measured === undefined ? [] : [{ name: metric, ...measured }])),
  };
}

const maxShown = 12;
const maxBytes = 1024 * 1024;

/** A score in a unit that its limit has, too; undefined where nobody knows how the two compare. */
function measurementOf({ metric, limit }: Limit, scores: ReadonlyMap<string, number>): Measurement | undefined {
  const value = scores.get(metric)!;
  const measured = inUnitOf(metric, limit, value);
  const isComparable = measured !== undefined && limitIn(limit, measured.unit) !== undefined;
  return isComparable ? measured : undefined;
}

function inUnitOf(metric: string, limit: PerformanceLimit, value: number): Measurement | undefined {
  const named = unitOfName(metric);
  if (named !== undefined) return inBaseUnit(value, named);
  const isShare = value <= 1;
  if (limit.unit !== undefined) {
    if (isShare) return { value, unit: "share" };
    // More than all: whoever wrote a score counts in percent. Of others, nobody knows.
    return isScore(metric) ? { value: value / 100, unit: "share" } : undefined;
  }
  if (!isScore(metric) || (!isShare && limit.value > 1)) return { value, unit: "count" };
  return isShare && limit.value <= 1 ? { value, unit: "share" } : undefined;
}

function whyUnclear({ metric }: Limit): string {
  if (isScore(metric) && unitOfName(metric) === undefined)
    return `${metric} is a share, from 0 to 1: let it be written so, or the limit in percent.`;
  return `Nobody knows in which unit ${metric} is: let its name end with one, such as ${metric}_seconds, and the limit have one that fits.`;
}

function unitOfName(metric: string): string | undefined {
  return parsePerformanceLimit(metric, 0)?.unit;
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
