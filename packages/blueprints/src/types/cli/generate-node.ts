import { posix } from "node:path";
import type { CompleteSpec } from "@slipway/spec";
import { type CalculateModule, calculateInNode } from "../../kit/expression/calculate-module.ts";
import { helpersIn } from "../../kit/expression/write-expression.ts";
import { FileSet } from "../../kit/file-set.ts";
import { literal } from "../../kit/literal.ts";
import { nodePackage } from "../../kit/node-package.ts";
import { nodeTests } from "../../kit/node-tests.ts";
import { comment, js } from "../../kit/quote.ts";
import { staticFiles } from "../../kit/static-files.ts";
import { commandModule, expressionsIn } from "./generate-node-command.ts";
import { commandTest, firstTest, programTests } from "./generate-node-tests.ts";
import type { GeneratedProgram } from "./generated-program.ts";
import type { Program } from "./model.ts";

const plain = staticFiles(new URL("./files/node/plain/", import.meta.url));
const withRecords = staticFiles(new URL("./files/node/records/", import.meta.url));
const withoutRecords = staticFiles(new URL("./files/node/no-records/", import.meta.url));
const withComputation = staticFiles(new URL("./files/node/compute/", import.meta.url));

/** The program in plain JavaScript for Node. */
export function generateNode(document: CompleteSpec, program: Program): GeneratedProgram {
  const tests = nodeTests(document, firstTest);
  const { files, scripts, unmet } = nodePackage(document, {
    commands: { build: "node tools/check.js", test: tests.command },
    version: program.version,
    folders: ["src", "tools", "bin"],
    manifest: { bin: { [program.name]: `./bin/${program.name}` } },
  });
  const whole = () => {
    const calculate = calculateInNode(neededHelpers(program));
    const set = new FileSet().addAll(files).addAll(programFiles(program, calculate));
    set.addAll(programTests(document, program, calculate));
    for (const command of program.commands)
      set
        .add(`src/commands/${command.file}.js`, commandModule(command, program))
        .addAll(commandTest(document, command, program));
    return set;
  };
  return { scripts, unmet: [...unmet, ...tests.unmet], files: whole, isTaken: (file) => reserved.has(file) };
}

/** The functions of `calculate.js` that the program uses. */
export function neededHelpers({ commands }: Program): readonly string[] {
  const computes = commands.some(({ does }) => does === "compute");
  const always = ["fixed", "numberText", "today", ...(computes ? ["finite", "withoutNoise"] : [])];
  return [...always, ...commands.flatMap(expressionsIn).flatMap(helpersIn)];
}

/** The whole program except its commands. */
function programFiles(program: Program, calculate: CalculateModule): FileSet {
  const files = new FileSet();
  const computes = program.commands.some(({ does }) => does === "compute");
  const engine = [
    plain,
    program.record === undefined ? withoutRecords : withRecords,
    ...(computes ? [withComputation] : []),
  ];
  for (const parts of engine) for (const [path, text] of parts) files.add(path, text);
  files.add("src/program.js", programModule(program)).add("src/calculate.js", calculate.source);
  if (program.record !== undefined) files.add("src/record.js", recordModule(program.record));
  if (Object.keys(program.tables).length > 0) files.add("src/tables.js", tablesModule(program));
  for (const file of program.entries) if (isScript(file) && !reserved.has(file)) addEntry(files, file);
  return files;
}

/** Whether Node can start a file of this name. */
function isScript(file: string): boolean {
  return /\.m?js$/.test(file) || !posix.basename(file).includes(".") || file.startsWith("bin/");
}

const reserved = new Set([
  ...["src/program.js", "src/record.js", "src/calculate.js", "src/tables.js", "package.json"],
  ...[...plain.keys(), ...withRecords.keys(), ...withComputation.keys()],
]);

function tablesModule({ tables }: Program): string {
  return [
    "/** Tables that expressions look things up in. */",
    "export const tables = {",
    ...Object.entries(tables).map(([name, rows]) => `  ${name}: ${literal(rows, "  ")},`),
    "};",
  ].join("\n");
}

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
