import { expect, test } from "vitest";
import { causeLine } from "../../src/platform/cause-line.ts";

test.for([
  [
    "node:internal/x\n  throw e;\n\nError [ERR_UNKNOWN]: No such built-in module: node:sqlite\n    at a\n\nNode.js v20.1.0\n",
    "It said: Error [ERR_UNKNOWN]: No such built-in module: node:sqlite",
  ],
  ["Traceback:\n  File x\nValueError: no port\n", "Last output: ValueError: no port"],
  ["error: first\nerror: second\nmake: *** [all] Error 2", "It said: error: first"],
  ["npm error code 1\nTypeError: a is no function\nnpm error path /x", "It said: TypeError: a is no function"],
  ["all went well\n0 errors: none", "Last output: 0 errors: none"],
  ["", ""],
] as const)("of %j the cause is %j", ([output, cause]) => {
  expect(causeLine(output, 300)).toBe(cause);
});
