import type { JsonSchema } from "../schema/shape.ts";
import type { ListNode, MapNode, Node, ScalarNode } from "../yaml/node.ts";
import { describeSchema, quote } from "./describe-value.ts";

/** Suggests a replacement for a value of the wrong type: what was probably meant, else the required type. */
export function remedyForType(schema: JsonSchema, node: Node): string {
  // A word such as "yes" more likely means a boolean than the only entry of a list.
  const choices = [...(schema.anyOf ?? [schema])].sort((a, b) => rank(a) - rank(b));
  const remedies = choices.map((choice) =>
    node.kind === "scalar" ? remedyForScalar(choice, node) : remedyForCollection(choice, node),
  );
  return remedies.find((remedy) => remedy !== undefined) ?? `Write ${describeSchema(schema)}.`;
}

/** Suggests a replacement for a number out of range. */
export function remedyForRange({ minimum, exclusiveMinimum, maximum }: JsonSchema, value: number): string {
  const isShare = minimum === 0 && maximum === 1;
  if (isShare && value > 1 && value <= 100) return `Write ${value / 100} for ${value} %.`;
  if (maximum !== undefined && value > maximum) return `Write ${maximum} or less.`;
  return exclusiveMinimum === undefined ? `Write ${minimum} or more.` : `Write more than ${exclusiveMinimum}.`;
}

/** Suggests a replacement for a string of the wrong form: a small change that fixes it, else an example. */
export function remedyForFormat(schema: JsonSchema, text: string, pattern: RegExp): string {
  const trimmed = text.trim();
  const withoutOrigin = trimmed.replace(/^https?:\/\/[^/]*/, "");
  const changed = [
    trimmed,
    withoutOrigin,
    trimmed.replace(/^\/+/, ""),
    `/${withoutOrigin}`,
    ...(/^[A-Z][A-Z0-9_]*$/.test(trimmed) ? [`{{secrets.${trimmed}}}`] : []),
    ...(trimmed.includes(".") ? [`https://${trimmed}`] : []),
    trimmed.toLowerCase().replaceAll(" ", "-"),
    trimmed.replace(/^v/, ""),
    `${trimmed}.0`,
    `${trimmed}:${trimmed}`,
  ];
  const mended =
    trimmed === "" ? undefined : changed.find((candidate) => candidate !== text && pattern.test(candidate));
  if (mended !== undefined) return `Write ${quote(mended)}.`;
  const example = schema.examples?.[0];
  return example === undefined
    ? `Write ${schema.patternErrorMessage ?? "a string of that form"}.`
    : `Write it like ${quote(String(example))}.`;
}

function rank(schema: JsonSchema): number {
  return schema.type === "boolean" ? 0 : 1;
}

function remedyForScalar(schema: JsonSchema, node: ScalarNode): string | undefined {
  const { value } = node;
  if (value === null) return remedyForNothing(schema, node);
  if (schema.enum !== undefined) return "Use one of them.";
  switch (schema.type) {
    case "boolean":
      return remedyForBoolean(value);
    case "number":
    case "integer":
      return remedyForNumber(schema, value);
    case "string":
      return typeof value === "string" ? undefined : remedyForText(schema, node.written ?? String(value));
    case "array":
      return remedyForList(schema, node);
    case "object":
      return remedyForMap(schema);
    case undefined:
      return undefined;
  }
}

function remedyForCollection(schema: JsonSchema, node: MapNode | ListNode): string | undefined {
  if (schema.enum !== undefined) return "Use one of them.";
  switch (schema.type) {
    case "string":
      return node.kind === "map"
        ? "Write a string. Quote it if it contains ': '."
        : "Write a single string, not a list.";
    case "array":
      return "Start each entry with '- '.";
    case "object":
      return "Write 'name: value' lines, without '- '.";
    case "boolean":
    case "number":
    case "integer":
    case undefined:
      return undefined;
  }
}

function remedyForNothing(schema: JsonSchema, { written }: ScalarNode): string {
  if (schema.type === "object") return "Write {} for an empty map.";
  if (schema.type === "array") return "Write [] for an empty list.";
  return written?.startsWith("#")
    ? `Quote it: ${quote(written)}. Without quotes, '#' starts a comment.`
    : "Write a value, or remove it.";
}

function remedyForBoolean(value: string | number | boolean): string | undefined {
  const word = String(value).toLowerCase();
  if (word === "true" || word === "false") return `Write ${word}, without quotes.`;
  if (["yes", "on", "y", "1"].includes(word)) return "Write true.";
  if (["no", "off", "n", "0"].includes(word)) return "Write false.";
  return undefined;
}

function remedyForNumber(schema: JsonSchema, value: string | number | boolean): string | undefined {
  const { minimum = -Infinity, maximum = Infinity } = schema;
  const [, digits, percent] = /^(-?\d+(?:\.\d+)?)\s*(%?)$/.exec(String(value).trim()) ?? [];
  const number = Number(digits);
  if (digits === undefined) return undefined;
  const isShare = minimum === 0 && maximum === 1;
  if (isShare && (percent === "%" || number > 1) && number <= 100) return `Write ${number / 100}.`;
  if (percent === "%" || number < minimum || number > maximum) return undefined;
  if (schema.type === "integer" && !Number.isInteger(number)) {
    return `Write ${Math.max(minimum, 1, Math.round(number))}.`;
  }
  return `Write ${number}, without quotes.`;
}

/** A number or word that should be a string: quotes fix it, unless it also has the wrong form. */
function remedyForText({ pattern, patternErrorMessage }: JsonSchema, written: string): string {
  const fits = pattern === undefined || new RegExp(pattern, "u").test(written);
  return fits ? `Quote it: "${written}".` : `Write ${patternErrorMessage ?? "a string of that form"}.`;
}

function remedyForMap({ properties, examples }: JsonSchema): string {
  const [key] = Object.keys(properties ?? (examples?.[0] as object | undefined) ?? {});
  return key === undefined ? "Write 'name: value' lines, indented below it." : `Write a map, such as { ${key}: … }.`;
}

/** A single value where a list is required: suggests the list that was probably meant. */
function remedyForList({ items }: JsonSchema, { value, written }: ScalarNode): string {
  if (items?.type !== "string") return "Start each entry with '- '.";
  const entries = typeof value === "string" ? value.split(",").map((part) => part.trim()) : [String(written ?? value)];
  return `Write a list: [${entries.filter(Boolean).slice(0, 5).map(quote).join(", ")}].`;
}
