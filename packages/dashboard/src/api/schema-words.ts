import type { Schema } from "./description.ts";

const maxWords = 12;

/** What a value may be, in a few words: `string or null`, `list of objects`. */
export function typeWords(schema: Schema): string {
  const { $ref, anyOf, type, items } = schema;
  if ($ref !== undefined) return $ref.split("/").at(-1)!;
  if (schema.const !== undefined) return JSON.stringify(schema.const);
  if (schema.enum !== undefined) return listed(schema.enum.map((value) => JSON.stringify(value)));
  if (anyOf !== undefined) return [...new Set(anyOf.map(typeWords))].join(" or ");
  if (type === "array") return items === undefined ? "list" : `list of: ${typeWords(items)}`;
  const words = type === undefined ? "any value" : [type].flat().join(" or ");
  return schema.format === undefined ? words : `${words}, ${schema.format}`;
}

function listed(words: readonly string[]): string {
  return words.length <= maxWords ? words.join(" or ") : `${words.slice(0, maxWords).join(" or ")} or others`;
}

/** Within which limits a value lies, and what it is where nobody says. */
export function limitWords(schema: Schema): string {
  const { minimum, maximum, minLength, maxLength, minItems, maxItems, pattern } = schema;
  return [
    range(minimum, maximum, ""),
    range(minLength, maxLength, " characters"),
    range(minItems, maxItems, " items"),
    pattern === undefined ? "" : `matches ${pattern}`,
    schema.default === undefined ? "" : `default ${JSON.stringify(schema.default)}`,
  ]
    .filter((words) => words !== "")
    .join("; ");
}

function range(min: number | undefined, max: number | undefined, unit: string): string {
  if (min === undefined && max === undefined) return "";
  if (max === undefined) return `at least ${min}${unit}`;
  return min === undefined ? `at most ${max}${unit}` : `${min} to ${max}${unit}`;
}

/** The schemas below a value that have fields of their own: of itself, of its items, or of what it may be. */
export function fieldsOf(schema: Schema, schemas: Readonly<Record<string, Schema>>): readonly Schema[] {
  if (schema.$ref !== undefined) {
    const named = schemas[schema.$ref.split("/").at(-1)!];
    return named === undefined ? [] : fieldsOf(named, schemas);
  }
  if (schema.properties !== undefined) return [schema];
  if (schema.items !== undefined) return fieldsOf(schema.items, schemas);
  return (schema.anyOf ?? []).flatMap((one) => fieldsOf(one, schemas));
}
