import type { CompleteSpec } from "@slipway/spec";
import { type CalculateModule, calculateInPython } from "../../kit/expression/calculate-module.ts";
import { snakeCase } from "../../kit/expression/write-expression.ts";
import { FileSet } from "../../kit/file-set.ts";
import { pythonScripts, pythonTests } from "../../kit/python-tests.ts";
import { comment, py } from "../../kit/quote.ts";
import { staticFiles } from "../../kit/static-files.ts";
import { commandCases } from "./command-cases.ts";
import { neededHelpers } from "./generate-node.ts";
import { pythonCommand } from "./generate-python-command.ts";
import type { GeneratedProgram } from "./generated-program.ts";
import type { Command, Program } from "./model.ts";

const fixed = staticFiles(new URL("./files/python/program/", import.meta.url));
const withComputation = staticFiles(new URL("./files/python/compute/", import.meta.url));
const tests = staticFiles(new URL("./files/python/tests/", import.meta.url));

/** The program in plain Python. */
export function generatePython(document: CompleteSpec, program: Program): GeneratedProgram {
  const files = () => {
    const set = programFiles(document, program);
    for (const command of program.commands) set.addAll(commandFiles(document, command, program));
    return set;
  };
  return { ...pythonScripts(document, "app"), files, isTaken: (file) => fixed.has(file) || written.has(file) };
}

/** Files of the program that are no templates. */
const written = new Set(["app/program.py", "app/record.py", "app/calculate.py", "app/tables.py", "app/compute.py"]);

/** The whole program except its commands. */
function programFiles(document: CompleteSpec, program: Program): FileSet {
  const files = new FileSet();
  const computes = program.commands.some(({ does }) => does === "compute");
  for (const parts of computes ? [fixed, withComputation] : [fixed])
    for (const [path, text] of parts) files.add(path, text);
  const { place, folders } = pythonTests(document);
  for (const folder of folders) files.add(`${folder}/__init__.py`, "# Tests of the program.");
  for (const [name, text] of tests) files.add(place(name.replace(/\.py$/, "")), text);
  for (const file of program.entries)
    if (!/\.m?[jt]s$/.test(file) && !fixed.has(file) && !written.has(file))
      files.add(file, entry(file), { isExecutable: true });
  const calculate = calculateInPython(neededHelpers(program).map(snakeCase));
  if (Object.keys(program.tables).length > 0) files.add("app/tables.py", tablesModule(program));
  return files
    .add("app/program.py", programModule(program))
    .add("app/record.py", recordModule(program))
    .add("app/calculate.py", calculate.source)
    .add(place("calculate"), calculateTest(calculate));
}

/** The module and the test of one command. */
function commandFiles(document: CompleteSpec, command: Command, program: Program): FileSet {
  const files = new FileSet().add(`app/commands/${command.file}.py`, pythonCommand(command, program));
  const text = commandTest(command, program);
  const name = command.file.replace(/\W/g, "_");
  return text === undefined ? files : files.add(pythonTests(document).place(`command_${name}`), text);
}

function entry(file: string): string {
  const up = ".parent".repeat(file.split("/").length);
  return [
    "#!/usr/bin/env python3",
    "import sys",
    "from pathlib import Path",
    "",
    `sys.path.insert(0, str(Path(__file__).resolve()${up}))`,
    "",
    "from app.main import main  # noqa: E402",
    "",
    "sys.exit(main(sys.argv[1:]))",
  ].join("\n");
}

function programModule({
  name,
  version,
  description,
  exitCodes,
  dataFile,
  configVariable,
  ...program
}: Program): string {
  const facts = {
    name,
    version,
    description: description.trim(),
    exit_codes: exitCodes,
    data_file: dataFile,
    config_variable: configVariable,
    ...(program.defaultCommand !== undefined && { default_command: program.defaultCommand }),
  };
  return [
    '"""What the program is called, and what holds for all of its commands."""',
    "",
    "PROGRAM = {",
    ...Object.entries(facts).map(([key, value]) => `    ${py(key)}: ${py(value)},`),
    "}",
    "",
    "# Options that every command takes.",
    "GLOBAL_OPTIONS = [",
    ...program.globalOptions.map((option) => `    ${py(option)},`),
    "]",
  ].join("\n");
}

function recordModule({ record }: Program): string {
  return [
    `# What is kept of each ${comment(record?.name ?? "record")}.`,
    "FIELDS = [",
    ...(record?.fields ?? []).map((field) => `    ${py(field)},`),
    "]",
  ].join("\n");
}

function tablesModule({ tables }: Program): string {
  return [
    "# Tables that expressions look things up in.",
    "TABLES = {",
    ...Object.entries(tables).flatMap(([name, rows]) => [
      `    ${py(name)}: {`,
      ...Object.entries(rows).map(([row, value]) => `        ${py(row)}: ${py(value)},`),
      "    },",
    ]),
    "}",
  ].join("\n");
}

/** The tests of a command; undefined if no sample for its arguments is known. */
function commandTest(command: Command, program: Program): string | undefined {
  const cases = commandCases(command, program);
  if (cases.length === 0) return undefined;
  return [
    "from support.run_program import StepsTest",
    "",
    "",
    "class CommandTest(StepsTest):",
    ...cases.flatMap(({ title, stored, steps }, index) => [
      ...(index === 0 ? [] : [""]),
      `    def test_${testName(title)}(self):`,
      `        stored = ${py(stored)}`,
      "        steps = [",
      ...steps.map((step) => `            ${py(step)},`),
      "        ]",
      "        self.run_steps(stored, steps)",
    ]),
  ].join("\n");
}

function testName(title: string): string {
  return title
    .toLowerCase()
    .replace(/[^a-z\d]+/g, "_")
    .replace(/^_+|_+$/g, "");
}

function calculateTest({ names, cases }: CalculateModule): string {
  const used = names.filter((name) => cases.some(({ call, throws }) => throws === name || call.includes(`${name}(`)));
  const usesMath = cases.some(({ call }) => call.includes("math."));
  return [
    ...(usesMath ? ["import math"] : []),
    "import unittest",
    "",
    `from app.calculate import ${used.toSorted().join(", ")}`,
    "",
    "",
    "class CalculateTest(unittest.TestCase):",
    "    def test_calculations_give_what_is_known_of_them_or_say_why_they_cannot(self):",
    ...cases.flatMap(({ call, gives, throws }) =>
      throws === undefined
        ? [`        self.assertEqual(${call}, ${gives})`]
        : [`        with self.assertRaises(${throws}):`, `            ${call}`],
    ),
  ].join("\n");
}
