import { expect, test } from "vitest";
import { stringify } from "yaml";
import { type JsonSchema, parseSpec, vocabularies } from "../src/index.ts";

/** What is said about a document of this type with these keys: line, column, and the remedy. */
function findings(keys: object): (readonly [number, number, string | undefined])[] {
  const base = { spec_version: "1.0.0", id: "a", name: "A", description: "B", outcome_type: "api" };
  const text = stringify({ ...keys, ...base, stack: {}, acceptance: {} });
  return parseSpec(text).diagnostics.map(({ line, column, suggestion }) => [line, column, suggestion] as const);
}

test("misspelled keys and types of a data model are found, with what was meant", () => {
  expect(findings({ data_modle: {} })).toEqual([[1, 1, "Did you mean 'data_model'?"]]);
  const room = { pth: "/rooms", fields: { name: "strng", floor: { type: "enmu", requird: true } } };
  expect(findings({ data_model: { room } })).toEqual([
    [3, 5, "Did you mean 'path'?"],
    [5, 13, "Did you mean 'string'?"],
    [7, 15, "Did you mean 'enum'?"],
    [8, 9, "Did you mean 'required'?"],
  ]);
});

test("rules, access and accounts are checked like every other key", () => {
  const room = { rules: [{ no_overlap: "from" }], access: { raed: "admin" } };
  expect(findings({ data_model: { room } }).map(([, , remedy]) => remedy)).toEqual([
    'Write a list: ["from"].',
    "Did you mean 'read'?",
  ]);
  expect(findings({ auth: { scheme: "beerer", protects: ["export"] } }).map(([, , remedy]) => remedy)).toEqual([
    "Did you mean 'bearer'?",
    'Write "/export".',
  ]);
});

test("a service of a document has a data model of the same kind", () => {
  const services = { desk: { data_model: { room: { fields: { name: "strng" } } } } };
  expect(findings({ services }).map(([, , remedy]) => remedy)).toEqual(["Did you mean 'string'?"]);
});

test("every key of a service is described, with an example", () => {
  const bare: string[] = [];
  const look = (schema: JsonSchema, path: string): void => {
    const inner = [schema.additionalProperties, schema.items, ...(schema.anyOf ?? [])].filter(
      (one) => one !== undefined,
    );
    for (const one of inner) look(one, path);
    for (const [key, property] of Object.entries(schema.properties ?? {})) look(property, `${path}.${key}`);
    const isLeaf = inner.length === 0 && schema.properties === undefined;
    if (schema.description === undefined || (isLeaf && schema.examples === undefined)) bare.push(path);
  };
  look(vocabularies.api, "api");
  expect(bare).toEqual([]);
});
