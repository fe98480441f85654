import type { CompleteSpec } from "@slipway/spec";
import { FileSet } from "../../kit/file-set.ts";
import { literal } from "../../kit/literal.ts";
import { nodeTests } from "../../kit/node-tests.ts";
import { js } from "../../kit/quote.ts";
import { staticFiles } from "../../kit/static-files.ts";
import { acceptanceCases } from "./acceptance-cases.ts";
import type { Command, Program } from "./model.ts";
import { sampleOf, storedSample } from "./samples.ts";

const plain = staticFiles(new URL("./files/node/tests/plain/", import.meta.url));
const withRecords = staticFiles(new URL("./files/node/tests/records/", import.meta.url));

/** The tests of the whole program; single commands have their own. */
export function programTests(document: CompleteSpec, program: Program, unmet: ReadonlySet<string>): FileSet {
  const { place } = nodeTests(document, "acceptance");
  const files = new FileSet();
  const engine = [plain, ...(program.record === undefined ? [] : [withRecords])];
  for (const tests of engine) for (const [name, text] of tests) files.add(place(name.replace(/\.js$/, "")), text);
  return files.add(place("acceptance"), acceptanceTest(document, program, unmet));
}

/** Runs the acceptance lines in order on one data file; skips lines whose commands are not built yet. */
function acceptanceTest(document: CompleteSpec, program: Program, unmet: ReadonlySet<string>): string {
  const cases = acceptanceCases(document, program, unmet);
  const variable =
    program.record === undefined ? "" : `{ ${js(program.dataFile.variable)}: join(folder, "data.json") }`;
  return [
    'import assert from "node:assert/strict";',
    ...(variable === "" ? [] : ['import { join } from "node:path";']),
    'import { test } from "node:test";',
    'import { loadCommands } from "#src/load-commands.js";',
    'import { runProgram, temporaryFolder } from "#tools/run-program.js";',
    "",
    "/** What was agreed on: each line with the commands that it needs, itself and for what it finds. */",
    `const lines = ${literal(cases)};`,
    "",
    'test("the program does what was agreed on", async (t) => {',
    "  const folder = await temporaryFolder(t);",
    `  const env = ${variable === "" ? "{}" : variable};`,
    "  const commands = await loadCommands();",
    "  for (const { line, needs, words, input, exitCode, output = [], errors = [] } of lines) {",
    "    const isThere = needs.every((name) => commands.has(name));",
    '    await t.test(line, { skip: !isThere && "not built yet" }, async () => {',
    "      const result = await runProgram(words, { env, input });",
    "      assert.equal(result.exitCode, exitCode, result.errors);",
    "      for (const text of output) assert.ok(result.output.includes(text), result.output);",
    "      for (const text of errors) assert.ok(result.errors.includes(text), result.errors);",
    "    });",
    "  }",
    "});",
  ].join("\n");
}

/** The tests of one command; none if no sample for its arguments is known. */
export function commandTest(document: CompleteSpec, command: Command, program: Program): FileSet {
  const files = new FileSet();
  const words = command.arguments.map((field) => (field.name === "id" ? "1" : sampleOf(field)));
  if (words.some((word) => word === undefined)) return files;
  const given = words as string[];
  const lines = program.record === undefined ? [] : testsOfKind(command, given, program);
  const needed = [...lines, ...refusals(command)];
  const usesStore = lines.length > 0;
  const text = [
    'import assert from "node:assert/strict";',
    ...(usesStore ? ['import { join } from "node:path";'] : []),
    'import { test } from "node:test";',
    'import { program } from "#src/program.js";',
    ...(needed.some((line) => line.includes("openStore")) ? ['import { openStore } from "#src/store.js";'] : []),
    `import { runProgram${usesStore ? ", temporaryFolder" : ""} } from "#tools/run-program.js";`,
    "",
    ...(usesStore ? lines : plainTest(command, given)),
    ...refusals(command),
  ].join("\n");
  return files.add(nodeTests(document, "acceptance").place(`command-${command.file}`), text);
}

function plainTest({ name, does, options }: Command, words: readonly string[]): string[] {
  const needed = options
    .filter(({ required }) => required)
    .flatMap((field) => [`--${field.name}`, sampleOf(field) ?? ""]);
  return [
    `test(${js(`${name} ${does === "unbuilt" ? "says that it was not built" : "does its work"}`)}, async () => {`,
    `  const result = await runProgram(${literal([name, ...words, ...needed])});`,
    ...(does === "unbuilt"
      ? ["  assert.equal(result.exitCode, program.exitCodes.failed);", "  assert.match(result.errors, /not built/);"]
      : [
          "  assert.equal(result.exitCode, program.exitCodes.ok, result.errors);",
          `  const asJson = await runProgram(${literal([name, ...words, ...needed, "--json"])});`,
          "  JSON.parse(asJson.output);",
        ]),
    "});",
  ];
}

function refusals({ name, arguments: expected }: Command): string[] {
  const [first] = expected;
  if (first === undefined || first.optional || first.default !== undefined) return [];
  return [
    "",
    `test(${js(`${name} is refused without what it needs`)}, async () => {`,
    `  const { exitCode, errors } = await runProgram([${js(name)}]);`,
    "  assert.equal(exitCode, program.exitCodes.usage);",
    `  assert.ok(errors.includes(${js(first.name)}), errors);`,
    "});",
  ];
}

function testsOfKind(command: Command, words: readonly string[], program: Program): string[] {
  const { name, does } = command;
  const stored = storedRecord(program);
  const start = [
    `test(${js(`${name} ${sentences[does] ?? ""}`)}, async (t) => {`,
    '  const file = join(await temporaryFolder(t), "data.json");',
    `  const env = { ${js(program.dataFile.variable)}: file };`,
  ];
  const seed = [`  await openStore(file).add(${literal(stored, "  ")});`];
  const run = (given: readonly string[]) => `await runProgram(${literal([name, ...given], "  ")}, { env })`;
  const missing = words.map((word, index) => (command.arguments[index]!.name === "id" ? "999" : word));
  const fails = [
    `  const gone = ${run(missing)};`,
    "  assert.equal(gone.exitCode, program.exitCodes.failed);",
    "  assert.match(gone.errors, /999/);",
  ];
  switch (does) {
    case "create": {
      const options = neededOptions(command);
      if (options === undefined) return [];
      return [
        ...start,
        `  const first = ${run([...words, ...options])};`,
        "  assert.equal(first.exitCode, program.exitCodes.ok, first.errors);",
        `  const second = JSON.parse((${run([...words, ...options, "--json"])}).output);`,
        "  assert.equal(second.id, 2);",
        ...command.arguments.map(
          (field) => `  assert.deepEqual(second[${js(field.name)}], ${literal(storedSample(field))});`,
        ),
        "  assert.deepEqual((await openStore(file).all()).map(({ id }) => id), [1, 2]);",
        "});",
      ];
    }
    case "list":
      return [
        ...start,
        ...seed,
        `  assert.equal((${run([...words])}).exitCode, program.exitCodes.ok);`,
        `  const found = JSON.parse((${run([...words, "--json"])}).output);`,
        `  assert.deepEqual(found, [${literal({ id: 1, ...stored }, "  ")}]);`,
        ...filterLines(command, run),
        "});",
      ];
    case "sum":
    case "count":
      return [
        ...start,
        ...seed,
        `  const result = ${run(words)};`,
        "  assert.equal(result.exitCode, program.exitCodes.ok, result.errors);",
        `  const data = JSON.parse((${run([...words, "--json"])}).output);`,
        does === "count"
          ? "  assert.deepEqual(data, { count: 1 });"
          : `  assert.deepEqual(data, [{ key: "total", sum: ${literal(stored[command.sums] ?? 0)} }]);`,
        "});",
      ];
    case "get":
    case "delete":
    case "update":
      return [
        ...start,
        ...seed,
        `  const result = ${run([...words, "--json"])};`,
        "  assert.equal(result.exitCode, program.exitCodes.ok, result.errors);",
        "  assert.equal(JSON.parse(result.output).id, 1);",
        `  assert.equal((await openStore(file).all()).length, ${does === "delete" ? 0 : 1});`,
        ...fails,
        "});",
      ];
    default:
      return [];
  }
}

const sentences: Readonly<Record<string, string>> = {
  create: "keeps what it is given, and numbers it",
  list: "shows what is kept",
  sum: "adds up what is kept",
  count: "counts what is kept",
  get: "shows one by its number, and says when there is none",
  delete: "removes one by its number, and says when there is none",
  update: "changes one by its number, and says when there is none",
};

function filterLines({ options }: Command, run: (given: readonly string[]) => string): string[] {
  const filter = options.find(({ type, values, min_length }) => type === "string" && !values && !min_length);
  if (filter === undefined) return [];
  return [`  assert.deepEqual(JSON.parse((${run([`--${filter.name}`, "x", "--json"])}).output), []);`];
}

function neededOptions({ options }: Command): readonly string[] | undefined {
  const needed = options
    .filter(({ required }) => required)
    .map((field) => [`--${field.name}=`, sampleOf(field)] as const);
  return needed.every(([, text]) => text !== undefined) ? needed.map(([name, text]) => `${name}${text}`) : undefined;
}

function storedRecord({ record }: Program): Readonly<Record<string, unknown>> {
  return Object.fromEntries((record?.fields ?? []).map((field) => [field.name, storedSample(field)]));
}
