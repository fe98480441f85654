import type { PerformanceCheck, PerformanceLimit } from "@slipway/spec";
import type { Measured } from "../verdict.ts";

/** A measurement in one of the base units: `ms`, `bytes`, `per second`, `share` or none. */
export type Measurement = Omit<Measured, "name">;

const factors: Readonly<Record<string, { readonly unit: Measurement["unit"]; readonly factor: number }>> = {
  ms: { unit: "ms", factor: 1 },
  s: { unit: "ms", factor: 1000 },
  sec: { unit: "ms", factor: 1000 },
  seconds: { unit: "ms", factor: 1000 },
  minutes: { unit: "ms", factor: 60_000 },
  kb: { unit: "bytes", factor: 1024 },
  mb: { unit: "bytes", factor: 1024 ** 2 },
  gb: { unit: "bytes", factor: 1024 ** 3 },
  rps: { unit: "per second", factor: 1 },
  "req/s": { unit: "per second", factor: 1 },
  "per second": { unit: "per second", factor: 1 },
  "%": { unit: "share", factor: 0.01 },
  percent: { unit: "share", factor: 0.01 },
};

/** A number in its base unit; undefined for a unit that nobody here knows. */
export function inBaseUnit(value: number, unit: string): Measurement | undefined {
  const name = unit.toLowerCase();
  const known = Object.hasOwn(factors, name) ? factors[name] : undefined;
  return known && { value: value * known.factor, unit: known.unit };
}

/** The limit in the measurement's unit; undefined if they do not fit together. */
export function limitIn({ value, unit }: PerformanceLimit, measured: Measurement["unit"]): number | undefined {
  if (unit === undefined) return value;
  const limit = inBaseUnit(value, unit);
  return limit?.unit === measured ? limit.value : undefined;
}

/** Whether a measurement keeps to its limit; with a unit that does not fit, it does not. */
export function isWithin(limit: PerformanceLimit, { value, unit }: Measurement): boolean {
  const bound = limitIn(limit, unit);
  if (bound === undefined) return false;
  return limit.comparison === "at_most" ? value <= bound : value >= bound;
}

/** `response_time_p95_ms: measured 12 ms, allowed at most 150 ms.` */
export function describeMeasurement(
  { metric, limit }: Pick<PerformanceCheck, "metric" | "limit">,
  measured: Measurement,
) {
  const asked = `${limit.comparison === "at_most" ? "at most" : "at least"} ${limit.value} ${limit.unit ?? ""}`.trim();
  return `${metric}: measured ${show(measured)}, asked for ${asked}.`;
}

function show({ value, unit }: Measurement): string {
  switch (unit) {
    case "ms":
      return `${round(value)} ms`;
    case "bytes":
      return `${round(value / 1024 ** 2)} MB`;
    case "per second":
      return `${round(value)} a second`;
    case "share":
      return `${round(value * 100)} %`;
    case "count":
      return String(round(value));
  }
}

function round(value: number): number {
  return value >= 100 ? Math.round(value) : Math.round(value * 100) / 100;
}
