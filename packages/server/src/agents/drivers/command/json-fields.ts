import { parseJson } from "../../../platform/bounded-json.ts";

/** An object of untrusted JSON: any field may be missing or of any type. */
export type Fields = Readonly<Record<string, unknown>>;

/** The object in a line; undefined if the line is not a JSON object. */
export function parseFields(line: string): Fields | undefined {
  if (!line.startsWith("{")) return undefined;
  return parseJson(line)?.value as Fields | undefined;
}

export function fieldsOf(value: unknown): Fields {
  return typeof value === "object" && value !== null && !Array.isArray(value) ? (value as Fields) : {};
}

export function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

/** A text that is not blank. */
export function textOf(value: unknown): string | undefined {
  return typeof value === "string" && value.trim() !== "" ? value : undefined;
}

export function countOf(value: unknown): number {
  return typeof value === "number" && Number.isFinite(value) && value > 0 ? Math.round(value) : 0;
}

/** Undefined for 0, which tools report when they do not know the model's price. */
export function costOf(value: unknown): number | undefined {
  return typeof value === "number" && Number.isFinite(value) && value > 0 ? value : undefined;
}
