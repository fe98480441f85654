import { expect, test } from "vitest";
import { parseFields } from "../../src/agents/drivers/command/json-fields.ts";
import { isHugeJson, maxJsonDepth, parseJson } from "../../src/platform/bounded-json.ts";

const nested = (depth: number) => `${"[".repeat(depth)}${"]".repeat(depth)}`;

test("JSON of a stranger is read down to a depth, and not beyond", () => {
  expect(parseJson(nested(maxJsonDepth))).toBeDefined();
  expect(parseJson(nested(maxJsonDepth + 1))).toBeUndefined();
  expect(parseJson('{"a":')).toBeUndefined();
  expect(parseJson("null")).toEqual({ value: null });
  expect(parseFields(`{"a":${nested(maxJsonDepth)}}`)).toBeUndefined();
});

test.each(["[],", '{"a":1},', "1,", '"",', "[[[[]]]],", '{"":[]},', '{"":{"":{}}},'])(
  "a megabyte of %s is read, and tens of them are not",
  (part) => {
    const listOf = (bytes: number) => `[${part.repeat(bytes / part.length)}1]`;
    expect(parseJson(listOf(1024 * 1024))).toBeDefined();
    expect(parseJson(listOf(8 * 1024 * 1024))).toBeUndefined();
  },
);

test("a string may be as long as a file, whatever is in it", () => {
  for (const part of ["[],", '"', "\\", "\n\t", ":"]) {
    const text = JSON.stringify({ content: part.repeat(1_000_000) });
    expect(parseJson(text)).toEqual({ value: JSON.parse(text) });
  }
});

test("what stands in strings does not count", () => {
  const brackets = JSON.stringify({ text: `${"[{".repeat(1_000)}\\"\\` });
  expect(parseJson(brackets)).toEqual({ value: JSON.parse(brackets) });
});

test("millions of levels are not read to find out", () => {
  // Reading them takes seconds and a gigabyte, and cannot be interrupted.
  expect(isHugeJson(`{"method":"session/update","params":${nested(15_000_000)}}`)).toBe(true);
});
