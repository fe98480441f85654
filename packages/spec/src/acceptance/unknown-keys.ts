import type { JsonSchema } from "../schema/shape.ts";

interface UnknownKey {
  readonly place: readonly (string | number)[];
  readonly value: unknown;
}

/** The keys at and below a value that its schema does not know. Those named `x-…` are the author's own. */
export function unknownKeys(
  schema: JsonSchema | undefined,
  value: unknown,
  at: readonly (string | number)[],
): readonly UnknownKey[] {
  if (schema === undefined || typeof value !== "object" || value === null) return [];
  const choices = schema.anyOf ?? [schema];
  if (Array.isArray(value)) {
    const items = choices.find(({ type }) => type === "array")?.items;
    return value.flatMap((item, index) => unknownKeys(items, item, [...at, index]));
  }
  const known = choices.find(({ properties }) => properties !== undefined)?.properties;
  if (known === undefined) return [];
  return Object.entries(value).flatMap(([key, inner]) => {
    if (Object.hasOwn(known, key)) return unknownKeys(known[key], inner, [...at, key]);
    return key.startsWith("x-") || inner === undefined ? [] : [{ place: [...at, key], value: inner }];
  });
}
