import { acceptanceLines, type CompleteSpec } from "@slipway/spec";
import { code } from "../../kit/common-files.ts";
import { FileSet } from "../../kit/file-set.ts";
import { literal } from "../../kit/literal.ts";
import { nodePackage } from "../../kit/node-package.ts";
import type { NodeProject } from "../../kit/node-project.ts";
import { type NodeTests, nodeTests } from "../../kit/node-tests.ts";
import { comment, js, markdown } from "../../kit/quote.ts";
import { staticFiles } from "../../kit/static-files.ts";
import { type Chosen, callOf, declarationOf, functionFiles, seenParameters, signatureOf } from "./generate-function.ts";
import type { LibraryDesign } from "./read-design.ts";

const templates = staticFiles(new URL("./files/project/", import.meta.url));

/** Limits that the package's own tests measure, by their names in the acceptance. */
export interface Limits {
  readonly runtime_dependencies_max?: number;
  readonly package_size_max_kb?: number;
  readonly documented_exports_min_share?: number;
}

/** The package: functions, types, examples and tests. */
export function generateNode(
  document: CompleteSpec,
  { packageName, version }: LibraryDesign,
  chosen: readonly Chosen[],
  limits: Limits,
): NodeProject {
  const tests = nodeTests(document, "package");
  const made = nodePackage(document, {
    commands: { build: "node tools/check.js", test: tests.command },
    version,
    folders: ["src"],
    manifest: {
      name: packageName,
      private: undefined,
      sideEffects: false,
      imports: { "#src/*": "./src/*", "#package": "./package.json" },
      exports: { ".": { types: "./src/index.d.ts", default: "./src/index.js" }, "./package.json": "./package.json" },
      files: ["src", "README.md", "LICENSE"],
    },
  });
  const files = () =>
    sourceFiles(document, packageName, chosen, tests)
      .addAll(made.files)
      .add(tests.place("package"), packageTest(packageName, limits));
  return { ...made, files, unmet: [...made.unmet, ...tests.unmet] };
}

function sourceFiles(
  document: CompleteSpec,
  packageName: string,
  chosen: readonly Chosen[],
  tests: NodeTests,
): FileSet {
  const files = new FileSet();
  for (const [path, text] of templates) files.add(path, text);
  for (const each of chosen) files.addAll(functionFiles(each, tests));
  const isPart = chosen.some(({ choice }) => choice.is === "unbuilt");
  if (isPart) files.add("src/not-built.js", notBuiltModule);
  for (const file of exampleFiles(document)) files.add(file, exampleProgram(packageName, chosen));
  return files
    .add("src/index.js", indexOf(chosen, isPart))
    .add(
      "src/index.d.ts",
      [...chosen.map(declarationOf), ...(isPart ? [notBuiltType] : [])].join("\n\n") || "export {};",
    );
}

function indexOf(chosen: readonly Chosen[], isPart: boolean): string {
  const lines = chosen.map(({ designed: { name, file } }) => `export { ${name} } from ${js(`./${file}.js`)};`);
  return [...lines, ...(isPart ? ['export { NotBuilt } from "./not-built.js";'] : [])].join("\n") || "export {};";
}

const notBuiltModule = `
/** Thrown by a function that is part of the interface, and that nobody has written yet. */
export class NotBuilt extends Error {
  name = "NotBuilt";

  constructor(what) {
    super(\`\${what} was not built\`);
  }
}
`;

const notBuiltType = `/** Thrown by a function that is part of the interface, and that nobody has written yet. */
export class NotBuilt extends Error {
  constructor(what: string);
}`;

/** The quick start, and the examples that lines of acceptance run. */
function exampleFiles(document: CompleteSpec): readonly string[] {
  const named = acceptanceLines(document).flatMap(({ check }) =>
    check.kind === "command" ? (/^node (examples\/[\w-]+\.m?js)$/.exec(check.command.trim())?.[1] ?? []) : [],
  );
  return [...new Set(["examples/quick-start.js", ...named])];
}

function exampleProgram(packageName: string, chosen: readonly Chosen[]): string {
  const exampleCalls = chosen
    .map((each) => ({ each, example: each.designed.examples.find(({ throws }) => throws === undefined) }))
    .filter(({ each: { choice }, example }) => choice.is === "built" && example !== undefined);
  const names = exampleCalls.map(({ each }) => each.designed.name);
  if (names.length === 0)
    return `import * as library from ${js(packageName)};\n\nconsole.log(Object.keys(library).join("\\n"));`;
  return [
    "// Run with `node examples/quick-start.js`.",
    `import { ${names.join(", ")} } from ${js(packageName)};`,
    "",
    ...exampleCalls.map(
      ({ each, example }) => `console.log(${callOf(each, example!)}); // ${comment(literal(example!.returns))}`,
    ),
  ].join("\n");
}

function packageTest(packageName: string, limits: Limits): string {
  const {
    runtime_dependencies_max: maxDependencies = 0,
    package_size_max_kb: kilobytes,
    documented_exports_min_share: share = 1,
  } = limits;
  return [
    'import assert from "node:assert/strict";',
    'import { spawnSync } from "node:child_process";',
    'import { readdir, readFile, stat } from "node:fs/promises";',
    'import { join } from "node:path";',
    'import { test } from "node:test";',
    'import { fileURLToPath } from "node:url";',
    `import * as library from ${js(packageName)};`,
    "",
    'const root = fileURLToPath(new URL(".", import.meta.resolve("#package")));',
    'const manifest = JSON.parse(await readFile(join(root, "package.json"), "utf8"));',
    "",
    'test("the package needs no more than it may", () => {',
    `  assert.ok(Object.keys(manifest.dependencies ?? {}).length <= ${js(maxDependencies)});`,
    "});",
    "",
    'test("exports are typed and documented", async () => {',
    '  const types = await readFile(join(root, "src/index.d.ts"), "utf8");',
    '  const readme = await readFile(join(root, "README.md"), "utf8");',
    "  const names = Object.keys(library);",
    '  for (const name of names) assert.ok(types.includes(" " + name), name);',
    "  const documented = names.filter((name) => readme.includes(['### `', name, '('].join('')));",
    `  assert.ok(documented.length >= names.length * ${js(share)}, documented.join(", "));`,
    "});",
    ...(kilobytes === undefined ? [] : sizeTest(kilobytes)),
    "",
    'test("every example runs", async () => {',
    '  for (const file of await readdir(join(root, "examples"))) {',
    '    const { status, stderr } = spawnSync(process.execPath, [join(root, "examples", file)], { encoding: "utf8" });',
    "    assert.equal(status, 0, stderr);",
    "  }",
    "});",
  ]
    .map((line) =>
      kilobytes === undefined ? line.replace("{ readdir, readFile, stat }", "{ readdir, readFile }") : line,
    )
    .join("\n");
}

function sizeTest(kilobytes: number): string[] {
  return [
    "",
    `test("what is published is small", async () => {`,
    "  let bytes = 0;",
    "  for (const entry of manifest.files) {",
    "    const place = join(root, entry);",
    "    const isFolder = (await stat(place)).isDirectory();",
    "    const files = isFolder ? (await readdir(place)).map((name) => join(place, name)) : [place];",
    "    for (const file of files) bytes += (await stat(file)).size;",
    "  }",
    `  assert.ok(bytes <= ${js(kilobytes)} * 1024, \`\${bytes} bytes\`);`,
    "});",
  ];
}

/** The README's chapter on the interface. */
export function apiChapter(packageName: string, chosen: readonly Chosen[]): string {
  const names = chosen.filter(({ choice }) => choice.is === "built").map(({ designed: { name } }) => name);
  const isPart = names.length < chosen.length;
  return [
    "## Interface",
    "",
    ...(names.length === 0 ? [] : ["```js", `import { ${names.join(", ")} } from ${js(packageName)};`, "```", ""]),
    ...chosen.flatMap(chapterOf),
    ...(isPart ? ["### `NotBuilt(what)`", "", "The error that functions throw which were not built."] : []),
  ].join("\n");
}

function chapterOf(chosen: Chosen): string[] {
  const { designed, choice } = chosen;
  const results = designed.examples.map((example) => {
    const result = example.throws === undefined ? literal(example.returns) : `throws ${example.throws}`;
    return comment(`${callOf(chosen, example)} // ${result}`);
  });
  return [
    `### \`${signatureOf(chosen)}\``,
    "",
    ...(designed.summary === "" ? [] : [markdown(designed.summary), ""]),
    ...(choice.is === "built" ? [] : ["**Not built**: calling it throws `NotBuilt`.", ""]),
    ...seenParameters(chosen).map(
      ({ name, type, description }) =>
        `- ${code(name)} (${code(type)})${description === "" ? "" : `: ${markdown(description)}`}`,
    ),
    ...designed.throws.map(
      ({ error, when }) => `- Throws ${code(error)}${when === "" ? "" : ` when ${markdown(when)}`}`,
    ),
    "",
    ...(results.length === 0 ? [] : ["```js", ...results, "```", ""]),
  ];
}
