/** Free-form keys hold any value: these functions return it if it has the right type, else a fallback. */

export type Fields = Readonly<Record<string, unknown>>;

export function fieldsOf(value: unknown): Fields {
  return typeof value === "object" && value !== null && !Array.isArray(value) ? (value as Fields) : {};
}

export function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

export function textsOf(value: unknown): readonly string[] {
  return (typeof value === "string" ? [value] : listOf(value)).filter((text) => typeof text === "string");
}

export function textOf(value: unknown, fallback: string): string {
  return typeof value === "string" && value.trim() !== "" ? value : fallback;
}

/** The number, clamped to the limits. */
function numberOf(value: unknown, fallback: number, { min = -1e12, max = 1e12 } = {}): number {
  const number = typeof value === "number" && Number.isFinite(value) ? value : fallback;
  return Math.min(max, Math.max(min, number));
}

export function wholeOf(value: unknown, fallback: number, limits: { min?: number; max?: number } = {}): number {
  return Math.round(numberOf(value, fallback, limits));
}
