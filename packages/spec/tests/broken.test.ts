import { readdirSync, readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import {
  type Diagnostic,
  diagnosticCodes,
  type KnownPlugin,
  limits,
  type ParseOptions,
  parseSpec,
  readTaskBreakdown,
  resolveSpec,
} from "../src/index.ts";

/**
 * Each file of `broken/` starts with its expected diagnostics, in the order of the text:
 * `#! <severity> <code> <line>:<column>-<endLine>:<endColumn> <pointer, or - for the document as a whole>`.
 */
const folder = new URL("broken/", import.meta.url);
const files = readdirSync(folder).filter((name) => name.endsWith(".yaml"));

describe("every problem of a broken document is reported, at its position:", () => {
  test.each(files.map((file) => [sentence(file), file]))("%s", (_, file) => {
    const text = readFileSync(new URL(file, folder), "utf8");
    const expected = expectedIn(text);
    expect(expected).not.toEqual([]);
    const { document, diagnostics } = parseSpec(text);
    expectDiagnostics(diagnostics, document, expected);
  });
});

/** Task breakdowns with the same header, for the document beside them. */
const planFolder = new URL("broken-plans/", import.meta.url);
const planFiles = readdirSync(planFolder).filter((name) => name.endsWith(".yaml") && name !== "document.yaml");
const planned = resolveSpec(parseSpec(readFileSync(new URL("document.yaml", planFolder))).document!).document;

describe("so is a broken plan:", () => {
  test.each(planFiles.map((file) => [sentence(file), file]))("%s", (_, file) => {
    const text = readFileSync(new URL(file, planFolder), "utf8");
    const expected = expectedIn(text);
    expect(expected).not.toEqual([]);
    const { plan, diagnostics } = readTaskBreakdown(text, planned);
    expectDiagnostics(diagnostics, plan, expected);
  });

  test("more tasks than a plan may have", () => {
    const text = `tasks:\n${numbered(limits.planTasks + 1, (number) => `  - { id: t${number}, title: T, phase: a }\n`)}`;
    const { plan, diagnostics } = readTaskBreakdown(text, planned);
    expectDiagnostics(diagnostics, plan, ["error too_many_tasks 1:1-1:6 /tasks"]);
  });

  test("more bytes than a plan may have", () => {
    const { plan, diagnostics } = readTaskBreakdown(`# ${"x".repeat(limits.breakdownBytes)}`, planned);
    expectDiagnostics(diagnostics, plan, ["error too_large 1:1-1:1 -"]);
    expect(diagnostics[0]?.message).toBe("The plan is larger than 4 MiB (4194304 bytes).");
  });
});

const sound = `spec_version: "1.0.0"
id: till
name: Till
description: Sells things.
outcome_type: api
acceptance: {}
stack: {}
`;

/** Its type declares no keys, so that it may have any. */
const loose = sound.replace("outcome_type: api", "outcome_type: shop");

/** Inputs that cannot have a header: binary, empty or too large. */
const generated: Readonly<
  Record<string, { source: string | Uint8Array; options?: ParseOptions; expected: readonly string[] }>
> = {
  "nothing at all": { source: "", expected: ["error empty_document 1:1-1:1 -"] },
  "blank lines only": { source: "\n  \n\n", expected: ["error empty_document 1:1-1:1 -"] },
  "a byte order mark and nothing else": {
    source: "\uFEFF",
    expected: ["info byte_order_mark 1:1-1:1 -", "error empty_document 1:1-1:1 -"],
  },
  "a byte order mark moves no column": {
    source: `\uFEFFspec_version: 1.0\n${sound.slice(sound.indexOf("id:"))}`,
    expected: ["info byte_order_mark 1:1-1:1 -", "error wrong_type 1:15-1:18 /spec_version"],
  },
  "a byte order mark before a sound document": {
    source: bytes([0xef, 0xbb, 0xbf], sound),
    expected: ["info byte_order_mark 1:1-1:1 -"],
  },
  "a byte order mark in the middle": {
    source: `${loose}notes: a\uFEFFb\n`,
    expected: ["error control_character 8:9-8:10 -"],
  },
  "line endings of Windows": {
    source: sound.replaceAll("\n", "\r\n"),
    expected: ["info crlf_line_endings 1:22-1:23 -"],
  },
  "line endings of Windows move no column": {
    source: `${sound}guardrail: {}\ntimeouts: never\n`.replaceAll("\n", "\r\n"),
    expected: [
      "info crlf_line_endings 1:22-1:23 -",
      "warning misspelled_key 8:1-8:10 /guardrail",
      "error wrong_type 9:11-9:16 /timeouts",
    ],
  },
  "control characters": {
    source: `${loose}notes: \x1b[31mred\nmo\x07re: a\0b\n`,
    expected: [
      "error control_character 8:8-8:9 -",
      "error control_character 9:3-9:4 -",
      "error control_character 9:9-9:10 -",
    ],
  },
  "half a surrogate pair": { source: `${loose}notes: \ud800\n`, expected: ["error control_character 8:8-8:9 -"] },
  "a letter in Latin-1": {
    source: bytes(loose, "notes: caf", [0xe9], " au lait\n"),
    expected: ["error invalid_encoding 8:11-8:12 -"],
  },
  "a file that breaks off inside of a letter": {
    source: bytes(loose, "notes: caf", [0xc3]),
    expected: ["error invalid_encoding 8:11-8:12 -"],
  },
  "problems beside a wrong byte": {
    source: bytes(loose, "notes: ", [0xff], "\ntimeouts: never\n"),
    expected: ["error invalid_encoding 8:8-8:9 -", "error wrong_type 9:11-9:16 /timeouts"],
  },
  "a document in UTF-16": {
    source: bytes(
      [0xff, 0xfe],
      [...sound].flatMap((letter) => [letter.charCodeAt(0), 0]),
    ),
    expected: ["error invalid_encoding 1:1-1:1 -"],
  },
  "a picture": {
    source: bytes([0x89], "PNG\r\n", [0x1a, 0x0a, 0, 0, 0, 0x0d], "IHDR", [0, 0, 1, 0]),
    expected: ["error invalid_encoding 1:1-1:1 -"],
  },
  "a text of more than 1 MiB": {
    source: `${sound}# ${"x".repeat(limits.documentBytes)}`,
    expected: ["error too_large 1:1-1:1 -"],
  },
  "a text that is larger in bytes than in letters": {
    source: `${sound}# ${"ä".repeat(limits.documentBytes / 2)}`,
    expected: ["error too_large 1:1-1:1 -"],
  },
  "a list with too many entries": {
    source: `${loose}notes: [${"a, ".repeat(limits.entries + 1)}]\n`,
    expected: ["error too_many_entries 8:8-8:9 /notes"],
  },
  "a map with too many entries": {
    source: `${loose}notes:\n${numbered(limits.entries + 1, (number) => `  key${number}: 1\n`)}`,
    expected: ["error too_many_entries 9:3-9:4 /notes"],
  },
  "more tasks, features and services than a plan has room for": {
    source: `${sound}services: { a: {} }\nphases:\n  p: { features: [${"a, ".repeat(limits.planTasks - 1)}] }\n  q: {}\n`,
    expected: ["error too_many_tasks 9:1-9:7 /phases"],
  },
  "more tasks in an environment than a plan has room for": {
    source: `${sound}environments:\n  staging:\n    tasks: [${"{}, ".repeat(limits.planTasks + 1)}]\n`,
    expected: ["error too_many_tasks 10:5-10:10 /environments/staging/tasks"],
  },
  "a text that is too long": {
    source: `${loose}notes: ${"x".repeat(limits.scalarLength + 1)}\n`,
    expected: ["error scalar_too_long 8:8-8:9 /notes"],
  },
  "a key that is too long": {
    source: `${sound}? ${"x".repeat(limits.keyLength + 1)}\n: 1\n`,
    expected: ["error scalar_too_long 8:3-8:4 -"],
  },
  "more problems than are shown": {
    source: `${sound}plugins:\n${"  - 5\n".repeat(limits.diagnostics + 3)}`,
    expected: [
      ...Array.from({ length: limits.diagnostics }, (_, index) => {
        return `error wrong_type ${9 + index}:5-${9 + index}:6 /plugins/${index}`;
      }),
      "info more_problems 212:1-212:1 -",
    ],
  },
  "an environment that does not exist": {
    source: `${sound}environments:\n  staging: {}\n  production: {}\n`,
    options: { environment: "prodution" },
    expected: ["error unknown_environment 8:1-8:13 /environments"],
  },
  "an environment of a document without environments": {
    source: sound,
    options: { environment: "production" },
    expected: ["error unknown_environment 1:1-1:13 -"],
  },
};

const fleet: KnownPlugin = {
  name: "fleet",
  outcomeTypes: [
    {
      name: "fleet",
      schema: {
        type: "object",
        properties: {
          ships: { type: "integer", minimum: 1, description: "How many." },
          flag: { enum: ["red", "blue"] },
          harbours: { type: "object", additionalProperties: { type: "string" }, default: { home: "Kiel" } },
        },
        required: ["ships"],
      },
      stack_defaults: { hull: "steel", engine: "diesel" },
    },
  ],
};
const asFleet = sound.replace("outcome_type: api", "outcome_type: fleet");

/** Diagnostics that need known plugins. */
const ofPlugins: typeof generated = {
  "a plugin that nobody allowed": {
    source: `${sound}plugins: [fleet, nowhere]\n`,
    options: { plugins: [fleet] },
    expected: ["error unknown_plugin 8:18-8:25 /plugins/1"],
  },
  "a plugin that is broken": {
    source: `${sound}plugins:\n  - fleet\n`,
    options: { plugins: [{ name: "fleet", outcomeTypes: [], refusal: "It throws." }] },
    expected: ["error plugin_failed 9:5-9:10 /plugins/0"],
  },
  "two plugins of one type": {
    source: `${asFleet}plugins: [fleet, armada]\nships: 3\n`,
    options: { plugins: [fleet, { ...fleet, name: "armada" }] },
    expected: ["error duplicate_name 8:18-8:24 /plugins/1"],
  },
  "a type of a plugin that the document does not name": {
    source: asFleet,
    options: { plugins: [fleet] },
    expected: ["error unknown_outcome_type 5:15-5:20 /outcome_type"],
  },
  "keys of a plugin's type that are wrong": {
    source: `${asFleet}plugins: [fleet]\nships: many\nflag: green\nharbours:\n  home: 7\nharbour: {}\n`,
    options: { plugins: [fleet] },
    expected: [
      "error wrong_type 9:8-9:12 /ships",
      "error not_allowed 10:7-10:12 /flag",
      "error wrong_type 12:9-12:10 /harbours/home",
      "warning misspelled_key 13:1-13:8 /harbour",
    ],
  },
  "a type that plugins may define, where nobody knows them": {
    source: `${asFleet}plugins: [fleet]\nships: 3\n`,
    options: {},
    expected: ["info unchecked_outcome_type 5:15-5:20 /outcome_type"],
  },
  "keys of a plugin's type that are wrong in an environment": {
    source: `${asFleet}plugins: [fleet]\nships: 3\nenvironments:\n  storm:\n    ships: none\n`,
    options: { plugins: [fleet] },
    expected: ["error wrong_type 12:12-12:16 /environments/storm/ships"],
  },
  "keys that nobody uses": {
    source: `${asFleet}plugins: [fleet]\nships: 3\ncolour: red\nx-mine: 1\nenvironments:\n  storm:\n    sails: 2\n`,
    options: { plugins: [fleet] },
    expected: ["warning unused_key 10:1-10:7 /colour", "warning unused_key 14:5-14:10 /environments/storm/sails"],
  },
  "a key that a plugin's type needs": {
    source: `${asFleet}plugins: [fleet]\n`,
    options: { plugins: [fleet] },
    expected: ["error missing_fields 1:1-1:13 -"],
  },
};

test("a plugin's type fills in what the document leaves open", () => {
  const text = `${asFleet.replace("stack: {}", "stack: { hull: wood }")}plugins: [fleet]\nships: 3\n`;
  const { document, diagnostics } = parseSpec(text, { plugins: [fleet] });
  expect(diagnostics).toEqual([]);
  const complete = resolveSpec(document!, undefined, fleet.outcomeTypes[0]).document;
  expect(complete).toMatchObject({
    stack: { hull: "wood", engine: "diesel" },
    ships: 3,
    harbours: { home: "Kiel" },
  });
});

describe("so is what cannot say what to expect of it:", () => {
  test.each(Object.entries({ ...generated, ...ofPlugins }))("%s", (_, { source, options, expected }) => {
    const { document, diagnostics } = parseSpec(source, options ?? { outcomeTypes: ["shop"] });
    expectDiagnostics(diagnostics, document, expected);
  });
});

test("every diagnostic code has a broken document, or a broken plan, here", () => {
  const urls = [...files.map((file) => new URL(file, folder)), ...planFiles.map((file) => new URL(file, planFolder))];
  const lines = urls.flatMap((url) => expectedIn(readFileSync(url, "utf8")));
  for (const { expected } of Object.values({ ...generated, ...ofPlugins })) lines.push(...expected);
  const seen = new Set(lines.map((line) => line.split(" ")[1]));
  const unseen = Object.keys(diagnosticCodes).filter((code) => !seen.has(code));
  expect(unseen).toEqual([]);
});

describe("the messages that the reference prescribes", () => {
  const builtIn =
    "web-app, api, cli, game, library, ml-pipeline, mobile-app, desktop-app, infrastructure, documentation";

  test("a missing field is named", () => {
    const text = sound.replace("description: Sells things.\n", "");
    expect(messagesOf(text)).toEqual(["Schema validation error: missing required field: description."]);
  });

  test("all missing fields are named at once, in the order of the reference", () => {
    const all = "spec_version, id, name, description, outcome_type, acceptance, stack";
    expect(messagesOf("{}")).toEqual([`Schema validation error: missing required fields: ${all}.`]);
    const some = "id, description, acceptance";
    const text = 'stack: {}\noutcome_type: api\nname: Till\nspec_version: "1.0.0"\n';
    expect(messagesOf(text)).toEqual([`Schema validation error: missing required fields: ${some}.`]);
  });

  test("an unknown outcome type comes with the list of valid ones", () => {
    const text = sound.replace("outcome_type: api", "outcome_type: spaceship");
    expect(messagesOf(text)).toEqual([`Unknown outcome_type 'spaceship'. Valid types: ${builtIn}`]);
  });

  test("the types that plugins define are in the list, after the built-in ones", () => {
    const text = sound.replace("outcome_type: api", "outcome_type: spaceship");
    const options = { outcomeTypes: ["platform", "distributed-system"] };
    const expected = `Unknown outcome_type 'spaceship'. Valid types: ${builtIn}, platform, distributed-system`;
    expect(messagesOf(text, options)).toEqual([expected]);
  });

  test("a type that a plugin defines is valid, also for a service", () => {
    const text = `${sound.replace("outcome_type: api", "outcome_type: platform")}services: { desk: { outcome_type: platform } }\n`;
    expect(parseSpec(text, { outcomeTypes: ["platform"] }).diagnostics).toEqual([]);
    expect(messagesOf(text)).toHaveLength(2);
  });

  test("bad syntax is named with the line that is at fault, not the line where it was noticed", () => {
    const prefix = "Invalid YAML syntax at line";
    expect(messagesOf("id: till\n\tname: Till\n")).toEqual([`${prefix} 2: a tab is used as indentation.`]);
    expect(messagesOf('id: till\nname: "Till\nstack: {}\n')).toEqual([
      `${prefix} 2: a quote is opened but not closed.`,
    ]);
    expect(messagesOf("id: till\nplugins: [\n  a\nname: Till\n")).toEqual([
      `${prefix} 2: a '[' is opened but not closed.`,
    ]);
    expect(messagesOf("id: till\nname: Till: a shop\n")).toEqual([
      `${prefix} 2: a second ': ' on the line starts a map inside a value.`,
    ]);
    expect(messagesOf("id: till\nname: @till\n")).toEqual([`${prefix} 2: a value cannot start with '@'.`]);
  });
});

/** Compares the whole list, and checks the form of each message. */
function expectDiagnostics(diagnostics: readonly Diagnostic[], result: unknown, expected: readonly string[]): void {
  expect(diagnostics.map(lineOf)).toEqual(expected);
  for (const { severity, code, message, suggestion } of diagnostics) {
    // This message ends with a list.
    if (code !== "unknown_outcome_type") expect(message).toMatch(/[^\s.]\.$/);
    if (severity !== "info") expect(suggestion, message).toMatch(/\S[.?]$/);
  }
  const hasErrors = expected.some((line) => line.startsWith("error "));
  expect(result === undefined).toBe(hasErrors);
}

function lineOf({ severity, code, line, column, endLine, endColumn, pointer }: Diagnostic): string {
  return `${severity} ${code} ${line}:${column}-${endLine}:${endColumn} ${pointer || "-"}`;
}

function expectedIn(text: string): string[] {
  const lines = text.split("\n");
  const headerEnd = lines.findIndex((line) => !line.startsWith("#! "));
  return lines.slice(0, headerEnd).map((line) => line.slice("#! ".length));
}

function sentence(file: string): string {
  return file.replace(/\.yaml$/, "").replaceAll("-", " ");
}

function messagesOf(text: string, options?: ParseOptions): string[] {
  return parseSpec(text, options).diagnostics.map(({ message }) => message);
}

function bytes(...parts: readonly (string | readonly number[])[]): Uint8Array {
  const encoder = new TextEncoder();
  return Uint8Array.from(parts.flatMap((part) => (typeof part === "string" ? [...encoder.encode(part)] : part)));
}

function numbered(count: number, toText: (number: number) => string): string {
  return Array.from({ length: count }, (_, index) => toText(index)).join("");
}
