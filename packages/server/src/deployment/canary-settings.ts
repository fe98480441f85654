import type { CompleteSpec } from "@slipway/spec";

/** How a canary goes: its share of the requests, for how long, and what ends it. */
export interface CanarySettings {
  readonly percent: number;
  readonly minutes: number;
  readonly maxErrorRate: number;
  readonly maxP99Ms?: number;
  readonly minRequests: number;
}

const usual = { percent: 10, minutes: 5, maxErrorRate: 0.05, minRequests: 20 } as const;

/** As `deployment.canary` says; numbers that it does not give, or that make no sense, are the usual ones. */
export function canaryOf({ deployment }: Pick<CompleteSpec, "deployment">): CanarySettings {
  const given = typeof deployment?.canary === "object" ? (deployment.canary as Record<string, unknown>) : {};
  const criteria = typeof given["success_criteria"] === "object" ? given["success_criteria"] : null;
  const said = { ...given, ...criteria } as Record<string, unknown>;
  const maxP99Ms = numberOf(said, ["max_p99_ms", "p99_ms"], 0, 3_600_000);
  return {
    percent: numberOf(said, ["percent", "traffic_percent", "percentage"], 0.1, 99) ?? usual.percent,
    minutes: numberOf(said, ["minutes", "duration_minutes"], 0, 1440) ?? usual.minutes,
    maxErrorRate: numberOf(said, ["max_error_rate", "error_rate"], 0, 1) ?? usual.maxErrorRate,
    ...(maxP99Ms !== undefined && { maxP99Ms }),
    minRequests: numberOf(said, ["min_requests"], 1, 1_000_000) ?? usual.minRequests,
  };
}

function numberOf(
  said: Readonly<Record<string, unknown>>,
  names: readonly string[],
  min: number,
  max: number,
): number | undefined {
  const value = names.map((name) => said[name]).find((one) => typeof one === "number");
  return typeof value === "number" && value >= min && value <= max ? value : undefined;
}
