import type { JsonSchema } from "./shape.ts";

type Parts = Readonly<Record<string, JsonSchema>>;

/** The parts that stand in several places of these schemas, each by the path of the first: maps, and what is large. */
export function repeatedParts(schemas: Parts): Parts {
  const seen = new Map<unknown, { readonly name: string; readonly schema: JsonSchema; isRepeated: boolean }>();
  const visit = (schema: JsonSchema, name: string): void => {
    // Copies with another description or default share the properties.
    const part = schema.properties ?? schema;
    const known = seen.get(part);
    // What is inside stands there as often as this does, and is defined with it.
    if (known !== undefined) {
      known.isRepeated = true;
      return;
    }
    seen.set(part, { name, schema, isRepeated: false });
    for (const [key, inner] of Object.entries(schema.properties ?? {})) visit(inner, `${name}.${key}`);
    for (const inner of [schema.items, schema.additionalProperties, ...(schema.anyOf ?? [])])
      if (inner !== undefined) visit(inner, name);
  };
  for (const [type, schema] of Object.entries(schemas)) visit(schema, type);
  const parts: Record<string, JsonSchema> = {};
  for (const { name, schema, isRepeated } of seen.values())
    if (isRepeated && isWorthIt(schema)) parts[freeName(name, parts)] = schema;
  return parts;
}

const minLength = 300;

/** A reference to what is short would be as long. */
function isWorthIt(schema: JsonSchema): boolean {
  return schema.properties !== undefined || JSON.stringify(schema).length > minLength;
}

function freeName(name: string, taken: Parts): string {
  return Object.hasOwn(taken, name) ? freeName(`${name}.more`, taken) : name;
}
