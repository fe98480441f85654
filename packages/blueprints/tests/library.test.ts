// @module-tag soak
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { parse } from "yaml";
import { catalogue } from "../src/types/library/catalogue.ts";
import {
  type Built,
  buildDocument,
  documentOf,
  expectSameBytes,
  readExample,
  unmetOf,
  writeOut,
} from "./support/build-document.ts";
import { testWithCoverage } from "./support/coverage.ts";
import { expectWellFormed, expectWellFormedWith, replaceTexts } from "./support/hostile-texts.ts";
import { expectTestsPass, runIn } from "./support/run-project.ts";

const example = await readExample("library");
const tsc = new URL("../../../node_modules/.bin/tsc", import.meta.url).pathname;

const libraryDocument = (fields: Record<string, unknown>) =>
  documentOf("library", { id: "small-library", name: "Small library", description: "Functions.", ...fields });

function pointersOf(built: Built) {
  return unmetOf(built).map(({ pointer }) => pointer);
}

test("the example becomes a typed package that others import", async () => {
  const built = await buildDocument(example);
  expect(unmetOf(built)).toEqual([]);
  const folder = await writeOut(built);
  expect((await runIn(folder, built.scripts["build"]!)).stdout).toContain("9 exports, all typed and documented.");
  const run = (code: string) => runIn(folder, `node --input-type=module -e '${code}'`);
  const other = await run(
    `import { truncate, editDistance } from "plainwords"; console.log(truncate("The rain in Spain", 9), editDistance("book", "back"));`,
  );
  expect(other.stdout).toBe("The rain… 2\n");
});

test("every function of the catalogue is sound, typed and tested, also in TypeScript", { tags: "long" }, async () => {
  const functions = [...catalogue().keys()].map((name) => ({ name }));
  expect(functions.length).toBeGreaterThan(30);
  const built = await buildDocument(libraryDocument({ api_design: { functions } }));
  expect(unmetOf(built)).toEqual([]);
  const folder = await writeOut(built);
  expect((await testWithCoverage(folder)).coverage).toBeGreaterThanOrEqual(0.95);
  const declared = await runIn(folder, `${tsc} --noEmit --strict --target es2022 --types '' types/index.d.ts`);
  expect(declared.exitCode, declared.stdout).toBe(0);
  const typed = await buildDocument(libraryDocument({ stack: { language: "typescript" }, api_design: { functions } }));
  const other = await writeOut(typed);
  const compiled = await runIn(other, `${tsc} -p . && npm run build`);
  expect(compiled.exitCode, compiled.stdout + compiled.stderr).toBe(0);
});

const numbers = { name: "values", type: "number[]" };

const statistics = libraryDocument({
  stack: { language: "typescript" },
  api_design: {
    package: "plainstats",
    functions: [
      {
        name: "mean",
        parameters: [numbers],
        returns: "number",
        throws: [{ error: "TypeError", when: "count(values) == 0", message: "values must not be empty" }],
        examples: [
          { args: [[0.1, 0.2]], returns: 0.15 },
          { args: [[]], throws: "TypeError" },
        ],
      },
      {
        name: "median",
        parameters: [numbers],
        examples: [
          { args: [[4, 1, 3, 2]], returns: 2.5 },
          { args: [[]], throws: "RangeError" },
        ],
      },
      {
        name: "variance",
        parameters: [numbers],
        examples: [
          { args: [[1, 3]], returns: 2 },
          { args: [[2, 4, 6]], returns: 4 },
          { args: [[1]], throws: "RangeError" },
        ],
      },
      {
        name: "quantile",
        parameters: [numbers, { name: "q", type: "number", minimum: 0, maximum: 1 }],
        examples: [
          { args: [[1, 2, 3, 4], 0.5], returns: 2.5 },
          { args: [[1, 2, 3, 4, 5], 0.25], returns: 2 },
          { args: [[1], 1.5], throws: "RangeError" },
        ],
      },
      {
        name: "correlation",
        parameters: [
          { name: "xs", type: "number[]" },
          { name: "ys", type: "number[]" },
        ],
        returns: "number",
        examples: [
          {
            args: [
              [1, 2, 3],
              [2, 4, 6],
            ],
            returns: 1,
          },
          {
            args: [
              [1, 2, 3],
              [3, 2, 1],
            ],
            returns: -1,
          },
        ],
      },
      {
        name: "histogram",
        parameters: [numbers, { name: "bins", type: "integer" }],
        returns: { type: "number[]" },
        examples: [
          { args: [[1, 2, 3, 4], 2], returns: [2, 2] },
          { args: [[1, 1, 1, 9], 4], returns: [3, 0, 0, 1] },
        ],
      },
      {
        name: "spread",
        parameters: [numbers],
        returns: "number",
        examples: [
          { args: [[1, 3, 9]], returns: 8 },
          { args: [[2, 2]], returns: 0 },
          { args: [[-5, 0, 1]], returns: 6 },
        ],
      },
      {
        name: "zScore",
        parameters: [{ name: "x", type: "number" }, numbers],
        result: "(x - mean(values)) / standard_deviation(values)",
        examples: [{ args: [5, [1, 3, 5]], returns: 1 }],
      },
    ],
  },
});

test("a statistics library in TypeScript is TypeScript, built by names, expressions and examples", {
  tags: "long",
}, async () => {
  const built = await buildDocument(statistics);
  expect(unmetOf(built)).toEqual([]);
  const folder = await writeOut(built);
  const tested = await runIn(folder, `${tsc} -p . && npm run build && npm test -- --experimental-test-coverage`);
  expect(tested.exitCode, tested.stdout + tested.stderr).toBe(0);
  // The tools are code of the project, too, and a limit of coverage counts them.
  for (const tool of ["build", "check"]) expect(tested.stdout).toMatch(new RegExp(`${tool}\\.js\\s+\\|\\s+100\\.00`));
  expect(built.files.get("src/spread.ts")!.text).toContain("calculate.largest(values) - calculate.smallest(values)");
  const code = `import * as s from "plainstats"; console.log(s.spread([4, 10]), s.quantile([1, 2, 3], 0.75), s.histogram([1, 2, 9], 2));
    for (const act of [() => s.mean([]), () => s.quantile([1], 2), () => s.correlation([1], [1, 2])])
      try { act(); } catch (error) { console.log(error.name, error.message); }`;
  expect((await runIn(folder, `node --input-type=module -e '${code}'`)).stdout).toBe(
    "6 2.5 [ 2, 1 ]\nTypeError values must not be empty\nRangeError q must be at most 1\n" +
      "RangeError two lists of the same length, of at least two numbers, are needed\n",
  );
});

test("the same library in Python is Python", { tags: "long" }, async () => {
  const document = JSON.parse(statistics);
  const [first] = document.api_design.functions;
  first.summary = 'ends """ with \\ and "';
  const named = { name: "sum", parameters: [numbers], examples: [{ args: [[1, 2]], returns: 3 }] };
  document.api_design.functions.push(named, { ...named, name: "lambda" });
  const built = await buildDocument(JSON.stringify({ ...document, stack: { language: "python" } }));
  expect(pointersOf(built)).toEqual(["/api_design/functions/9"]);
  const folder = await writeOut(built);
  const tested = await runIn(folder, `${built.scripts["build"]} && ${built.scripts["test"]}`);
  expect(tested.exitCode, tested.stdout + tested.stderr).toBe(0);
  const code =
    "import plainstats as s; print(s.spread([4, 10]), s.quantile([1, 2, 3], 0.75), s.histogram([1, 2, 9], 2))";
  expect((await runIn(folder, `python3 -c '${code}'`)).stdout).toBe("6 2.5 [2, 1]\n");
});

test("what examples leave open, or contradict, is not built and not exported", async () => {
  const one = (name: string, examples: readonly unknown[], more = {}) => ({
    name,
    parameters: [{ name: "x", type: "number" }],
    returns: "number",
    examples,
    ...more,
  });
  const built = await buildDocument(
    libraryDocument({
      api_design: {
        functions: [
          one("twice", [
            { args: [2], returns: 4 },
            { args: [0], returns: 0 },
          ]),
          one("double", [
            { args: [2], returns: 4 },
            { args: [3], returns: 6 },
          ]),
          one("magic", [
            { args: [1], returns: 17 },
            { args: [2], returns: -4 },
            { args: [3], returns: 99 },
          ]),
          one("single", [{ args: [1], returns: 2 }]),
          one("half", [{ args: [4], returns: 3 }], { result: "x / 2" }),
          one("typed", [{ args: [4], returns: 3 }], { result: "upper(x)" }),
        ],
      },
    }),
  );
  const unmet = Object.fromEntries(unmetOf(built).map(({ pointer, reason }) => [pointer.split("/").at(-1), reason]));
  expect(Object.keys(unmet)).toEqual(["0", "2", "3", "4", "5"]);
  expect(unmet["0"]).toContain("The examples fit both x + x and x * x");
  expect(unmet["3"]).toContain("at least 2 examples");
  expect(unmet["4"]).toContain("not what the example with 4 says");
  expect(built.files.get("src/index.js")!.text).toBe('export { double } from "./double.js";\n');
  expect(built.files.get("src/double.js")!.text).toContain("return x + x;");
});

test("a meaning of a name is chosen by its examples, with the document's parameters, defaults and limits", async () => {
  const built = await buildDocument(
    libraryDocument({
      api_design: {
        package: "@acme/words",
        functions: [
          {
            name: "truncate",
            parameters: [
              { name: "s", type: "string" },
              { name: "n", type: "integer" },
            ],
            examples: [{ args: ["one two three", 7], returns: "one ..." }],
          },
          {
            name: "pluralize",
            parameters: [
              { name: "word", type: "string" },
              { name: "many", type: "number" },
            ],
            examples: [{ args: ["day", 2], returns: "days" }],
          },
          {
            name: "chunk",
            parameters: [
              { name: "items", type: "array" },
              { name: "size", type: "integer", default: 2, minimum: 1, maximum: 3 },
            ],
            throws: [{ error: "RangeError", when: "size == 13" }],
            examples: [{ args: [[1, 2, 3]], returns: [[1, 2], [3]] }],
          },
        ],
      },
    }),
  );
  expect(unmetOf(built)).toEqual([]);
  expect(built.files.get("src/truncate.js")!.text).toContain("function truncate(s, n) {");
  const folder = await writeOut(built);
  expect((await testWithCoverage(folder)).coverage).toBeGreaterThanOrEqual(0.85);
  const code = `import { chunk } from "@acme/words"; try { chunk([1], 4); } catch (error) { console.log(error.message); }`;
  expect((await runIn(folder, `node --input-type=module -e '${code}'`)).stdout).toBe("size must be at most 3\n");
});

test("what is not known, or contradicts an example, is reported and has no test", async () => {
  const built = await buildDocument(
    libraryDocument({
      stack: { language: "ruby" },
      api_design: {
        classes: [{ name: "Parser" }],
        functions: [
          {
            name: "frobnicate",
            parameters: [{ name: "x", type: "Widget | null" }],
            examples: [{ args: [1], returns: 2 }],
          },
          { name: "slugify", examples: [{ args: ["a b"], returns: "B A" }] },
          { name: "reverse", parameters: [{ name: "list", type: "number[]" }] },
          {
            name: "clamp",
            throws: [
              { error: "TypeError", when: "it rains" },
              { error: "Weather", when: "1 == 1" },
            ],
          },
          { name: "no name" },
        ],
      },
      acceptance: { bundle_size: 4, http_endpoints: [{ path: "/" }] },
    }),
  );
  expect(pointersOf(built).toSorted()).toEqual([
    "/acceptance/bundle_size",
    "/acceptance/http_endpoints/0",
    "/api_design/classes",
    "/api_design/functions/0",
    "/api_design/functions/1",
    "/api_design/functions/2",
    "/api_design/functions/3/throws/0",
    "/api_design/functions/3/throws/1",
    "/api_design/functions/4",
    "/stack/language",
  ]);
  expect(built.files.get("README.md")!.text).toContain("## Not built");
  for (const [path, { text }] of built.files) {
    expect(text, path).not.toMatch(/NotBuilt|test\.todo/);
    if (path !== "README.md") expect(text, path).not.toMatch(/B A|frobnicate/);
  }
  const folder = await writeOut(built);
  const tested = await runIn(folder, "npm run build && npm test");
  expect(tested.exitCode, tested.stdout + tested.stderr).toBe(0);
  expect(tested.stdout).toMatch(/todo 0/);
});

test("a function without examples is tested by its expression, or said to be untested", { tags: "long" }, async () => {
  const functions = [
    {
      name: "range",
      parameters: [{ name: "values", type: "number[]" }],
      result: "max(values) - min(values)",
      throws: [{ error: "RangeError", when: "count(values) == 0" }],
    },
    { name: "era", parameters: [{ name: "day", type: "string" }], result: "if(day < text(today()), 'past', 'now')" },
  ];
  for (const language of ["typescript", "python"]) {
    const built = await buildDocument(libraryDocument({ stack: { language }, api_design: { functions } }));
    const renamed = { pointer: "/api_design/functions/0/throws/0", reason: "Python says ValueError for RangeError." };
    expect(unmetOf(built)).toEqual([
      ...(language === "python" ? [renamed] : []),
      { pointer: "/api_design/functions/1", reason: "Nothing tests it: give it 'examples'." },
    ]);
    const folder = await writeOut(built);
    const test = () => runIn(folder, `${built.scripts["build"]} && ${built.scripts["test"]}`);
    const passed = await test();
    expect(passed.exitCode, passed.stdout + passed.stderr).toBe(0);
    const path = [...built.files.keys()].find((name) => /^(?:src\/range\.ts|\w+\/functions\.py)$/.test(name))!;
    const source = built.files.get(path)!.text;
    // Of another length: Python takes a file of the same second and size for the one it has compiled.
    await writeFile(join(folder, path), source.replace(" - calculate.", " + 1 - calculate."));
    expect((await test()).exitCode).not.toBe(0);
  }
});

test("changing only what acceptance expects leaves every byte of the result the same", async () => {
  const command = `node --input-type=module -e 'import { clamp } from "other"; console.log(clamp(9, 0, 5))'`;
  const document = parse(example);
  const acceptance = { ...document.acceptance, commands: [{ command, stdout_contains: "8" }, "node examples/tour.js"] };
  const other = await buildDocument(JSON.stringify({ ...document, acceptance }));
  expect(other.files).toEqual((await buildDocument(example)).files);
});

test("an example that would take long is not tried, so that no clock decides what is built", async () => {
  const slow = [
    { name: "range", examples: [{ args: [0, 1e9], returns: [] }] },
    { name: "isPrime", examples: [{ args: [9007199254740881], returns: true }] },
    { name: "editDistance", examples: [{ args: ["a".repeat(3000), "b".repeat(3000)], returns: 3000 }] },
  ];
  const built = await buildDocument(libraryDocument({ api_design: { functions: slow } }));
  expect(pointersOf(built)).toEqual([0, 1, 2].map((index) => `/api_design/functions/${index}`));
});

test("the same document gives the same bytes, in whatever order its tasks are done", async () => {
  const tasks = [{ title: "slugs" }, { title: "plurals" }, { title: "the rest", depends_on: ["slugs"] }];
  for (const text of [example, JSON.stringify({ ...parse(example), tasks })]) await expectSameBytes(text);
});

test("a mistake in the library makes its own tests fail", async () => {
  const folder = await writeOut(await buildDocument(example));
  const file = join(folder, "src/edit-distance.js");
  const text = await readFile(file, "utf8");
  expect(text).toContain("? 0 : 1");
  await writeFile(file, text.replace("? 0 : 1", "? 0 : 2"));
  expect((await runIn(folder, "node --test test/edit-distance.test.js")).exitCode).not.toBe(0);
  await writeFile(file, text);
  expect((await runIn(folder, "node --test test/edit-distance.test.js")).exitCode).toBe(0);
});

test("whatever texts a document holds, its library is well formed", async () => {
  const document = parse(example);
  await expectWellFormedWith(
    (_, choose) => {
      const api_design = replaceTexts(document.api_design, (text) => choose(text) || "x");
      return JSON.stringify({ ...document, name: choose("a"), description: choose("b"), api_design });
    },
    { numRuns: 40 },
  );
});

test("a limit of a parameter that no expression can name is told, and not kept", async () => {
  const parameters = [{ name: "true", type: "number", minimum: 1 }];
  const functions = [{ name: "one", parameters, result: "1", examples: [{ args: [2], returns: 1 }] }];
  const built = await buildDocument(documentOf("library", { api_design: { functions } }));
  expect(unmetOf(built)).toMatchObject([{ pointer: "/api_design/functions/0/parameters/0" }]);
});

test("a package with a name that Python keeps for itself can be imported", async () => {
  const functions = [
    {
      name: "twice",
      parameters: [{ name: "n", type: "number" }],
      result: "n * 2",
      examples: [{ args: [2], returns: 4 }],
    },
  ];
  const fields = { stack: { language: "python" }, api_design: { package: "class", functions } };
  await expectTestsPass(await buildDocument(documentOf("library", fields)));
});

test("a library made from hostile texts builds, and its tests pass", { tags: "long" }, async () => {
  const hostile = ["`$", "{process.exit(7)}` '\"\\ */ </script>\u2028\n```\n__proto__ ../.. 🦆"].join("");
  const named = { name: hostile, type: hostile, description: hostile };
  const built = await buildDocument(
    libraryDocument({
      name: hostile,
      description: hostile,
      api_design: {
        package: hostile,
        version: "1.0.0",
        functions: [
          { name: "escapeHtml", summary: hostile, parameters: [named], throws: [{ error: hostile, when: hostile }] },
          { name: "sum", summary: hostile, parameters: [{ ...named, name: "numbers", default: hostile }] },
          {
            name: "unheard",
            parameters: [named, named],
            returns: hostile,
            examples: [{ args: [hostile], returns: hostile }],
          },
          { name: "reverse", examples: [{ args: ["ab*/"], returns: "/*ba" }] },
          { name: hostile },
        ],
      },
    }),
  );
  expectWellFormed(built);
  const folder = await writeOut(built);
  const tested = await runIn(folder, "npm run build && npm test");
  expect(tested.exitCode, tested.stdout + tested.stderr).toBe(0);
  const typed = await runIn(folder, `${tsc} --noEmit --strict --target es2022 --types '' types/index.d.ts`);
  expect(typed.exitCode, typed.stdout).toBe(0);
});
