import { Ajv2020 } from "ajv/dist/2020.js";
import { describe, expect, test } from "vitest";
import { isDocumentKey, isKeyOfEach, type JsonSchema, vocabularies } from "../src/index.ts";
import { outcomeTypePages } from "../tools/outcome-type-reference.ts";
import { sampleTypes } from "./support/sample-types.ts";

const ajv = new Ajv2020({ strict: false });

describe.for(Object.entries<JsonSchema>(vocabularies))("the vocabulary of %s", ([, schema]) => {
  const keys = keysIn(schema);

  test("describes every key", () => {
    expect(keys.filter(([, { description }]) => !description?.trim()).map(([path]) => path)).toEqual([]);
  });

  test("has something to copy for every key: an example, a word, a default, or parts that have", () => {
    expect(keys.filter(([, property]) => !canBeCopied(property)).map(([path]) => path)).toEqual([]);
  });

  test("has only examples and defaults that it allows itself", () => {
    const wrong = keys.flatMap(([path, { default: value, ...property }]) => {
      const isValid = ajv.compile(property);
      const written = [...(property.examples ?? []), ...(value === undefined ? [] : [value])];
      return written.filter((one) => !isValid(one)).map((one) => `${path}: ${JSON.stringify(one)}`);
    });
    expect(wrong).toEqual([]);
  });

  test("explains every word of a closed list", () => {
    const unexplained = keys.filter(
      ([, { enum: words = [], enumDescriptions = [] }]) => words.length !== enumDescriptions.filter(Boolean).length,
    );
    expect(unexplained.map(([path]) => path)).toEqual([]);
  });

  test("takes no key that every document has", () => {
    // But for keys of each service and environment.
    const { services, environments, ...own } = schema.properties ?? {};
    expect(Object.keys(own).filter(isDocumentKey)).toEqual([]);
    const keysOf = (map: JsonSchema | undefined) => Object.keys(map?.additionalProperties?.properties ?? {});
    expect(keysOf(services).filter((key) => isKeyOfEach("services", key))).toEqual([]);
    expect(keysOf(environments).filter((key) => isKeyOfEach("environments", key))).toEqual([]);
  });
});

test("a type's page shows each key with its example as somebody would write it", () => {
  const page = outcomeTypePages(sampleTypes)["docs/reference/outcome-types/web-app.md"];
  expect(page).toContain("## `pages`");
  expect(page).toContain("```yaml\npages:\n  - /\n  - /about\n```");
  expect(page).toContain("### `data_model.<name>.fields.<name>`");
  expect(page).toContain("It is required.");
  expect(page).toMatch(/`enum`: One of `values`\./);
});

test("the list of types names the keys of each", () => {
  const page = outcomeTypePages(sampleTypes)["docs/reference/outcome-types/README.md"];
  expect(page).toContain("| [`api`](api.md) | An HTTP service. | `data_model`, `page_size` |");
});

test("a key without anything to copy is found", () => {
  const bare: JsonSchema = { type: "object", properties: { a: { type: "string", description: "A." } } };
  expect(keysIn(bare).filter(([, property]) => !canBeCopied(property))).toHaveLength(1);
});

/** Every key at any depth, with its path. */
function keysIn(schema: JsonSchema, path = ""): [string, JsonSchema][] {
  const own = Object.entries(schema.properties ?? {}).flatMap(([key, property]): [string, JsonSchema][] => {
    const at = path === "" ? key : `${path}.${key}`;
    return [[at, property], ...keysIn(property, at)];
  });
  const parts = [schema.items, schema.additionalProperties, ...(schema.anyOf ?? [])];
  return [...own, ...parts.flatMap((part) => (part === undefined ? [] : keysIn(part, path)))];
}

function canBeCopied(schema: JsonSchema): boolean {
  if (schema.examples !== undefined && schema.examples.length > 0) return true;
  if (schema.enum !== undefined || schema.type === "boolean" || schema.default !== undefined) return true;
  if (schema["x-slipway-same-as"] !== undefined) return true;
  // What is inside is looked at by itself.
  if (Object.keys(schema.properties ?? {}).length > 0) return true;
  const parts = [schema.items, schema.additionalProperties, ...(schema.anyOf ?? [])];
  return parts.some((part) => part !== undefined && canBeCopied(part));
}
