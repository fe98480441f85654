import type { JsonSchema } from "../schema/shape.ts";
import type { Node } from "../yaml/node.ts";
import { quote } from "./describe-value.ts";

/** What to write instead of a value of the wrong type, where what was meant can be told. */
export function remedyForType(schema: JsonSchema, node: Node): string | undefined {
  const value = node.kind === "scalar" ? node.value : undefined;
  if (value === null) return remedyForNothing(schema);
  switch (schema.type) {
    case "boolean":
      return remedyForBoolean(value);
    case "number":
    case "integer":
      if (typeof value === "string" && value.trim() !== "" && Number.isFinite(Number(value)))
        return `Write ${Number(value)}, without quotes.`;
      return remedyForPercent(value) ?? remedyForInteger(schema, value);
    case "string":
      if (value === undefined || typeof value === "string") return undefined;
      return schema.patternErrorMessage === undefined
        ? `Put it in quotes: "${node.kind === "scalar" ? (node.written ?? value) : value}".`
        : `Write ${schema.patternErrorMessage}.`;
    case "array":
      if (typeof value === "string") return `Write a list: [${quote(value)}].`;
      return value !== undefined
        ? `Write a list: [${value}].`
        : node.kind === "map"
          ? "Start each entry with '- '."
          : undefined;
    case "object":
      return node.kind === "list" ? "Write 'name: value' lines, without '- '." : undefined;
    case undefined:
      return undefined;
  }
}

/** What to write instead of a number out of range, where what was meant can be told. */
export function remedyForRange(schema: JsonSchema, value: number): string | undefined {
  const isShare = schema.minimum === 0 && schema.maximum === 1;
  if (isShare && value > 1 && value <= 100) return `Write ${value / 100} for ${value} %.`;
  return undefined;
}

/** What to write instead of a text of the wrong form: a small change that mends it, else an example. */
export function remedyForFormat(schema: JsonSchema, text: string, pattern: RegExp): string | undefined {
  const trimmed = text.trim();
  const changed = [trimmed, `/${trimmed}`, `https://${trimmed}`, trimmed.toLowerCase(), trimmed.replaceAll(" ", "-")];
  const mended = changed.find((candidate) => candidate !== text && pattern.test(candidate)) ?? schema.examples?.[0];
  return mended === undefined ? undefined : `Write ${quote(String(mended))}.`;
}

function remedyForNothing(schema: JsonSchema): string {
  if (schema.type === "object") return "Write {} for an empty map, or remove the key.";
  if (schema.type === "array") return "Write [] for an empty list, or remove the key.";
  return "Write a value, or remove the key.";
}

function remedyForBoolean(value: unknown): string | undefined {
  if (typeof value !== "string") return value === 1 ? "Write true." : value === 0 ? "Write false." : undefined;
  const word = value.toLowerCase();
  if (["yes", "on", "true", "y"].includes(word)) return "Write true, without quotes.";
  if (["no", "off", "false", "n"].includes(word)) return "Write false, without quotes.";
  return undefined;
}

function remedyForPercent(value: unknown): string | undefined {
  const percent = typeof value === "string" ? /^(\d+(?:\.\d+)?)\s*%$/.exec(value)?.[1] : undefined;
  return percent === undefined ? undefined : `Write ${Number(percent) / 100}.`;
}

function remedyForInteger(schema: JsonSchema, value: unknown): string | undefined {
  const isFraction = schema.type === "integer" && typeof value === "number" && Number.isFinite(value);
  return isFraction ? `Write ${Math.max(1, Math.round(value))}.` : undefined;
}
