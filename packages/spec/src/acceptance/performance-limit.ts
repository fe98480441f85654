/** A limit for a measurement. */
export interface PerformanceLimit {
  readonly comparison: "at_most" | "at_least";
  readonly value: number;
  /** As written, or from the end of the metric's name; undefined for a plain ratio or count. */
  readonly unit?: string;
}

/**
 * Parses a limit: a number whose metric's name implies unit and direction, or a string such as `< 200 ms`. Undefined
 * for anything else that documents write there.
 */
export function parsePerformanceLimit(metric: string, limit: unknown): PerformanceLimit | undefined {
  if (typeof limit === "number") return withUnit(direction(metric), limit, unitOfName(metric));
  if (typeof limit !== "string") return undefined;
  const match = /^(<=?|>=?|≤|≥)?\s*(\d+(?:\.\d+)?)\s*([a-zA-Z%/]+)?$/.exec(limit.trim());
  if (match === null) return undefined;
  const [, sign, value = "", unit] = match;
  const comparison = sign === undefined ? direction(metric) : /[>≥]/.test(sign) ? "at_least" : "at_most";
  return withUnit(comparison, Number(value), unit ?? unitOfName(metric));
}

function withUnit(
  comparison: PerformanceLimit["comparison"],
  value: number,
  unit: string | undefined,
): PerformanceLimit {
  return { comparison, value, ...(unit !== undefined && { unit }) };
}

/** For most metrics smaller is better; for rates, scores and minimums larger is better. */
function direction(metric: string): PerformanceLimit["comparison"] {
  const moreIsBetter =
    /(^|_)(min|rps|throughput|score|availability|uptime|per_second|per_minute|fps|ops|concurrent\w*)(_|$)/;
  return moreIsBetter.test(metric) || isScore(metric) ? "at_least" : "at_most";
}

/** Whether a metric says how good a model is, from 0 to 1. */
export function isScore(metric: string): boolean {
  return /(^|_)(accuracy|precision|recall|f1|auc|r2|sensitivity|specificity)(_|$)/.test(metric);
}

function unitOfName(metric: string): string | undefined {
  if (/_per_second$|(^|_)rps$/.test(metric)) return "per second";
  return /_(ms|seconds|minutes|kb|mb|gb|percent)$/.exec(metric)?.[1];
}

/** What the built-in pipelines measure of a model, whatever its label is. */
export const knownScores: readonly string[] = [
  ...["accuracy", "balanced_accuracy", "precision", "recall", "f1", "roc_auc", "log_loss"],
  ...["r2", "mae", "rmse"],
];
