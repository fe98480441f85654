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
import { checkLines } from "./support/check-lines.ts";
import { testWithCoverage } from "./support/coverage.ts";
import { expectWellFormed, expectWellFormedWith, replaceTexts } from "./support/hostile-texts.ts";
import { runIn } from "./support/run-project.ts";

const example = await readExample("library");
const tsc = new URL("../../../node_modules/.bin/tsc", import.meta.url).pathname;

const libraryDocument = (fields: Record<string, unknown>) =>
  documentOf("library", { id: "small-library", name: "Small library", description: "Functions.", ...fields });

function pointersOf(built: Built) {
  return unmetOf(built).map(({ pointer }) => pointer);
}

test("the example becomes a typed package that keeps every promise", async () => {
  const built = await buildDocument(example);
  expect(unmetOf(built)).toEqual([]);
  const folder = await writeOut(built);
  expect((await runIn(folder, built.scripts["build"]!)).stdout).toContain("7 exports, all typed and documented.");
  expect((await testWithCoverage(folder)).coverage).toBeGreaterThanOrEqual(0.85);
  expect(await checkLines(built, folder)).toBe(3);
  const run = (code: string) => runIn(folder, `node --input-type=module -e '${code}'`);
  const other = await run(
    `import { truncate, editDistance } from "plainwords"; console.log(truncate("The rain in Spain", 9), editDistance("book", "back"));`,
  );
  expect(other.stdout).toBe("The rain… 2\n");
});

test("every function of the catalogue is sound, typed and tested", async () => {
  const functions = [...catalogue().keys()].map((name) => ({ name }));
  expect(functions.length).toBeGreaterThan(30);
  const built = await buildDocument(libraryDocument({ api_design: { functions } }));
  expect(unmetOf(built)).toEqual([]);
  const folder = await writeOut(built);
  const { coverage, stdout } = await testWithCoverage(folder);
  expect(coverage).toBeGreaterThanOrEqual(0.95);
  expect(stdout).not.toContain("# TODO");
  const typed = await runIn(folder, `${tsc} --noEmit --strict --target es2022 --types '' src/index.d.ts`);
  expect(typed.exitCode, typed.stdout).toBe(0);
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
            throws: [{ error: "RangeError", when: "size is out of range" }],
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

test("what is not known, or contradicts an example, says that it is not built", async () => {
  const built = await buildDocument(
    libraryDocument({
      stack: { language: "python" },
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
          { name: "clamp", throws: [{ error: "TypeError", when: "it rains" }] },
          { name: "no name" },
        ],
      },
      acceptance: { bundle_size: 4, http_endpoints: [{ path: "/" }] },
    }),
  );
  expect(pointersOf(built)).toEqual([
    "/api_design/classes",
    "/api_design/functions/4",
    "/api_design/functions/0",
    "/api_design/functions/1",
    "/api_design/functions/2",
    "/api_design/functions/3/throws/0",
    "/acceptance/http_endpoints/0",
    "/acceptance/bundle_size",
    "/stack/language",
  ]);
  expect(built.files.get("README.md")!.text).toContain("## Not built");
  expect(built.files.get("src/slugify.js")!.text).not.toContain("B A");
  const folder = await writeOut(built);
  const tested = await runIn(folder, "npm run build && npm test");
  expect(tested.exitCode, tested.stdout + tested.stderr).toBe(0);
  expect(tested.stdout).toMatch(/todo 2/);
  const call = await runIn(folder, `node -e 'import("small-library").then(({ frobnicate }) => frobnicate(1))'`);
  expect(call.stderr).toContain("NotBuilt: frobnicate was not built");
});

test("without an interface, the functions that commands import are built", async () => {
  const command = `node --input-type=module -e 'import { clamp, sum } from "numbers-kit"; console.log(clamp(9, 0, 5) + sum([1, 2]))'`;
  const built = await buildDocument(
    libraryDocument({ acceptance: { commands: [{ command, stdout_contains: "8" }, "node examples/tour.js"] } }),
  );
  expect(unmetOf(built)).toEqual([]);
  const folder = await writeOut(built);
  expect(await checkLines(built, folder)).toBe(2);
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
      const api_design = replaceTexts(document.api_design, choose);
      return JSON.stringify({ ...document, name: choose("a"), description: choose("b"), api_design });
    },
    { numRuns: 40 },
  );
});

test("a library made from hostile texts builds, and its tests pass", async () => {
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
  const typed = await runIn(folder, `${tsc} --noEmit --strict --target es2022 --types '' src/index.d.ts`);
  expect(typed.exitCode, typed.stdout).toBe(0);
});
