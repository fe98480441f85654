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
  // The place, as Node, Python, Rust and compilers tell it.
  [
    "/p/src/a.js:12\nlet { = 1;\n    ^\n\nSyntaxError: Unexpected token '='\n    at x\n\nNode.js v24",
    "It said: SyntaxError: Unexpected token '=' (src/a.js:12)",
  ],
  [
    "TypeError: a is no function\n    at f (/p/src/a.js:3:5)\n    at g\n",
    "It said: TypeError: a is no function (src/a.js:3:5)",
  ],
  [
    'Traceback:\n  File "/p/a.py", line 3, in f\n    b()\nValueError: no port',
    "Last output: ValueError: no port (a.py:3)",
  ],
  [
    "error[E0277]: cannot multiply\n  --> src/lib.rs:3:20\n   |",
    "It said: error[E0277]: cannot multiply (src/lib.rs:3:20)",
  ],
  [
    "# example.com/units\n./units.go:3:5: undefined: b\n./units.go:4:5: undefined: c",
    "It said: ./units.go:3:5: undefined: b",
  ],
  ["a.c:1:2: warning: unused\na.c:3:4: error: no b", "Last output: a.c:3:4: error: no b"],
  // What npm says of itself is the reason where nothing else is.
  [
    'npm error Missing script: "build"\nnpm error\nnpm error A complete log of this run can be found in: /x',
    'It said: npm error Missing script: "build"',
  ],
  [
    "npm error code EUSAGE\nnpm error\nnpm error Out of sync.\nnpm error A complete log",
    "It said: npm error Out of sync.",
  ],
  ["\n> a@1.0.0 build\n> node b.js\n\nno b\nnpm error code 1\n", "It said: no b"],
  // What only says that something before it failed.
  [
    "tar (child): a.tgz: Cannot open: No such file or directory\ntar (child): Error is not recoverable: exiting now\ntar: Child returned status 2\ntar: Error is not recoverable: exiting now\n",
    "It said: tar (child): a.tgz: Cannot open: No such file or directory",
  ],
  [
    "\ngzip: stdin: not in gzip format\ntar: Child returned status 1\ntar: Error is not recoverable: exiting now",
    "It said: gzip: stdin: not in gzip format",
  ],
  [
    "tar: a: Cannot stat: No such file or directory\ntar: Exiting with failure status due to previous errors",
    "It said: tar: a: Cannot stat: No such file or directory",
  ],
  [
    "make[1]: Entering directory '/p/a'\ncp b c\ncp: cannot stat 'b': No such file or directory\nmake[1]: *** [Makefile:2: all] Error 1\nmake[1]: Leaving directory '/p/a'\nmake: *** [Makefile:5: a] Error 2",
    "It said: cp: cannot stat 'b': No such file or directory",
  ],
  [
    "/usr/bin/ld: a.o: in function `main':\na.c:(.text+0x5): undefined reference to `b'\ncollect2: error: ld returned 1 exit status\nninja: build stopped: subcommand failed.",
    "It said: a.c:(.text+0x5): undefined reference to `b'",
  ],
  ["make: *** No rule to make target 'a'.  Stop.", "Last output: make: *** No rule to make target 'a'. Stop."],
  ["make: *** [Makefile:2: all] Error 1", "Last output: make: *** [Makefile:2: all] Error 1"],
  ["./run\nmake: *** [Makefile:2: all] Killed", "Last output: make: *** [Makefile:2: all] Killed"],
  [
    "CMake Error at CMakeLists.txt:3 (message):\n  No compiler.\n\n\n-- Configuring incomplete, errors occurred!",
    "It said: CMake Error at CMakeLists.txt:3 (message): No compiler.",
  ],
  ["", ""],
] as const)("of %j the cause is %j", ([output, cause]) => {
  expect(causeLine(output, 300, "/p")).toBe(cause);
});

test("of a command the first failed test is told, else how standard error begins", () => {
  const said = (output: string, stderr = "") => causeOf({ output, stderr }, 100);
  expect(said("✖ failing tests:\n✖ adds two (1 ms)\n✖ adds three\n")).toBe("It said: ✖ adds two (1 ms)");
  expect(
    said("/lost/ leads nowhere\n1 problem\n27 files\n", "npm warn Unknown env\n/lost/ leads nowhere\n1 problem\n"),
  ).toBe("It said: /lost/ leads nowhere");
  expect(said("one file\nno compiler\n", "no compiler\n")).toBe("Last output: no compiler");
  // What is printed without an end of its line comes last, whenever it was printed.
  expect(said("no route\nHOME PATH ", "no route\n")).toBe("It said: no route");
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
