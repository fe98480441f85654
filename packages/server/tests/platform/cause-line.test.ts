import { expect, test } from "vitest";
import { causeLine, causeOf } from "../../src/platform/cause-line.ts";
import { sentence } from "../../src/platform/sentence.ts";

test.for([
  [
    "node:internal/x\n  throw e;\n\nError [ERR_UNKNOWN]: No such built-in module: node:sqlite\n    at a\n\nNode.js v20.1.0\n",
    "It said: Error [ERR_UNKNOWN]: No such built-in module: node:sqlite",
  ],
  ["Traceback:\n  File x\nValueError: no port\n", "Last output: ValueError: no port"],
  ["error: first\nerror: second\nmake: *** [all] Error 2", "It said: error: first"],
  ["npm error code 1\nTypeError: a is no function\nnpm error path /x", "It said: TypeError: a is no function"],
  ["all went well\n0 errors: none", "Last output: 0 errors: none"],
  ["usage: x [-h]\nx: error: no file: a.csv\n", "Last output: x: error: no file: a.csv"],
  ["it broke\n    at f (x.js:1)\n\nNode.js v24.0.0\n}\n", "It said: it broke"],
  ["", ""],
] as const)("of %j the cause is %j", ([output, cause]) => {
  expect(causeLine(output, 300)).toBe(cause);
});

test("of a command the first failed test is told, else how standard error begins", () => {
  const said = (output: string, stderr = "") => causeOf({ output, stderr }, 100);
  expect(said("✖ failing tests:\n✖ adds two (1 ms)\n✖ adds three\n")).toBe("It said: ✖ adds two (1 ms)");
  expect(
    said("/lost/ leads nowhere\n1 problem\n27 files\n", "npm warn Unknown env\n/lost/ leads nowhere\n1 problem\n"),
  ).toBe("It said: /lost/ leads nowhere");
  expect(said("one file\nno compiler\n", "no compiler\n")).toBe("Last output: no compiler");
  expect(said("")).toBe("");
});

test.for([
  ["it broke", "it broke."],
  ["it said: no. ", "it said: no."],
  ["it said 'no.'", "it said 'no.'"],
  ["it said: a long…", "it said: a long…"],
])("%j as a sentence is %j", ([text, expected]) => {
  expect(sentence(text!)).toBe(expected);
});

test.for([" ", "\t", "}", "} "])(
  "of lines of %j the cause is found in time that grows with their length alone",
  (sign) => {
    const line = (length: number) => `it broke\n${sign.repeat(length / sign.length)}x`;
    const msOf = (length: number) => {
      const before = process.threadCpuUsage();
      for (let done = 0; done < 64 * 1024; done += length) causeOf({ output: line(length), stderr: line(length) }, 500);
      const { user } = process.threadCpuUsage(before);
      return user / 1_000;
    };
    msOf(1_024);
    // Quadratic time would be 64 times as much.
    expect(msOf(64 * 1024)).toBeLessThan(16 * Math.max(1, msOf(1_024)));
  },
);

test("lines of control characters say nothing", () => {
  const controls = "\u001b\n\u001b\n";
  expect(causeOf({ output: controls, stderr: controls }, 500)).toBe("");
});
