import type { JsonSchema } from "./shape.ts";

type Parts = Readonly<Record<string, JsonSchema>>;

/** The maps with known keys that stand in several places of these schemas, each by the path of the first. */
export function repeatedParts(schemas: Parts): Parts {
  const seen = new Map<unknown, { readonly name: string; readonly schema: JsonSchema; isRepeated: boolean }>();
  const visit = (schema: JsonSchema, name: string): void => {
    if (schema.properties !== undefined) {
      const known = seen.get(schema.properties);
      // What is inside stands there as often as this does, and is defined with it.
      if (known !== undefined) {
        known.isRepeated = true;
        return;
      }
      seen.set(schema.properties, { name, schema, isRepeated: false });
    }
    for (const [key, inner] of Object.entries(schema.properties ?? {})) visit(inner, `${name}.${key}`);
    for (const inner of [schema.items, schema.additionalProperties, ...(schema.anyOf ?? [])])
      if (inner !== undefined) visit(inner, name);
  };
  for (const [type, schema] of Object.entries(schemas)) visit(schema, type);
  const parts: Record<string, JsonSchema> = {};
  for (const { name, schema, isRepeated } of seen.values()) if (isRepeated) parts[freeName(name, parts)] = schema;
  return parts;
}

function freeName(name: string, taken: Parts): string {
  return Object.hasOwn(taken, name) ? freeName(`${name}.more`, taken) : name;
}
