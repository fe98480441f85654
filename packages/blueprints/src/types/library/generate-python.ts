import type { CompleteSpec } from "@slipway/spec";
import { calculateInPython } from "../../kit/expression/calculate-module.ts";
import { expressionInPython, snakeCase } from "../../kit/expression/write-expression.ts";
import { FileSet } from "../../kit/file-set.ts";
import { pythonScripts, pythonTests } from "../../kit/python-tests.ts";
import { comment, py } from "../../kit/quote.ts";
import { type Built, helpersOf, seenParameters } from "./generate-function.ts";
import type { GeneratedLibrary } from "./generated-library.ts";
import type { Example, LibraryDesign } from "./read-design.ts";

/** The package in Python: its functions are expressions. */
export function generatePython(
  document: CompleteSpec,
  { packageName, version }: LibraryDesign,
  built: readonly Built[],
): GeneratedLibrary {
  const module = moduleName(packageName);
  const files = () => {
    const { place, folders } = pythonTests(document);
    const set = new FileSet();
    for (const folder of folders) set.add(`${folder}/__init__.py`, "# Tests of the library.");
    const helpers = built.flatMap(helpersOf).map(snakeCase);
    if (helpers.length > 0) set.add(`${module}/calculate.py`, calculateInPython(helpers).source);
    if (built.length > 0) set.add(place("functions"), testModule(module, built));
    return set
      .add("pyproject.toml", manifest(packageName, version))
      .add(`${module}/functions.py`, functionsModule(module, built, helpers.length > 0))
      .add(`${module}/__init__.py`, exportsOf(module, built))
      .add("examples/quick_start.py", exampleProgram(module, built));
  };
  return { ...pythonScripts(document, module), files };
}

/** A name that Python can import. */
function moduleName(packageName: string): string {
  const name = packageName
    .replace(/^@[^/]*\//, "")
    .replace(/\W/g, "_")
    .replace(/^(?=\d)/, "_");
  return safeName(name);
}

function manifest(packageName: string, version: string): string {
  return [
    "[project]",
    `name = ${py(packageName.replace(/^@/, "").replaceAll("/", "-"))}`,
    `version = ${py(/^\d+(?:\.\d+)*$/.test(version) ? version : "1.0.0")}`,
    'requires-python = ">=3.9"',
    "dependencies = []",
    "",
    "[build-system]",
    'requires = ["setuptools"]',
    'build-backend = "setuptools.build_meta"',
  ].join("\n");
}

function exportsOf(module: string, built: readonly Built[]): string {
  const names = built.map(({ designed: { name } }) => name);
  if (names.length === 0) return '"""Nothing is built yet."""';
  return [
    '"""What the library offers."""',
    "",
    `from ${module}.functions import ${names.join(", ")}`,
    "",
    `__all__ = ${py(names)}`,
  ].join("\n");
}

function functionsModule(module: string, built: readonly Built[], usesCalculate: boolean): string {
  return [
    '"""The functions of the library."""',
    ...(usesCalculate ? ["", `from ${module} import calculate`] : []),
    ...built.flatMap((each) => ["", "", ...functionLines(each)]),
  ].join("\n");
}

function functionLines(built: Built): readonly string[] {
  const { designed, choice, guards } = built;
  if (choice.is !== "expression") return [];
  const seen = seenParameters(built).map(({ name }) => safeName(name));
  const names = new Map(designed.parameters.map(({ name }, place) => [name, seen[place]!]));
  const signature = designed.parameters.map(({ type, isOptional, default: fallback }, place) => {
    const typed = `${seen[place]}: ${hintOf(type)}`;
    return fallback === undefined ? (isOptional ? `${typed} = None` : typed) : `${typed} = ${py(fallback)}`;
  });
  return [
    `def ${designed.name}(${signature.join(", ")}):`,
    `    """${docstring(designed.summary === "" ? designed.name : designed.summary)}"""`,
    ...guards.flatMap(({ error, when, message }) => [
      `    if ${expressionInPython(when, names, "calculate.")}:`,
      `        raise ${errorName(error)}(${py(message)})`,
    ]),
    `    return ${expressionInPython(choice.expression, names, "calculate.")}`,
  ];
}

/** Text between the quotes of a docstring: it can neither escape them nor end them early. */
function docstring(text: string): string {
  return comment(text).replaceAll("\\", "\\\\").replace(/"$/, '" ');
}

const keywords = new Set(
  `False None True and as assert async await break class continue def del elif else except finally for from global if import
  in is lambda nonlocal not or pass raise return try while with yield`.split(/\s+/),
);

function safeName(name: string): string {
  return keywords.has(name) ? `${name}_` : name.replaceAll("$", "_");
}

/** Whether Python can have a function of this name. */
export function isPythonName(name: string): boolean {
  return /^[A-Za-z_]\w*$/.test(name) && !keywords.has(name) && name !== "calculate";
}

function hintOf(type: string): string {
  const plain = type.trim().toLowerCase();
  if (/^(?:number|float|decimal)$/.test(plain)) return "float";
  if (/^int(?:eger)?$/.test(plain)) return "int";
  if (/^(?:string|str|text)$/.test(plain)) return "str";
  if (/^bool(?:ean)?$/.test(plain)) return "bool";
  return plain.endsWith("[]") || /^(?:list|array)\b/.test(plain) ? "list" : "object";
}

/** The errors of documents, as Python calls them. */
export function errorName(error: string): string {
  return error === "TypeError" ? "TypeError" : "ValueError";
}

function callOf({ designed: { name } }: Built, { args }: Example): string {
  return `${name}(${args.map((value) => py(value)).join(", ")})`;
}

function testModule(module: string, built: readonly Built[]): string {
  const tested = built.filter(({ designed, samples }) => designed.examples.length + samples.length > 0);
  return [
    "import unittest",
    "",
    `from ${module} import ${built.map(({ designed: { name } }) => name).join(", ")}`,
    "",
    "",
    "class FunctionsTest(unittest.TestCase):",
    "    def assert_close(self, actual, expected):",
    '        """Numbers, or lists of them, that differ at most in their last digits."""',
    "        if isinstance(expected, list):",
    "            self.assertEqual(len(actual), len(expected))",
    "            for each, value in zip(actual, expected):",
    "                self.assert_close(each, value)",
    "        elif isinstance(expected, float):",
    "            self.assertAlmostEqual(actual, expected, delta=1e-9 * max(1, abs(expected)))",
    "        else:",
    "            self.assertEqual(actual, expected)",
    ...tested.flatMap((each) => [
      "",
      `    def test_${each.designed.name}_gives_what_its_${each.samples.length > 0 ? "expression_says" : "examples_say"}(self):`,
      ...[...each.designed.examples, ...each.samples].flatMap((example) =>
        example.throws === undefined
          ? [`        self.assert_close(${callOf(each, example)}, ${py(example.returns)})`]
          : [`        with self.assertRaises(${errorName(example.throws)}):`, `            ${callOf(each, example)}`],
      ),
    ]),
  ].join("\n");
}

function exampleProgram(module: string, built: readonly Built[]): string {
  const calls = built.flatMap((each) => {
    const example = each.designed.examples.find(({ throws }) => throws === undefined);
    return example === undefined ? [] : [`print(${callOf(each, example)})`];
  });
  return [
    "# Run with `PYTHONPATH=. python3 examples/quick_start.py`.",
    `from ${module} import *  # noqa: F403`,
    "",
    ...calls,
  ].join("\n");
}

/** The README's chapter on the interface. */
export function pythonChapter(packageName: string, built: readonly Built[]): string {
  const names = built.map(({ designed: { name } }) => name);
  const lines = built.flatMap((each) =>
    each.designed.examples.map((example) =>
      comment(
        `${callOf(each, example)}  # ${example.throws === undefined ? py(example.returns) : `raises ${errorName(example.throws)}`}`,
      ),
    ),
  );
  if (names.length === 0) return "## Interface";
  return [
    ...["## Interface", "", "```python", `from ${moduleName(packageName)} import ${names.join(", ")}`, ""],
    ...lines,
    "```",
  ].join("\n");
}
