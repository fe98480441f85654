import { describe, expect, test } from "vitest";
import { findImports } from "../../../src/verification/tests/code-coverage/find-imports.ts";
import { readSourceLines } from "../../../src/verification/tests/code-coverage/source-lines.ts";
import { ImportedFiles } from "../../../src/verification/tests/imported-files.ts";
import { testProject } from "../../support/verification/test-project.ts";

// A source that no test loads counts by its look. Each of these looked like no code at all.

const code = "export function never(a) {\n  return a * 2;\n}\n";
const read = (path: string, text: string) => readSourceLines({ path, text, language: "javascript" });

describe("code is not hidden", () => {
  test.each([
    ["by a comment before each line", code.replace(/^/gm, "/**/ "), [1, 2, 3]],
    ["by a comment before the first line", `/* checked */ "use strict"; // yes\n${code}`, [1, 2, 3, 4]],
    ["by the beginning of a comment in a text", `const text = \`\n/*\`;\n${code}`, [1, 2, 3, 4, 5]],
    ["by a comment that ends within a line", `/*\n * Told.\n */ const a = 1;\n${code}`, [3, 4, 5, 6]],
    ["by what no parser understands", `/* told */ @@\n${code}`, [1, 2, 3, 4]],
  ])("%s", (_, text, lines) => {
    expect(read("a.js", text)).toMatchObject({ code: lines, isEmpty: false });
  });

  test.each([
    ";function never() { }",
    "export default (a: number) => a * 2;",
    "(globalThis as any).never = (a: number): number => a * 2;",
    "switch (1 as number) { }",
    'import "./other.ts";',
  ])("in TypeScript: %s", (text) => {
    expect(read("a.ts", `${text}\n`).isEmpty).toBe(false);
  });

  test.each(["go", "rust"] as const)("in other languages: %s", (language) => {
    const text = "/**/ one()\n/* a\n b */ two()\n/* c */ /* d */ // e\n// f\n";
    expect(readSourceLines({ path: "a", text, language }).code).toEqual([1, 3]);
  });
});

test.each([
  [
    "on several lines",
    "/*\n istanbul\n ignore\n next\n */\nexport const f =\n  (a) => {\n    return a;\n  };\n",
    [6, 7, 8, 9],
  ],
  ["after a thousand blanks", `${" ".repeat(1_000)}/* istanbul ignore next */\nexport function f() {\n}\n`, [2, 3]],
  ["inside of a line", "export const f = /* c8 ignore next */ () => {\n  return 1;\n};\n", [1, 2, 3]],
  ["by another name", "/* node:coverage ignore start */\nf();\n/* istanbul ignore stop */\ng();\n", [2]],
  [
    "within others",
    "/* c8 ignore start */\nf();\n/* c8 ignore next */\ng();\nh();\n/* c8 ignore stop */\ni();\n",
    [2, 4, 5],
  ],
  ["to the end", "/* c8 ignore next */\nf();\ng();\n/* c8 ignore start */\nh();\n", [2, 5]],
  ["with a number", "/* v8 ignore next 2 */\nf();\ng();\nh();\n", [2, 3]],
  ["for the whole file", "f();\n/* c8 ignore next */\ng();\n/* node:coverage ignore file */\nh();\n", [1, 3, 5]],
])("what a comment asks coverage to look away from is found: %s", (_, text, lines) => {
  const { code, hidden } = read("a.js", text);
  expect(code.filter((one) => hidden.has(one))).toEqual(lines);
});

test("comments and types are no code", () => {
  expect(read("a.js", "/* one\n * two\n */\n// three\n\n")).toMatchObject({ code: [], isEmpty: true });
  const types = `import type { A } from "./a.ts";
import { B } from "./b.ts";
export * from "./c.ts";
/** Told. */
export interface D extends A { readonly b: B; add(a: number): number; }
export type { A };
declare const e: number;
declare global { interface Window { readonly f: number } }
export default interface G { readonly g: typeof e }
`;
  expect(read("a.ts", types).isEmpty).toBe(true);
});

test("a source behind such a comment counts for the coverage", { tags: "long" }, async () => {
  const files = {
    "package.json": JSON.stringify({ type: "module", scripts: { test: "node --test" } }),
    "src/a.js": "export const a = () => 1;\n",
    "src/b.js": `/* checked */ "use strict"; // yes\n${code}`,
    "test/a.test.js": `import assert from "node:assert";
import { test } from "node:test";
import { a } from "../src/a.js";
test("a", () => assert.equal(a(), 1));
`,
  };
  const { verdicts } = await testProject(files, { guardrails: { min_test_coverage: 0.9 } });
  expect(verdicts["/guardrails/min_test_coverage"]).toMatchObject({
    verdict: "failed",
    reason: expect.stringContaining("no test loads src/b.js"),
  });
});

test("code in folders of tools counts for no coverage, and the verdict says so", async () => {
  const files = {
    "package.json": JSON.stringify({ type: "module", scripts: { test: "node --test" } }),
    "src/add.js": "export const add = (a, b) => a + b;\n",
    "vendor/all.js": code,
    "public/app.min.js": code,
    "dist/types.d.ts": "export declare const a: number;\n",
    "node_modules/other/index.js": code,
    "test/a.test.js":
      'import assert from "node:assert";\nimport test from "node:test";\nimport { add } from "../src/add.js";\ntest("adds", () => assert.equal(add(1, 2), 3));\n',
  };
  const { verdicts } = await testProject(files, { guardrails: { min_test_coverage: 0.9 } });
  expect(verdicts["/guardrails/min_test_coverage"]).toMatchObject({
    verdict: "passed",
    reason: expect.stringMatching(/; not counted: public\/app\.min\.js, vendor\/all\.js\.$/),
  });
});

test("code that the software takes from where tests and settings are counts for the coverage", {
  tags: "long",
}, async () => {
  const files = {
    "package.json": JSON.stringify({ type: "module", scripts: { test: "node --test" } }),
    "src/add.js": 'import { all } from "../test/support/all";\nexport const add = (a, b) => a + b;\nexport { all };\n',
    "test/support/all.ts": `import "./more.config.js";\n${code}`,
    "test/support/more.config.js": code,
    "test/support/helper.js": code,
    "test/a.test.js":
      'import assert from "node:assert";\nimport test from "node:test";\ntest("adds", () => assert.equal(1 + 2, 3));\n',
  };
  const { verdicts } = await testProject(files, { guardrails: { min_test_coverage: 0.9 } });
  expect(verdicts["/guardrails/min_test_coverage"]).toMatchObject({
    verdict: "failed",
    reason: expect.stringMatching(
      /no test loads src\/add\.js, test\/support\/all\.ts, test\/support\/more\.config\.js/,
    ),
  });
});

test.each([
  [
    "javascript",
    'import a from "../../test/a.js"; require ( `./b` ); new URL("../c.mjs", x); f("../../test/told.js")',
    ["test/a.ts", "src/app/b/index.cjs", "src/c.mjs"],
  ],
  [
    "python",
    "from tests.a import (b as c, d\nimport tests.e, sys\n  from ..test import f\nfrom . import g",
    ["tests/a.py", "src/tests/a/d.py", "tests/e/__init__.py", "src/test/f.py", "src/app/g.py"],
  ],
  ["go", 'import (\n\t"fmt"\n\t"example.com/shop/test/stock"\n)', ["test/stock/a.go", "test/stock/b.go"]],
  ["rust", '#[path = "../../tests/a.rs"]\nmod a;\ninclude!("b.rs");', ["tests/a.rs", "src/app/b.rs"]],
] as const)("what a source of %s takes from elsewhere is found", async (language, text, taken) => {
  const others = ["test/told.js", "tests/other.py", "test/stock/a_test.go", "test/a.go", "tests/b.rs", "tests/sys.txt"];
  const all = [...others, ...taken, "src/app/main"];
  const imported = new ImportedFiles({ all, tests: [], sources: ["src/app/main"] });
  const imports = findImports({ path: "src/app/main", text, language });
  expect((await imported.take(imports)).toSorted()).toEqual([...taken].sort());
  expect(await imported.take(imports)).toEqual([]);
});

test("a source that is made to be searched for long is not", () => {
  const hostile = ["import(", "from ", "import\t", '"./', "from . import a,", 'URL  (  "../', '"a/'].map((text) =>
    text.repeat(20_000),
  );
  for (const language of ["javascript", "python", "go", "rust"] as const)
    for (const text of hostile) expect(findImports({ path: "a", text, language }).length).toBeLessThan(2_100);
});
