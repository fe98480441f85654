/** An object of a report. */
export type Json = Readonly<Record<string, unknown>>;

const maxDurationMs = 24 * 3_600_000;

/** An object, or an empty one in the place of anything else: whoever wrote the report may have put anything there. */
export function objectIn(value: unknown): Json {
  return typeof value === "object" && value !== null ? (value as Json) : {};
}

export function listIn(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

/** A text or number as text; nothing for what cannot become one, or only by the methods that it brings itself. */
export function textIn(value: unknown): string {
  return typeof value === "string" || typeof value === "number" ? String(value) : "";
}

/** A duration that a test may have had. */
export function durationIn(milliseconds: unknown): number {
  if (typeof milliseconds !== "number" || !(milliseconds > 0)) return 0;
  return Math.min(maxDurationMs, Math.round(milliseconds));
}
