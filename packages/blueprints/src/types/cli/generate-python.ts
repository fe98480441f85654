import type { CompleteSpec } from "@slipway/spec";
import { FileSet } from "../../kit/file-set.ts";
import { comment, py } from "../../kit/quote.ts";
import { staticFiles } from "../../kit/static-files.ts";
import { testPlaces } from "../../kit/test-places.ts";
import type { Scripts, Unmet } from "../../plugin.ts";
import { acceptanceCases } from "./acceptance-cases.ts";
import { pythonCommand } from "./generate-python-command.ts";
import type { GeneratedProgram } from "./generated-program.ts";
import type { Command, Program } from "./model.ts";
import { readInvocations } from "./read-invocations.ts";
import { sampleOf } from "./samples.ts";

const fixed = staticFiles(new URL("./files/python/program/", import.meta.url));
const tests = staticFiles(new URL("./files/python/tests/", import.meta.url));

/** The program in plain Python. */
export function generatePython(document: CompleteSpec, program: Program): GeneratedProgram {
  return {
    ...scriptsOf(document),
    foundation: (unmetLines) => programFiles(document, program, unmetLines),
    command: (command) => commandFiles(document, command, program),
  };
}

/** The scripts of a Python program, and which of the document's own scripts and test frameworks are not supported. */
function scriptsOf(document: CompleteSpec): { readonly scripts: Scripts; readonly unmet: readonly Unmet[] } {
  const { folder, pattern } = testsOf(document);
  const scripts = {
    build: "python3 -m compileall -q app",
    test: `python3 -m unittest discover -s ${folder} -t . -p '${pattern}'`,
  };
  const wanted = Object.entries((document.scripts ?? {}) as Scripts);
  const unmet = wanted
    .filter(
      ([kind, command]) =>
        ["build", "test", "start"].includes(kind) && !/^python3? -m (?:unittest|compileall)\b/.test(command),
    )
    .map(([kind]) => ({ pointer: `/scripts/${kind}`, reason: "This command is not known; nothing was built for it." }));
  const frameworks = (document.acceptance.tests ?? []).flatMap(({ framework }, index) =>
    framework === undefined || framework === "unittest"
      ? []
      : [{ pointer: `/acceptance/tests/${index}`, reason: `Tests are written for unittest, not for ${framework}.` }],
  );
  return { scripts, unmet: [...unmet, ...frameworks] };
}

/** The whole program except its commands. */
function programFiles(document: CompleteSpec, program: Program, unmet: ReadonlySet<string>): FileSet {
  const files = new FileSet();
  for (const [path, text] of fixed) files.add(path, text);
  const { place, folders } = testsOf(document);
  for (const folder of folders) files.add(`${folder}/__init__.py`, "# Tests of the program.");
  for (const [name, text] of tests) files.add(place(name.replace(/\.py$/, "")), text);
  for (const file of entriesOf(document, program)) files.add(file, entry(file), { isExecutable: true });
  return files
    .add("app/program.py", programModule(program))
    .add("app/record.py", recordModule(program))
    .add(place("acceptance"), acceptanceTest(document, program, unmet));
}

/** The module and the test of one command. */
function commandFiles(document: CompleteSpec, command: Command, program: Program): FileSet {
  const files = new FileSet().add(`app/commands/${command.file}.py`, pythonCommand(command, program));
  const [first] = command.arguments;
  if (first === undefined || first.optional || first.default !== undefined) return files;
  const name = command.file.replace(/\W/g, "_");
  return files.add(testsOf(document).place(`command_${name}`), commandTest(command, first.name, program));
}

interface Places {
  readonly place: (name: string) => string;
  readonly folder: string;
  readonly pattern: string;
  /** The folder of the tests and its parents: unittest only finds tests in packages. */
  readonly folders: readonly string[];
}

function testsOf(document: CompleteSpec): Places {
  const wanted = testPlaces(document, "unit", "tests/test_*.py");
  const isFit = /^[A-Za-z_]\w*(?:\/[A-Za-z_]\w*)*\/[A-Za-z_]\w*\.py$/.test(wanted("a")) && wanted("a") !== wanted("b");
  const place = isFit ? wanted : (name: string) => `tests/test_${name}.py`;
  const parts = place("*").split("/");
  const pattern = parts.pop()!;
  return {
    place,
    folder: parts.join("/"),
    pattern,
    folders: parts.map((_, index) => parts.slice(0, index + 1).join("/")),
  };
}

function entriesOf(document: CompleteSpec, { name }: Program): readonly string[] {
  const named = readInvocations(document).flatMap(({ file }) => (file === undefined ? [] : [file]));
  const own = new Set([`bin/${name}`, ...named]);
  return [...own].filter((file) => !/\.m?js$/.test(file) && !fixed.has(file));
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

function acceptanceTest(document: CompleteSpec, program: Program, unmet: ReadonlySet<string>): string {
  return [
    "import tempfile",
    "import unittest",
    "from pathlib import Path",
    "",
    "from app.load_commands import load_commands",
    "from app.program import PROGRAM",
    "from support.run_program import Result",
    "",
    "# What was agreed on: each line with the commands that it needs, itself and for what it finds.",
    "LINES = [",
    ...acceptanceCases(document, program, unmet).map((each) => `    ${py(each)},`),
    "]",
    "",
    "",
    "class AcceptanceTest(unittest.TestCase):",
    "    def test_the_program_does_what_was_agreed_on(self):",
    "        commands = load_commands()",
    "        with tempfile.TemporaryDirectory() as folder:",
    '            env = {PROGRAM["data_file"]["variable"]: str(Path(folder, "data.json"))}',
    "            for line in LINES:",
    '                if not all(name in commands for name in line["needs"]):',
    "                    continue",
    '                with self.subTest(line["line"]):',
    '                    result = Result(line["words"], env, line.get("input") or "")',
    '                    self.assertEqual(result.exit_code, line["exitCode"], result.errors)',
    '                    for text in line.get("output", []):',
    "                        self.assertIn(text, result.output)",
    '                    for text in line.get("errors", []):',
    "                        self.assertIn(text, result.errors)",
  ].join("\n");
}

function commandTest(command: Command, first: string, program: Program): string {
  const words = command.arguments.map((field) => (field.name === "id" ? "999" : sampleOf(field)));
  const needed = command.options
    .filter(({ required }) => required)
    .map((field) => [field.name, sampleOf(field)] as const);
  const isKnown = [...words, ...needed.map(([, text]) => text)].every((word) => word !== undefined);
  const line = [command.name, ...words, ...needed.map(([name, text]) => `--${name}=${text}`), "--json"];
  const fails = ["get", "update", "delete", "unbuilt"].includes(command.does);
  const run = [
    "",
    "    def test_its_work_is_done(self):",
    "        with tempfile.TemporaryDirectory() as folder:",
    `            env = {${py(program.dataFile.variable)}: str(Path(folder, "data.json"))}`,
    `            result = Result(${py(line)}, env)`,
    `            self.assertEqual(result.exit_code, PROGRAM["exit_codes"][${py(fails ? "failed" : "ok")}], result.errors)`,
    ...(fails ? [] : ["            json.loads(result.output)"]),
  ];
  return [
    ...(isKnown ? [...(fails ? [] : ["import json"]), "import tempfile"] : []),
    "import unittest",
    ...(isKnown ? ["from pathlib import Path"] : []),
    "",
    "from app.program import PROGRAM",
    "from support.run_program import Result",
    "",
    "",
    "class CommandTest(unittest.TestCase):",
    "    def test_it_is_refused_without_what_it_needs(self):",
    `        result = Result([${py(command.name)}])`,
    '        self.assertEqual(result.exit_code, PROGRAM["exit_codes"]["usage"])',
    `        self.assertIn(${py(first)}, result.errors)`,
    ...(isKnown ? run : []),
  ].join("\n");
}
