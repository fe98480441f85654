import { expect, test } from "vitest";
import { lastLine } from "../../src/platform/one-line.ts";

test.for([
  ["Error: Cannot find module 'x'\n\u001b[39m\u001b[22m\n", "Error: Cannot find module 'x'"],
  ["one\ntwo\n", "two"],
  ["it broke\n \t\n\u001b[0m\n\0\n", "it broke"],
  ["\u001b[0m\n\n", ""],
  ["", ""],
] as const)("of %j the last line that says anything is %j", ([output, line]) => {
  expect(lastLine(output)).toBe(line);
});
