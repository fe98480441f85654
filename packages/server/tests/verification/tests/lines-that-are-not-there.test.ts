import { expect, test } from "vitest";
import { coverageOfFiles } from "../../../src/verification/tests/code-coverage/coverage-of-file.ts";

test.each([
  ["\n", 3],
  ["\r\n", 3],
  ["\r", 3],
])("lines that a source does not have do not count, where its lines end with %j", (end, total) => {
  const text = ["const a = 1;", "if (a > 1) b();", "c();"].join(end);
  const numbers = [1, 2, 3, 4, 1_000, 0, -1, 1.5, Number.POSITIVE_INFINITY, Number.NaN, 2 ** 53];
  const lines = new Map(numbers.map((line) => [line, line === 2 ? 0 : 1]));
  const file = { path: "a.js", lines, functions: [] };
  const source = { path: "a.js", text, language: "javascript" } as const;
  const { files } = coverageOfFiles([{ source, file }], false);
  expect(files[0]?.lines).toEqual({ covered: total - 1, total });
});
