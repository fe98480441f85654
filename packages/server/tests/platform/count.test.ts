import { expect, test } from "vitest";
import { count } from "../../src/platform/count.ts";

test("one is told as one, and none like many", () => {
  expect([0, 1, 2].map((number) => count(number, "problem"))).toEqual(["0 problems", "1 problem", "2 problems"]);
  expect([1, 3].map((number) => count(number, "entry", "entries"))).toEqual(["1 entry", "3 entries"]);
});
