import type { JsonSchema } from "../schema/shape.ts";
import type { Node } from "../yaml/node.ts";

/** Describes a value for a message: short, and without control characters. */
export function describeValue(node: Node): string {
  switch (node.kind) {
    case "map":
      return "a map";
    case "list":
      return "a list";
    case "scalar":
      if (node.value === null) return "an empty value";
      if (typeof node.value === "string") return `the string ${quote(node.value)}`;
      return typeof node.value === "number" ? `the number ${node.written ?? node.value}` : `${node.value}`;
  }
}

/** Quotes a string, shortened, with control characters escaped. */
export function quote(text: string): string {
  const short = text.length > 60 ? `${text.slice(0, 59)}…` : text;
  return JSON.stringify(short);
}

/** Describes in words what a schema requires. */
export function describeSchema(schema: JsonSchema): string {
  if (schema.anyOf !== undefined) return joinWords([...new Set(schema.anyOf.map(describeSchema))], "or");
  if (schema.enum !== undefined) return `one of ${schema.enum.filter((word) => typeof word === "string").join(", ")}`;
  if (schema.type === undefined) return "a value";
  switch (schema.type) {
    case "string":
      return "a string";
    case "number":
      return `a number${describeRange(schema)}`;
    case "integer":
      return `a whole number${describeRange(schema)}`;
    case "boolean":
      return "true or false";
    case "array":
      return "a list";
    case "object":
      return "a map";
  }
}

export function describeRange({ minimum, maximum, exclusiveMinimum }: JsonSchema): string {
  if (minimum !== undefined && maximum !== undefined) return ` from ${minimum} to ${maximum}`;
  if (exclusiveMinimum !== undefined)
    return ` above ${exclusiveMinimum}${maximum === undefined ? "" : `, up to ${maximum}`}`;
  if (minimum !== undefined) return ` of at least ${minimum}`;
  return maximum === undefined ? "" : ` of at most ${maximum}`;
}

export function joinWords(words: readonly string[], last: "and" | "or"): string {
  return words.length < 2 ? words.join("") : `${words.slice(0, -1).join(", ")} ${last} ${words.at(-1)}`;
}
