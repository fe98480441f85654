import { describe, expect, test } from "vitest";
import { describe as describeApi, type OpenApi, search } from "../src/api/description.ts";
import { fieldsOf, limitWords, typeWords } from "../src/api/schema-words.ts";

describe("a type in words", () => {
  test.each([
    [{ type: "string", format: "date-time" }, "string, date-time"],
    [{ anyOf: [{ type: "string" }, { type: "null" }] }, "string or null"],
    [{ type: ["integer", "null"] }, "integer or null"],
    [{ type: "array", items: { enum: ["a", "b"] } }, 'list of: "a" or "b"'],
    [{ $ref: "#/components/schemas/Problem" }, "Problem"],
    [{ const: "ok" }, '"ok"'],
    [{}, "any value"],
  ])("%j is %j", (schema, words) => {
    expect(typeWords(schema)).toBe(words);
  });

  test("has its limits beside it", () => {
    expect(limitWords({ minLength: 1, maxLength: 9, default: "x" })).toBe('1 to 9 characters; default "x"');
    expect(limitWords({ minimum: 1 })).toBe("at least 1");
    expect(limitWords({ type: "string" })).toBe("");
  });

  test("has the fields of what a list or a choice may contain", () => {
    const named = { properties: { a: { type: "string" } } };
    const schemas = { Named: named };
    expect(fieldsOf({ type: "array", items: { anyOf: [{ $ref: "#/x/Named" }, { type: "null" }] } }, schemas)).toEqual([
      named,
    ]);
    expect(fieldsOf({ $ref: "#/x/Gone" }, schemas)).toEqual([]);
  });
});

test("each endpoint is listed once, and found by its path, summary or name", () => {
  const one = { operationId: "listThings", tags: ["Things"], summary: "List all", responses: {} };
  const api: OpenApi = {
    info: { version: "1", description: "" },
    tags: [{ name: "Things" }, { name: "Empty" }],
    paths: {
      "/api/v1/things": { get: one },
      "/v1/things": { get: { ...one, operationId: "listThingsAlias" } },
    },
    components: { schemas: {} },
  };
  const { groups } = describeApi(api);
  expect(groups.flatMap(({ operations }) => operations.map(({ path }) => path))).toEqual(["/api/v1/things"]);
  expect(search(groups, "  LIST all ").map(({ name }) => name)).toEqual(["Things"]);
  expect(search(groups, "nothing")).toEqual([]);
});
