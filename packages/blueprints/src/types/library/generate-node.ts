import type { CompleteSpec } from "@slipway/spec";
import { code } from "../../kit/common-files.ts";
import { calculateInNode } from "../../kit/expression/calculate-module.ts";
import { FileSet } from "../../kit/file-set.ts";
import { literal } from "../../kit/literal.ts";
import { nodePackage } from "../../kit/node-package.ts";
import { type NodeTests, nodeTests } from "../../kit/node-tests.ts";
import { comment, js, markdown } from "../../kit/quote.ts";
import { staticFiles } from "../../kit/static-files.ts";
import {
  type Built,
  callOf,
  type Dialect,
  declarationOf,
  helpersOf,
  moduleOf,
  seenParameters,
  signatureOf,
  testOf,
} from "./generate-function.ts";
import type { GeneratedLibrary } from "./generated-library.ts";
import type { LibraryDesign } from "./read-design.ts";
import { calculateInTypeScript } from "./typed-calculate.ts";

const templates = staticFiles(new URL("./files/project/", import.meta.url));
const typedTemplates = staticFiles(new URL("./files/typescript/", import.meta.url));

/** The package for Node: functions, types, examples and tests. TypeScript is compiled to `dist` without a package. */
export function generateNode(
  document: CompleteSpec,
  { packageName, version }: LibraryDesign,
  built: readonly Built[],
  dialect: Dialect,
): GeneratedLibrary {
  const isTyped = dialect === "ts";
  const tests = nodeTests(document, "package", dialect);
  const entry = isTyped ? "./dist/index.js" : "./src/index.js";
  const made = nodePackage(document, {
    commands: {
      build: isTyped ? "node tools/build.js && node tools/check.js" : "node tools/check.js",
      test: isTyped ? `node tools/build.js && ${tests.command}` : tests.command,
    },
    version,
    folders: ["src"],
    manifest: {
      name: packageName,
      private: undefined,
      sideEffects: false,
      ...(isTyped && { engines: { node: ">=22.18" } }),
      imports: { "#src/*": "./src/*", "#tools/*": "./tools/*", "#package": "./package.json" },
      exports: { ".": { types: "./types/index.d.ts", default: entry }, "./package.json": "./package.json" },
      files: [isTyped ? "dist" : "src", "types", "README.md", "LICENSE"],
    },
  });
  const files = () =>
    sourceFiles(packageName, built, tests, dialect)
      .addAll(made.files)
      .add(tests.place("package"), packageTest(packageName, dialect));
  return { scripts: made.scripts, unmet: [...made.unmet, ...tests.unmet], files };
}

function sourceFiles(packageName: string, built: readonly Built[], tests: NodeTests, dialect: Dialect): FileSet {
  const files = new FileSet();
  for (const [path, text] of templates)
    files.add(path, text.replaceAll("../src/index.js", `../${folderOf(dialect)}/index.js`));
  if (dialect === "ts") for (const [path, text] of typedTemplates) files.add(path, text);
  for (const each of built) {
    files.add(`src/${each.designed.file}.${dialect}`, moduleOf(each, dialect));
    const test = testOf(each, dialect);
    if (test !== undefined) files.add(tests.place(each.designed.file), test);
  }
  const helpers = built.flatMap(helpersOf);
  if (helpers.length > 0) {
    const calculate = calculateInNode(helpers);
    files.add(
      `src/calculate.${dialect}`,
      dialect === "ts" ? calculateInTypeScript(calculate.source) : calculate.source,
    );
  }
  const exported = built.map(
    ({ designed: { name, file } }) => `export { ${name} } from ${js(`./${file}.${dialect}`)};`,
  );
  return files
    .add("examples/quick-start.js", exampleProgram(packageName, built))
    .add(`src/index.${dialect}`, exported.join("\n") || "export {};")
    .add("types/index.d.ts", built.map(declarationOf).join("\n\n") || "export {};");
}

function folderOf(dialect: Dialect): string {
  return dialect === "ts" ? "dist" : "src";
}

function exampleProgram(packageName: string, built: readonly Built[]): string {
  const calls = built.flatMap((each) => {
    const example = each.designed.examples.find(({ throws }) => throws === undefined);
    return example === undefined ? [] : [{ each, example }];
  });
  if (calls.length === 0)
    return `import * as library from ${js(packageName)};\n\nconsole.log(Object.keys(library).join("\\n"));`;
  return [
    "// Run with `node examples/quick-start.js`.",
    `import { ${calls.map(({ each }) => each.designed.name).join(", ")} } from ${js(packageName)};`,
    "",
    ...calls.map(
      ({ each, example }) => `console.log(${callOf(each, example)}); // ${comment(literal(example.returns))}`,
    ),
  ].join("\n");
}

function packageTest(packageName: string, dialect: Dialect): string {
  const isBuilt = dialect === "ts";
  return [
    'import assert from "node:assert/strict";',
    'import { spawnSync } from "node:child_process";',
    `import { ${isBuilt ? "mkdtemp, readdir, readFile, rm" : "readdir, readFile"} } from "node:fs/promises";`,
    ...(isBuilt ? ['import { tmpdir } from "node:os";'] : []),
    'import { join } from "node:path";',
    'import { test } from "node:test";',
    'import { fileURLToPath } from "node:url";',
    `import * as library from ${js(packageName)};`,
    "",
    'const root = fileURLToPath(new URL(".", import.meta.resolve("#package")));',
    "",
    `function run(${isBuilt ? "...words: string[]" : "...words"}) {`,
    '  const { status, stdout, stderr } = spawnSync(process.execPath, words, { cwd: root, encoding: "utf8" });',
    "  assert.equal(status, 0, stderr);",
    "  return stdout;",
    "}",
    "",
    'test("the package needs no other", async () => {',
    '  const manifest = JSON.parse(await readFile(join(root, "package.json"), "utf8"));',
    "  assert.deepEqual(Object.keys(manifest.dependencies ?? {}), []);",
    "});",
    "",
    'test("exports are typed and documented", () => {',
    "  const { length } = Object.keys(library);",
    // biome-ignore lint/suspicious/noTemplateCurlyInString: it is the generated file's
    '  assert.equal(run("tools/check.js"), `${length} exports, all typed and documented.\\n`);',
    "});",
    "",
    ...(isBuilt ? distTest : []),
    'test("every example runs", async () => {',
    '  for (const file of await readdir(join(root, "examples"))) run(join("examples", file));',
    "});",
  ].join("\n");
}

const distTest = [
  'test("dist is what the modules of src give", async (t) => {',
  '  const folder = await mkdtemp(join(tmpdir(), "dist-"));',
  "  t.after(() => rm(folder, { recursive: true }));",
  '  run("tools/build.js", folder);',
  '  const read = (place: string, file: string) => readFile(join(place, file), "utf8");',
  "  for (const file of await readdir(folder))",
  '    assert.equal(await read(folder, file), await read(join(root, "dist"), file), file);',
  "});",
  "",
];

/** The README's chapter on the interface. */
export function apiChapter(packageName: string, built: readonly Built[]): string {
  const names = built.map(({ designed: { name } }) => name);
  return [
    "## Interface",
    "",
    ...(names.length === 0 ? [] : ["```js", `import { ${names.join(", ")} } from ${js(packageName)};`, "```", ""]),
    ...built.flatMap(chapterOf),
  ].join("\n");
}

function chapterOf(built: Built): string[] {
  const { designed } = built;
  const results = designed.examples.map((example) => {
    const result = example.throws === undefined ? literal(example.returns) : `throws ${example.throws}`;
    return comment(`${callOf(built, example)} // ${result}`);
  });
  return [
    `### \`${signatureOf(built)}\``,
    "",
    ...(designed.summary === "" ? [] : [markdown(designed.summary), ""]),
    ...seenParameters(built).map(
      ({ name, type, description }) =>
        `- ${code(name)} (${code(type)})${description === "" ? "" : `: ${markdown(description)}`}`,
    ),
    ...designed.throws.map(({ error, when }) => `- Throws ${code(error)} when ${code(when)}`),
    "",
    ...(results.length === 0 ? [] : ["```js", ...results, "```", ""]),
  ];
}
