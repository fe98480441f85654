import { expect, test } from "vitest";
import { parseFields } from "../../src/agents/drivers/command/json-fields.ts";
import { isDeepJson, maxJsonDepth, parseJson } from "../../src/platform/bounded-json.ts";

const nested = (depth: number) => `${"[".repeat(depth)}${"]".repeat(depth)}`;

test("JSON of a stranger is read down to a depth, and not beyond", () => {
  expect(parseJson(nested(maxJsonDepth))).toBeDefined();
  expect(parseJson(nested(maxJsonDepth + 1))).toBeUndefined();
  expect(parseJson('{"a":')).toBeUndefined();
  expect(parseJson("null")).toEqual({ value: null });
  expect(parseFields(`{"a":${nested(maxJsonDepth)}}`)).toBeUndefined();
});

test("what stands in strings does not count", () => {
  const brackets = JSON.stringify({ text: `${"[{".repeat(1_000)}\\"\\` });
  expect(parseJson(brackets)).toEqual({ value: JSON.parse(brackets) });
});

test("millions of levels are not read to find out", () => {
  // Reading them takes seconds and a gigabyte, and cannot be interrupted.
  expect(isDeepJson(`{"method":"session/update","params":${nested(15_000_000)}}`)).toBe(true);
});
