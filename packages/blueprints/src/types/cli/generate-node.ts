import { posix } from "node:path";
import type { CompleteSpec } from "@slipway/spec";
import { FileSet } from "../../kit/file-set.ts";
import { literal } from "../../kit/literal.ts";
import { nodePackage } from "../../kit/node-package.ts";
import { nodeTests } from "../../kit/node-tests.ts";
import { comment, js } from "../../kit/quote.ts";
import { staticFiles } from "../../kit/static-files.ts";
import { commandModule } from "./generate-node-command.ts";
import { commandTest, programTests } from "./generate-node-tests.ts";
import type { GeneratedProgram } from "./generated-program.ts";
import type { Program } from "./model.ts";
import { readInvocations } from "./read-invocations.ts";

const plain = staticFiles(new URL("./files/node/plain/", import.meta.url));
const withRecords = staticFiles(new URL("./files/node/records/", import.meta.url));
const withoutRecords = staticFiles(new URL("./files/node/no-records/", import.meta.url));

/** The program in plain JavaScript for Node. */
export function generateNode(document: CompleteSpec, program: Program): GeneratedProgram {
  const tests = nodeTests(document, "acceptance");
  const { files, scripts, unmet } = nodePackage(document, {
    commands: { build: "node tools/check.js", test: tests.command },
    version: program.version,
    folders: ["src", "tools", "bin"],
    manifest: { bin: { [program.name]: `./bin/${program.name}` } },
  });
  return {
    scripts,
    unmet: [...unmet, ...tests.unmet],
    foundation: (unmetLines) =>
      new FileSet()
        .addAll(files)
        .addAll(programFiles(document, program))
        .addAll(programTests(document, program, unmetLines)),
    command: (command) =>
      commandTest(document, command, program).add(`src/commands/${command.file}.js`, commandModule(command, program)),
  };
}

/** The whole program except its commands. */
function programFiles(document: CompleteSpec, program: Program): FileSet {
  const files = new FileSet();
  const engine = [plain, program.record === undefined ? withoutRecords : withRecords];
  for (const parts of engine) for (const [path, text] of parts) files.add(path, text);
  files.add("src/program.js", programModule(program));
  if (program.record !== undefined) files.add("src/record.js", recordModule(program.record));
  for (const file of entriesOf(document, program)) addEntry(files, file);
  return files;
}

/** The files that start the program: its own, and those that acceptance lines run. */
function entriesOf(document: CompleteSpec, { name }: Program): readonly string[] {
  const named = readInvocations(document).flatMap(({ file }) => (file === undefined ? [] : [file]));
  const own = new Set([`bin/${name}`, ...named]);
  return [...own].filter((file) => !file.endsWith(".py") && !isTaken(file));
}

/** Whether a path is a file of the program, which cannot also start it. */
export function isTaken(file: string): boolean {
  return reserved.has(file);
}

const reserved = new Set(["src/program.js", "src/record.js", ...plain.keys(), ...withRecords.keys()]);

/** A file without an extension takes its module type from its folder's package.json, so one is added. */
function addEntry(files: FileSet, file: string): void {
  const folder = posix.dirname(file);
  const way = posix.relative(folder, "src/command-line.js");
  const target = js(way.startsWith(".") ? way : `./${way}`);
  const isModule = /\.m?js$/.test(file);
  const lines = isModule
    ? [`import { main } from ${target};`, "", "process.exitCode = await main(process.argv.slice(2));"]
    : [
        `import(${target}).then(async ({ main }) => {`,
        "  process.exitCode = await main(process.argv.slice(2));",
        "});",
      ];
  files.add(file, ["#!/usr/bin/env node", ...lines].join("\n"), { isExecutable: true });
  if (!isModule && folder !== "." && folder !== "src")
    files.add(`${folder}/package.json`, JSON.stringify({ type: "commonjs" }, undefined, 2));
}

function programModule({ name, version, description, exitCodes, dataFile, ...program }: Program): string {
  return [
    "/** What the program is called, and what holds for all of its commands. */",
    "export const program = {",
    `  name: ${js(name)},`,
    `  version: ${js(version)},`,
    `  description: ${js(description.trim())},`,
    `  exitCodes: ${literal(exitCodes)},`,
    ...(program.record === undefined ? [] : [`  dataFile: ${literal(dataFile, "  ")},`]),
    `  configVariable: ${js(program.configVariable)},`,
    ...(program.defaultCommand === undefined ? [] : [`  defaultCommand: ${js(program.defaultCommand)},`]),
    "};",
    "",
    "/** Options that every command takes. */",
    "export const globalOptions = [",
    ...program.globalOptions.map((option) => `  ${literal(option, "  ")},`),
    "];",
  ].join("\n");
}

function recordModule({ name, fields }: NonNullable<Program["record"]>): string {
  return [
    `/** What is kept of each ${comment(name)}. */`,
    "export const fields = [",
    ...fields.map((field) => `  ${literal(field, "  ")},`),
    "];",
  ].join("\n");
}
