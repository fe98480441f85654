/** Keys that a document's author made up hold anything: these take what is of the right kind, and a fallback for the rest. */

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

/** A number inside the limits; one outside is brought to the nearest. */
export function numberOf(value: unknown, fallback: number, { min = -1e12, max = 1e12 } = {}): number {
  const number = typeof value === "number" && Number.isFinite(value) ? value : fallback;
  return Math.min(max, Math.max(min, number));
}

export function wholeOf(value: unknown, fallback: number, limits: { min?: number; max?: number } = {}): number {
  return Math.round(numberOf(value, fallback, limits));
}

/** A colour of CSS in digits; nothing for whatever else a document calls one. */
export function colourOf(value: unknown): string | undefined {
  return typeof value === "string" && /^#(?:[\da-f]{3}|[\da-f]{6})$/i.test(value) ? value.toLowerCase() : undefined;
}
