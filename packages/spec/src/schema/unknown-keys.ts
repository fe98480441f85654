import type { JsonSchema } from "./shape.ts";

/** A key of a document that its schema does not list. */
export interface UnknownKey {
  readonly place: readonly (string | number)[];
  readonly value: unknown;
  /** The keys that the map may have. */
  readonly known: readonly string[];
}

/**
 * The keys at and below a value that its schema does not know. A map is open, and tells nothing, if its schema lists no
 * keys or says that others are welcome. Keys named `x-…` are the author's own, here and in other formats.
 */
export function unknownKeys(
  schema: JsonSchema | undefined,
  value: unknown,
  at: UnknownKey["place"] = [],
): readonly UnknownKey[] {
  if (schema === undefined || typeof value !== "object" || value === null) return [];
  const choices = schema.anyOf ?? [schema];
  if (choices.some(({ type }) => type === undefined)) return [];
  if (Array.isArray(value)) {
    const items = choices.find(({ type }) => type === "array")?.items;
    return value.flatMap((item, index) => unknownKeys(items, item, [...at, index]));
  }
  const maps = choices.filter(({ type }) => type === "object");
  const others = maps.find(({ additionalProperties }) => additionalProperties !== undefined)?.additionalProperties;
  const properties: NonNullable<JsonSchema["properties"]> = Object.assign({}, ...maps.map((map) => map.properties));
  const known = Object.keys(properties);
  const isOpen = maps.some((map) => map.properties === undefined || map["x-slipway-others"] === "yours");
  return Object.entries(value).flatMap(([key, inner]) => {
    const place = [...at, key];
    const schemaOfKey = Object.hasOwn(properties, key) ? properties[key] : others;
    // What a block of checks does not list becomes a line of its own, which the report speaks of.
    if (schemaOfKey?.["x-slipway-others"] === "checks") return [];
    if (schemaOfKey !== undefined) return unknownKeys(schemaOfKey, inner, place);
    return isOpen || maps.length === 0 || key.startsWith("x-") || inner === undefined
      ? []
      : [{ place, value: inner, known }];
  });
}
