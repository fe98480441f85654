// @module-tag soak

import { afterEach, describe, expect, test } from "vitest";
import { soakCases } from "../../../tools/soak-runs.ts";
import { type Diagnostic, type DiagnosticCode, limits, parseSpec } from "../src/index.ts";

const mebibyte = 1024 * 1024;

/** A document that nothing is wrong with; `extra` comes after it. Its type declares no keys, so that it may have any. */
const valid = (extra = "") => `spec_version: "1.0.0"
id: shop
name: Shop
description: Sells things.
outcome_type: shop
acceptance: {}
stack: {}
${extra}`;

/** Reads a source, and checks what must be true of every result. */
function judge(source: string | Uint8Array): ReturnType<typeof parseSpec> {
  const result = parseSpec(source, { outcomeTypes: ["shop"] });
  const { diagnostics } = result;
  expect(diagnostics.length).toBeLessThanOrEqual(limits.diagnostics + 1);
  for (const { message, suggestion = "", pointer } of diagnostics) {
    expect(message.length).toBeLessThanOrEqual(limits.messageLength);
    expect(suggestion.length).toBeLessThanOrEqual(limits.messageLength);
    expect(pointer.length).toBeLessThanOrEqual(limits.pointerLength);
    expect(message + suggestion).not.toMatch(/[\0-\x1f\x7f-\x9f]/);
  }
  expect(result.document === undefined).toBe(diagnostics.some(({ severity }) => severity === "error"));
  expect(JSON.stringify(result).length).toBeLessThan(16 * mebibyte);
  return result;
}

const codes = (diagnostics: readonly Diagnostic[]) => [...new Set(diagnostics.map(({ code }) => code))];
const codesOf = (source: string | Uint8Array) => codes(judge(source).diagnostics);
const find = (source: string | Uint8Array, code: DiagnosticCode) =>
  judge(source).diagnostics.filter((diagnostic) => diagnostic.code === code);
const place = ({ line, column }: Diagnostic) => [line, column];
const lines = (count: number, line: (index: number) => string) =>
  Array.from({ length: count }, (_, i) => line(i)).join("");
/** As many repetitions as fit into so many bytes. */
const filled = (unit: string, bytes = mebibyte) => unit.repeat(Math.floor(bytes / Buffer.byteLength(unit)));

describe("aliases", () => {
  test("a hundred of them are read", () => {
    const { document, diagnostics } = judge(valid(`x: [&a 1${", *a".repeat(100)}]\n`));
    expect(diagnostics).toEqual([]);
    expect(document).toMatchObject({ x: Array(101).fill(1) });
  });

  test("the one after that is refused, once", () => {
    const source = valid(`x: [&a 1${", *a".repeat(150)}]\n`);
    expect(find(source, "too_many_aliases").map(place)).toEqual([[8, 411]]);
  });

  test("ten levels of nine are refused before they are written out", () => {
    const bomb = lines(
      10,
      (level) => `a${level}: &a${level} [${Array(9).fill(level === 0 ? "lol" : `*a${level - 1}`)}]\n`,
    );
    expect(codesOf(valid(bomb))).toEqual(["too_many_aliases"]);
  });

  test("fifty doublings are refused", () => {
    const bomb = lines(
      50,
      (level) => `a${level}: &a${level} ${level === 0 ? "{}" : `[*a${level - 1}, *a${level - 1}]`}\n`,
    );
    expect(codesOf(valid(bomb))).toEqual(["too_many_aliases"]);
  });

  test("a large text that is repeated often is refused", () => {
    expect(codesOf(valid(`x: &a ${"a".repeat(200_000)}\ny: [*a, *a, *a, *a, *a, *a]\n`))).toEqual(["too_many_aliases"]);
  });

  test("a large text that is repeated now and then is read", () => {
    expect(codesOf(valid(`x: &a ${"a".repeat(200_000)}\ny: [*a, *a, *a]\n`))).toEqual([]);
  });

  test("merge keys that double a map are refused", { tags: "long" }, () => {
    const keys = lines(5000, (index) => `  key-${index}: 1\n`);
    const merged = lines(60, (index) => `m${index}: { <<: *base }\n`);
    expect(codesOf(valid(`base: &base\n${keys}${merged}`))).toEqual(["too_many_aliases"]);
  });

  test("merge keys that repeat one map a hundred times add nothing", () => {
    const { document } = judge(valid(`base: &base { a: 1 }\nx: { <<: [${Array(100).fill("*base")}], b: 2 }\n`));
    expect(document).toMatchObject({ x: { a: 1, b: 2 } });
  });

  test("an alias inside of what it stands for is refused", () => {
    expect(codesOf(valid("x: &a [*a]\n"))).toEqual(["alias_cycle"]);
    expect(codesOf(valid("x: &a { y: { <<: *a } }\n"))).toEqual(["alias_cycle"]);
  });

  test("aliases do not nest deeper than the document could", () => {
    const levels = lines(
      30,
      (index) => `a${index}: &a${index} ${nested("[", index === 0 ? "1" : `*a${index - 1}`, "]", 40)}\n`,
    );
    const found = find(valid(levels), "too_deep");
    expect(found[0]).toMatchObject({ line: 9, pointer: `/a1${"/0".repeat(40)}` });
  });

  test("a great many names for anchors are read", () => {
    expect(codesOf(valid(`x:\n${lines(9_999, (index) => `  - &anchor-${index} 1\n`)}`))).toEqual([]);
  });
});

function nested(open: string, inner: string, close: string, depth: number): string {
  return open.repeat(depth) + inner + close.repeat(depth);
}

describe("nesting", () => {
  /** The root is a map, and so the first level. */
  const shapes: Record<string, (depth: number) => string> = {
    "block maps": (depth) =>
      `x:\n${lines(depth - 1, (level) => `${" ".repeat(level + 1)}k:${level === depth - 2 ? " 1" : ""}\n`)}`,
    "block lists": (depth) => `x:\n${"- ".repeat(depth - 1)}1\n`,
    "flow lists": (depth) => `x: ${nested("[", "1", "]", depth - 1)}\n`,
    "flow maps": (depth) => `x: ${nested("{k: ", "1", "}", depth - 1)}\n`,
    "maps in lists": (depth) =>
      `x: ${nested("[{k: ", "1", "}]", (depth - 2) / 2)}\ny: ${nested("[", "1", "]", depth - 1)}\n`,
    "pairs in lists": (depth) =>
      `x: ${nested("[k: ", depth % 2 === 1 ? "1" : "[]", "]", Math.floor((depth - 1) / 2))}\n`,
    "flow in block": (depth) =>
      `x:\n${"- ".repeat(depth / 2)}${nested("[", "1", "]", depth - 1 - Math.floor(depth / 2))}\n`,
  };

  test.for(Object.entries(shapes))("64 levels of %s are read", ([, shape]) => {
    expect(codesOf(valid(shape(64)))).toEqual([]);
  });

  test.for(Object.entries(shapes))("65 levels of %s are too many", ([, shape]) => {
    expect(codesOf(valid(shape(65)))).toEqual(["too_deep"]);
  });

  test.for(["[", "{", "- ", "? ", "[{", "{a: ", "[a: ", "- - ? "])("20,000 times %j is too deep", (unit) => {
    expect(codesOf(unit.repeat(20_000))).toEqual(["too_deep"]);
  });

  test("the level that is too deep is pointed at", () => {
    expect(find(`x: ${"[".repeat(70)}`, "too_deep").map(place)).toEqual([[1, 4 + 63]]);
  });
});

describe("keys", () => {
  afterEach(() => {
    expect(Object.keys(Object.prototype)).toEqual([]);
    expect(({} as { polluted?: unknown }).polluted).toBeUndefined();
  });

  test.for(["__proto__", "constructor", "prototype"])("%s is refused wherever it stands", (key) => {
    const source = valid(`${key}: { polluted: true }
x: [{ "${key}": { polluted: true } }]
environments: { ${key}: { stack: { polluted: true } } }
base: &base { ? ${key} : 1 }
y: { <<: *base, <<: { ${key}: { polluted: true } } }
`);
    const places = find(source, "forbidden_key").map(({ pointer }) => pointer);
    expect(places).toEqual([`/${key}`, `/x/0/${key}`, `/environments/${key}`, `/base/${key}`, `/y/<</${key}`]);
  });

  test("names that objects inherit are names like others", () => {
    const names = ["toString", "hasOwnProperty", "valueOf", "isPrototypeOf", "__defineGetter__"];
    const { document, diagnostics } = judge(valid(`phases: { ${names.map((name) => `${name}: {}`).join(", ")} }\n`));
    expect(diagnostics).toEqual([]);
    expect(Object.keys(document?.phases ?? {})).toEqual(names);
  });

  test("a key that is set twice is reported with the line of the first", () => {
    const [found] = find(valid("x: 1\ny:\n  a: 1\n  'a': 2\nx: 2\n"), "duplicate_key");
    expect(found).toMatchObject({ pointer: "/y/a", line: 11, column: 3 });
    expect(found?.message).toContain("line 10");
  });

  test("a merge key may stand twice", () => {
    expect(judge(valid("x: { <<: { a: 1 }, <<: { b: 2 } }\n")).document).toMatchObject({ x: { a: 1, b: 2 } });
  });

  test("a key of more than 1024 characters is refused", () => {
    expect(codesOf(valid(`? ${"k".repeat(1024)}\n: 1\n`))).toEqual([]);
    expect(codesOf(valid(`? ${"k".repeat(1025)}\n: 1\n`))).toEqual(["scalar_too_long"]);
  });

  test("pointers stay short below long keys, and point at what is around", () => {
    const keys = Array.from({ length: 10 }, (_, level) => `${"  ".repeat(level)}${"k".repeat(1000)}:\n`).join("");
    const [found] = find(`${keys}${" ".repeat(20)}__proto__: 1\n`, "forbidden_key");
    expect(found?.pointer).toBe(`/${"k".repeat(1000)}`.repeat(4));
  });
});

describe("odd characters", () => {
  test("tabs that indent are reported at their position", () => {
    expect(find("a:\n\tb: 1\n", "yaml_syntax").map(place)).toEqual([[2, 1]]);
  });

  test("tabs between and behind values are fine", () => {
    expect(codesOf(valid("x:\t1\t\ny: [\t1,\t2\t]\t# comment\n\t\n"))).toEqual([]);
  });

  test("a byte order mark is ignored, and reported", () => {
    const { document, diagnostics } = judge(`\uFEFF${valid()}`);
    expect(document).toMatchObject({ id: "shop" });
    expect(diagnostics).toMatchObject([{ code: "byte_order_mark", severity: "info", line: 1, column: 1 }]);
    expect(codesOf(new TextEncoder().encode(`\uFEFF${valid()}`))).toEqual(["byte_order_mark"]);
  });

  test("a byte order mark moves no place", () => {
    expect(find("\uFEFFx: ]\n", "yaml_syntax").map(place)).toEqual(find("x: ]\n", "yaml_syntax").map(place));
    expect(find("\uFEFFa: 1\nb: ]\n", "yaml_syntax").map(place)).toEqual([[2, 4]]);
  });

  test("a byte order mark inside of the text is refused", () => {
    expect(find(valid("x: a\uFEFFb\n"), "control_character").map(place)).toEqual([[8, 5]]);
  });

  test("lines that end in CR LF are read, reported, and counted right", () => {
    const crlf = (text: string) => text.replaceAll("\n", "\r\n");
    const { document, diagnostics } = judge(crlf(valid("x: |\n  a\n  b\ny: 'c\n\n  d'\nz: \"e\n  f\"\n")));
    expect(document).toMatchObject({ x: "a\nb\n", y: "c\nd", z: "e f" });
    expect(diagnostics).toMatchObject([{ code: "crlf_line_endings", severity: "info", line: 1 }]);
    const wrong = valid("tasks:\n  - id: 1\n  - id: 2\n");
    expect(find(crlf(wrong), "wrong_type").map(place)).toEqual(find(wrong, "wrong_type").map(place));
  });

  test.for([
    ["a carriage return without a line feed", "\r", "U+000D"],
    ["NUL", "\0", "U+0000"],
    ["a bell", "\x07", "U+0007"],
    ["an escape sequence for terminals", "\x1b[31m", "U+001B"],
    ["a delete character", "\x7f", "U+007F"],
    ["a control character of the second set", "\x9b", "U+009B"],
    ["half a surrogate pair", "\ud83d", "U+D83D"],
    ["the other half", "\ude00", "U+DE00"],
    ["a character that is none", "\uffff", "U+FFFF"],
  ] as const)("%s is refused with its place", ([, character, name]) => {
    const [found] = find(valid(`x: ä😀${character}b\n`), "control_character");
    expect(found).toMatchObject({ line: 8, column: 7 });
    expect(found?.message).toContain(name);
  });

  test.for(["\\0", "\\u0000", "\\x00", "\\ud800", "\\udc00"])("the escape %s is refused too", (written) => {
    const found = find(valid(`x: { "${written}": 1, y: ["a${written}"] }\n`), "control_character");
    expect(found.map(({ pointer }) => pointer)).toEqual(["/x", "/x/y/0"]);
  });

  test("other escapes, and characters of any plane, are fine", () => {
    const { document } = judge(valid('x: "\\x07\\u00e4\\ud83d\\ude00\\U0001F600 é 汉 😀"\n'));
    expect(document).toMatchObject({ x: "\x07ä😀😀 é 汉 😀" });
  });

  test("a file full of them gets few diagnostics", () => {
    expect(judge(filled("\x01")).diagnostics.length).toBeLessThan(30);
    expect(judge(filled("\r")).diagnostics.length).toBeLessThan(30);
  });
});

describe("bytes that are no UTF-8", () => {
  const bytes = (before: string, bad: readonly number[], after = "") =>
    Uint8Array.from([...new TextEncoder().encode(before), ...bad, ...new TextEncoder().encode(after)]);

  test.for([
    ["a lone continuation byte", [0x80], "0x80"],
    ["an overlong slash", [0xc0, 0xaf], "0xC0"],
    ["an overlong form of three bytes", [0xe0, 0x80, 0xaf], "0xE0"],
    ["a surrogate", [0xed, 0xa0, 0x80], "0xED"],
    ["a character beyond the last plane", [0xf4, 0x90, 0x80, 0x80], "0xF4"],
    ["a byte that never occurs", [0xff], "0xFF"],
    ["a character that breaks off", [0xf0, 0x9f, 0x98], "0xF0"],
    ["Latin-1", [0xe4], "0xE4"],
  ] as const)("%s is told with its place, also behind characters of several bytes", ([, bad, hex]) => {
    const [found] = find(bytes("ä: 汉\nb: 😀", bad, " c\n"), "invalid_encoding");
    expect(found).toMatchObject({ line: 2, column: 6 });
    expect(found?.message).toContain(hex);
  });

  test("a character that is cut off by the end of the file is reported from its first byte on", () => {
    expect(find(bytes("b: 😀", [0xf0, 0x9f, 0x98]), "invalid_encoding").map(place)).toEqual([[1, 6]]);
    expect(find(bytes("b: 😀", [0xc3]), "invalid_encoding").map(place)).toEqual([[1, 6]]);
  });

  test("a mebibyte of them is refused", () => {
    expect(codesOf(new Uint8Array(mebibyte).fill(0x80))).toContain("invalid_encoding");
    expect(codesOf(new Uint8Array(mebibyte).fill(0xff))).toContain("invalid_encoding");
  });

  test("UTF-16 is refused", () => {
    expect(codesOf(new Uint8Array(Buffer.from(`\uFEFF${valid()}`, "utf16le")))).toContain("invalid_encoding");
  });
});

describe("size", () => {
  const exactly = (bytes: number) => {
    const text = valid(filled(`# ${"ä".repeat(500)}\n`, bytes - 2000));
    return `${text}#${"-".repeat(bytes - Buffer.byteLength(text) - 1)}`;
  };

  test("a document of exactly 1 MiB is read", () => {
    const source = exactly(mebibyte);
    expect(Buffer.byteLength(source)).toBe(mebibyte);
    expect(codesOf(source)).toEqual([]);
    expect(codesOf(new TextEncoder().encode(source))).toEqual([]);
  });

  test("one byte more is refused, whatever is in it", () => {
    expect(codesOf(exactly(mebibyte + 1))).toEqual(["too_large"]);
    expect(codesOf(new TextEncoder().encode(exactly(mebibyte + 1)))).toEqual(["too_large"]);
    expect(codesOf(new Uint8Array(mebibyte + 1))).toEqual(["too_large"]);
    expect(codesOf("ä".repeat(mebibyte / 2 + 1))).toEqual(["too_large"]);
    expect(judge("[".repeat(100 * mebibyte)).diagnostics).toMatchObject([{ code: "too_large", line: 1, column: 1 }]);
  });

  test.for([
    ["plain", (text: string) => `x: ${text}\n`],
    ["single-quoted", (text: string) => `x: '${text}'\n`],
    ["double-quoted", (text: string) => `x: "${text}"\n`],
    ["literal", (text: string) => `x: |-\n  ${text}\n`],
    ["folded", (text: string) => `x: >-\n  ${text}\n`],
  ] as const)("a %s text of 256 KiB is read, and one character more is not", ([, write]) => {
    const longest = "a".repeat(limits.scalarLength);
    expect(judge(valid(write(longest))).document).toMatchObject({ x: longest });
    expect(find(valid(write(`${longest}a`)), "scalar_too_long")).toMatchObject([{ pointer: "/x", line: 8 }]);
  });

  test("a text over very many lines is refused as well as one on a single line", () => {
    expect(codesOf(valid(`x: a\n${filled("  b\n", 900_000)}`))).toEqual(["scalar_too_long"]);
    expect(codesOf(valid(`x: "\n${filled("  b\n", 900_000)}  "\n`))).toEqual(["scalar_too_long"]);
  });

  test("a number of a hundred thousand digits is reported in a few words", () => {
    const [found] = find(valid(`timeouts: { implementation_minutes: ${"9".repeat(100_000)} }\n`), "wrong_type");
    expect(found?.message.length).toBeLessThan(300);
  });

  test("10,000 entries are read, and one more is not", { tags: "long" }, () => {
    expect(codesOf(valid(`x:\n${lines(10_000, (index) => `  - ${index}\n`)}`))).toEqual([]);
    expect(codesOf(valid(`x:\n${lines(10_000, (index) => `  k${index}: 1\n`)}`))).toEqual([]);
    expect(find(valid(`x:\n${lines(10_001, (index) => `  - ${index}\n`)}`), "too_many_entries")).toMatchObject([
      { pointer: "/x", line: 9 },
    ]);
    expect(find(valid(`x:\n${lines(10_001, (index) => `  k${index}: 1\n`)}`), "too_many_entries")).toMatchObject([
      { pointer: "/x", line: 9 },
    ]);
  });

  test.for(
    soakCases([
      ["keys in a block map", () => lines(20_000, (index) => `k${index}:\n`)],
      ["keys in a flow map", () => `x: { ${lines(20_000, (index) => `k${index},`)} }\n`],
      ["items in a block list", () => `x:\n${lines(20_000, () => "- a\n")}`],
      ["items in a flow list", () => `x: [${"a,".repeat(20_000)}]\n`],
      ["items that are empty", () => `x:\n${"-\n".repeat(20_000)}`],
    ] as const),
  )("20,000 %s are refused", ([, source]) => {
    expect(codesOf(source())).toContain("too_many_entries");
  });

  test("very many maps with few entries each are refused together", { tags: "long" }, () => {
    expect(codesOf(`x:\n${filled("- {a: 1}\n", mebibyte - 3)}`)).toEqual(["too_many_entries"]);
  });
});

describe("names that the service keeps by", () => {
  const inTask = (name: string) => valid(`tasks: [{ id: ${name} }]\n`);
  const inEnvironments = (name: string) => valid(`environments: { ${name}: {} }\n`);
  const inApprovers = (name: string) => valid(`environments: { live: { approvers: [ada, ${name}] } }\n`);
  const inRole = (name: string) => valid(`tasks: [{ id: one, role: ${name} }]\n`);

  test.for([
    ["a task", inTask],
    ["an environment", inEnvironments],
    ["an approver", inApprovers],
    ["a role", inRole],
  ] as const)("have at most 200 characters: %s", ([, write]) => {
    expect(codesOf(write("𠀋".repeat(200)))).toEqual([]);
    expect(codesOf(write("𠀋".repeat(201)))).toEqual(["bad_format"]);
    expect(codesOf(write("a".repeat(1_000)))).toEqual(["bad_format"]);
    // Counted in characters, as the limit is.
    const [found] = find(write("𠀋".repeat(201)), "bad_format");
    expect(found?.message).toMatch(/ must have at most 200 characters\.$/);
  });
});

test("a document's own name, which stands in every list, has at most 1,000 characters", () => {
  const named = (name: string) => valid("").replace(/^name: .*$/m, `name: ${name}`);
  expect(codesOf(named("a".repeat(1_000)))).toEqual([]);
  expect(codesOf(named("a".repeat(1_001)))).toEqual(["bad_format"]);
});

describe("documents that are none", () => {
  test.for(["", " ", "\n", "\n\n  \n", "# nothing\n", "---\n", "---\n...\n", "\uFEFF", "\t\n"])(
    "%j is empty",
    (source) => {
      expect(codesOf(source)).toContain("empty_document");
    },
  );

  test.for(["a", "42", "true", "~", "null", "'a'", "|\n  a\n", "- a\n", "[a]", "[]", "&a b"])(
    "%j is no map",
    (source) => {
      expect(codesOf(source)).toEqual(["not_a_map"]);
    },
  );

  test("a second document is refused, and pointed at", () => {
    expect(find(`${valid()}---\n${valid()}`, "multiple_documents").map(place)).toEqual([[8, 1]]);
    expect(codesOf("a\n--- b\n--- c\n")).toContain("multiple_documents");
  });

  test("marks of a document's start and end are no second document", () => {
    expect(codesOf(`%YAML 1.2\n---\n${valid()}...\n`)).toEqual([]);
  });

  test("a directive does not bring back other kinds of value", () => {
    const { document } = judge(`%YAML 1.1\n---\n${valid("x: [yes, 2001-01-01, 0o17, 1_000]\n")}`);
    expect(document).toMatchObject({ x: ["yes", "2001-01-01", 15, "1_000"] });
  });

  test.for([
    "!!binary aGk=",
    "!!timestamp 2001-01-01",
    "!!set { a }",
    "!!omap [a: 1]",
    "!!pairs [a: 1]",
    "!!merge <<",
    "!!js/function f",
    "!<constructor> a",
    "!<__proto__> {}",
    "!local a",
  ])("the tag of %s has no meaning", (value) => {
    expect(codesOf(valid(`x: ${value}\n`))).toEqual(["unknown_tag"]);
  });
});

describe("a great deal of", () => {
  const nasty = [
    ...["[", "]", "{", "}", ",", "- ", "? ", ": ", "&a ", "*a ", "!", "#", "'", '"', "\\", "%", "\t", "|\n", ">\n"],
    ...["---\n", "...\n", "a: b: ", "<<: ", "a: [\n", "a: '\n", "a: ]\n", "@\n"],
  ];

  test.for(soakCases(nasty))("%j, 128 KiB of it, is refused with few diagnostics", (unit) => {
    const { document, diagnostics } = judge(filled(unit, mebibyte / 8));
    expect(document).toBeUndefined();
    expect(diagnostics.length).toBeGreaterThan(0);
  });

  test("tags is reported as such, also where there are more than are checked", () => {
    expect(codesOf(lines(2000, (index) => `k${index}: !t 1\n`))).toEqual(["unknown_tag", "more_problems"]);
    expect(codesOf(`x: [${"!t 1, ".repeat(2000)}]\n`)).toEqual(["unknown_tag"]);
  });

  test("problems of syntax is cut short", () => {
    const found = judge(filled("x: 'a' b\n", 200_000)).diagnostics;
    expect(found.length).toBe(limits.diagnostics + 1);
    expect(found.at(-1)?.code).toBe("more_problems");
  });

  test("comments below empty lines is read", { tags: "long" }, () => {
    const blank = `${valid("x: |\n   text\n")}${filled("\n", 100_000)}`;
    expect(codesOf(blank + filled(" #\n", 150_000))).toEqual([]);
    expect(codesOf(valid(`x: 1\n${"\n".repeat(200)}\t# a\n \t # b\ny: 2\n`))).toEqual([]);
    expect(judge(`${blank}${filled(" #\n", 1000)}y: |\n  # no comment\n`).document).toMatchObject({
      y: "# no comment\n",
    });
  });
});

describe("large documents whose parts name each other", () => {
  const many = 5_000;

  test("phases in a chain are read, as many as a plan has tasks", () => {
    const chain = lines(
      limits.planTasks,
      (index) => `  p${index}: { depends_on: [${index === 0 ? "" : `p${index - 1}`}] }\n`,
    );
    expect(codesOf(valid(`phases:\n${chain}`))).toEqual([]);
  });

  test("phases in a circle are one circle, which is shown as far as a message goes", { tags: "long" }, () => {
    const ring = lines(many, (index) => `  p${index}: { depends_on: [p${(index + 1) % many}] }\n`);
    const found = judge(valid(`phases:\n${ring}`)).diagnostics;
    expect(codes(found)).toEqual(["too_many_tasks", "dependency_cycle"]);
    expect(found).toHaveLength(2);
    expect(found[1]?.message).toMatch(/p0 → p1 → p2 → .*…$/);
  });

  test("phases that all wait for all are reported a limited number of times", { tags: "long" }, () => {
    const names = lines(many, (index) => `p${index},`);
    const phases = lines(many, (index) => `  p${index}: { depends_on: ${index < 15 ? "*all" : "[]"} }\n`);
    expect(codesOf(valid(`all: &all [${names}]\nphases:\n${phases}`))).toEqual(["dependency_cycle", "too_many_tasks"]);
  });

  test("names that are all misspelled are reported a limited number of times, the first with what was meant", {
    tags: "long",
  }, () => {
    const tasks = lines(many, (index) => `  - { id: a-task-${index}, depends_on: [a-tsak-${index}] }\n`);
    const found = judge(valid(`tasks:\n${tasks}`)).diagnostics;
    expect(codes(found)).toEqual(["unknown_reference", "more_problems"]);
    expect(found[0]?.suggestion).toBe("Did you mean 'a-task-0'?");
    // One of them is that they are too many.
    expect(found.at(-1)?.message).toContain(String(many + 1 - limits.diagnostics));
  });

  test("tasks that all wait for what comes after them are reported a limited number of times", { tags: "long" }, () => {
    const tasks = lines(limits.planTasks - 2, (index) => `  - { id: t${index}, phase: a, depends_on: [last] }\n`);
    const phases = "phases: { a: {}, b: { depends_on: [a] } }\n";
    const source = valid(
      `${phases}tasks:\n  - { id: last, phase: b }\n${tasks}`.replace("t0, phase: a", "t0, phase: b"),
    );
    expect(codesOf(source)).toEqual(["too_many_tasks"]);
    expect(codesOf(source.replace(/ {2}- \{ id: t1,.*\n/, ""))).toEqual(["late_dependency", "more_problems"]);
  });

  test("events that nobody publishes are reported a limited number of times", () => {
    const published = lines(many, (index) => `order.placed${index},`);
    const consumed = lines(many, (index) => `order.plaecd${index},`);
    const services = `a: { events_published: [${published}] }, b: { events_consumed: [${consumed}] }`;
    expect(codesOf(valid(`services: { ${services} }\n`))).toContain("more_problems");
  });

  test("approvals of environments that do not exist are reported a limited number of times", { tags: "long" }, () => {
    const approvals = lines(many, (index) => `enviroment${index},`);
    const environments = lines(many, (index) => `  environment${index}: {}\n`);
    const guardrails = `guardrails: { deployment: { human_approval_required: [${approvals}] } }\n`;
    expect(codesOf(valid(`${guardrails}environments:\n${environments}`))).toContain("more_problems");
  });

  test("every phase may check the health of any service", () => {
    const half = limits.planTasks / 2;
    const services = lines(half, (index) => `  s${index}: {}\n`);
    const phases = lines(
      half,
      (index) => `  p${index}: { acceptance: { service_health: [{ service: s${index} }] } }\n`,
    );
    expect(codesOf(valid(`services:\n${services}phases:\n${phases}`))).toEqual([]);
  });

  test("keys that are all near to known ones are reported a limited number of times", { tags: "long" }, () => {
    const phases = lines(many, (index) => `  p${index}: { featurs: 1, priorty: 1, depend_on: 1 }\n`);
    expect(codesOf(valid(`phases:\n${phases}`))).toEqual(["too_many_tasks", "misspelled_key", "more_problems"]);
  });

  test("an error is shown however many warnings come before it", { tags: "long" }, () => {
    const phases = lines(many, (index) => `  p${index}: { featurs: 1 }\n`);
    const { document, diagnostics } = judge(valid(`phases:\n${phases}tasks: 1\ntimeouts: []\n`));
    expect(document).toBeUndefined();
    expect(codes(diagnostics)).toEqual(["too_many_tasks", "misspelled_key", "wrong_type", "more_problems"]);
    expect(diagnostics.filter(({ code }) => code === "wrong_type").map(({ pointer }) => pointer)).toEqual([
      ...["/tasks", "/timeouts"],
    ]);
    expect(diagnostics.at(-1)?.message).toContain(String(many + 3 - limits.diagnostics));
  });

  test("environments that each override a part of very many services are refused", { tags: "long" }, () => {
    const services = lines(2_000, (index) => `  s${index}: {}\n`);
    const environments = lines(2_000, (index) => `  e${index}: { services: { s0: { ports: ["80:80"] } } }\n`);
    expect(codesOf(valid(`services:\n${services}environments:\n${environments}`))).toEqual(["too_many_entries"]);
  });

  test("environments by the thousand that override a part of a few services are read", { tags: "long" }, () => {
    const environments = lines(many, (index) => `  e${index}: { services: { api: { ports: ["${index + 1}:80"] } } }\n`);
    expect(codesOf(valid(`services: { api: {}, web: {} }\nenvironments:\n${environments}`))).toEqual([]);
  });

  test("acceptance lines are refused beyond a limit, wherever they stand", { tags: "long" }, () => {
    const half = `{ tests: [${"{}, ".repeat(limits.acceptanceLines / 2)}] }`;
    const of = (acceptance: string, extra = "") =>
      codesOf(valid(`phases: { one: { acceptance: ${half} } }\n${extra}`).replace("acceptance: {}", acceptance));
    expect(of(`acceptance: ${half}`)).toEqual([]);
    expect(of(`acceptance: ${half.replace("]", "], by_hand: true")}`)).toEqual(["too_many_entries"]);
    const metrics = lines(limits.acceptanceLines / 2, (index) => `m${index}: 1, `);
    expect(of(`acceptance: { commands: [{ command: x, performance: { ${metrics} } }] }`)).toContain("too_many_entries");
    for (const added of ["acceptance: { by_hand: true }", "phases: { one: { acceptance: { by_hand: true } } }"])
      expect(of(`acceptance: ${half}`, `environments: { test: { ${added} } }\n`)).toEqual(["too_many_entries"]);
  });

  test("environments that a result goes to by itself are refused by the thousand", { tags: "long" }, () => {
    const automatic = (count: number) =>
      codesOf(valid(`environments:\n${lines(count, (index) => `  e${index}: { auto_deploy: true }\n`)}`));
    expect(automatic(limits.autoDeployed)).toEqual([]);
    expect(automatic(limits.autoDeployed + 1)).toEqual(["too_many_entries"]);
    expect(automatic(many)).toEqual(["too_many_entries"]);
  });

  test("approvers are refused by the hundred", () => {
    const asking = (count: number) =>
      valid(`environments:\n  live:\n    approvers: [${lines(count, (index) => `p${index}, `)}]\n`);
    expect(codesOf(asking(limits.approvers))).toEqual([]);
    expect(find(asking(limits.approvers + 1), "too_many_entries").map(place)).toEqual([[10, 5]]);
  });

  test("templates that do not exist are reported a limited number of times", () => {
    const text = filled("{{x}}", 250_000);
    const slack = `metadata: { integrations: { slack: { message_templates: { errors: "${text}" } } } }\n`;
    expect(codesOf(valid(slack))).toEqual(["unknown_template", "more_problems"]);
  });
});
