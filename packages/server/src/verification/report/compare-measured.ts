import type { ReportedLine } from "@slipway/contract";
import type { Measured } from "../verdict.ts";

/** What was measured, beside what the run before had. */
export function compareMeasured(
  measured: readonly Measured[],
  /** Reports of earlier versions have none. */
  before: ReportedLine["measured"] = [],
): ReportedLine["measured"] {
  return measured.map(({ name, value, unit }) => {
    const same = before.find((other) => other.name === name && other.unit === unit);
    const previous = same?.value ?? null;
    // A share of nothing would be endless.
    const change = previous === null || previous === 0 ? null : round((value - previous) / Math.abs(previous));
    return { name, value: round(value), unit, previous, change };
  });
}

/** JSON has no infinity, also not that of a number times 10,000, and nobody reads fifteen digits. */
function round(value: number): number {
  if (!Number.isFinite(value)) return 0;
  return Number.isInteger(value) ? value : Math.round(value * 10_000) / 10_000;
}
