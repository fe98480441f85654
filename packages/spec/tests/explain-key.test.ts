import { describe, expect, test } from "vitest";
import { explainKey, type JsonSchema, vocabularies } from "../src/index.ts";
import { sampleTypes } from "./support/sample-types.ts";

const explain = (query: string) => explainKey(query, sampleTypes);
const pathsOf = (query: string) => explain(query).found.map(({ path }) => path);

describe("a key is found", () => {
  test.for([
    ["data_model", ["data_model"]],
    ["data_model.fields.type", ["data_model.<name>.fields.<name>.type"]],
    ["data_model.issue.fields.title.type", ["data_model.<name>.fields.<name>.type"]],
    ["data_model.<name>.fields.<name>.type", ["data_model.<name>.fields.<name>.type"]],
    ["/data_model/issue/fields/title/type", ["data_model.<name>.fields.<name>.type"]],
    ["acceptance.http_endpoints[0].path", ["acceptance.http_endpoints[].path"]],
    ["acceptance.http_endpoints", ["acceptance.http_endpoints"]],
    ["environments.production.requires_approval", ["environments.<name>.requires_approval"]],
  ] as const)("by %s", ([query, paths]) => {
    expect(pathsOf(query)).toEqual(paths);
  });

  test("by its name alone, wherever it stands", () => {
    expect(pathsOf("page_size")).toEqual(["page_size"]);
    expect(pathsOf("form")).toEqual(["pages[].form"]);
    expect(pathsOf("coverage_threshold")).toContain("acceptance.tests[].coverage_threshold");
  });
});

test("types that say the same of a key are named together", () => {
  const [found] = explain("data_model").found;
  expect(found).toMatchObject({ outcomeTypes: ["api", "web-app"], isRequired: false, value: "a map" });
  expect(found?.keys.map(({ key }) => key)).toEqual(["fields"]);
});

test("an explanation has everything that the page has", () => {
  expect(explain("data_model.fields.type").found[0]).toMatchObject({
    description: "What the field holds.",
    isRequired: true,
    default: "string",
    words: [{ word: "string", meaning: "A short text." }, { word: "enum" }, { word: "integer" }],
  });
  expect(explain("page_size").found[0]).toMatchObject({ outcomeTypes: ["api"], example: 50, default: 20 });
});

test("an outcome type is explained by its keys", () => {
  const [found] = explain("web-app").found;
  expect(found?.keys.map(({ key }) => key)).toEqual(["data_model", "pages"]);
});

test("for an unknown key, what may be meant is suggested", () => {
  expect(explain("data_model.fields.tpye")).toEqual({
    found: [],
    suggestions: ["data_model.<name>.fields.<name>.type"],
  });
  expect(explain("data_modle").suggestions).toEqual(["data_model"]);
  expect(explain("acceptance.http_endpoint").suggestions).toEqual(["acceptance.http_endpoints"]);
  expect(explain("zebra")).toEqual({ found: [], suggestions: [] });
  expect(explain("")).toEqual({ found: [], suggestions: [] });
});

test("every key of every built-in type is found by its path", () => {
  for (const [type, { properties = {} }] of Object.entries<JsonSchema>(vocabularies))
    for (const key of Object.keys(properties))
      expect(explainKey(key).found.some((one) => one.outcomeTypes.includes(type))).toBe(true);
});
