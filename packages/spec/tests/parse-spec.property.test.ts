// @module-tag soak
import { readdirSync, readFileSync } from "node:fs";
import fc from "fast-check";
import { eastAsianWidth } from "get-east-asian-width";
import { describe, expect, test } from "vitest";
import { soakRuns } from "../../../tools/soak-runs.ts";
import { type Diagnostic, Excerpts, limits, parseSpec } from "../src/index.ts";

const folder = new URL("../../../examples/", import.meta.url);
const examples = readdirSync(folder)
  .filter((name) => name.endsWith(".yaml"))
  .map((name) => readFileSync(new URL(name, folder), "utf8"));

/** Signs and words that mean something to YAML or to us, alone and in company. */
const signs = [
  ...["[", "]", "{", "}", ",", ":", "-", "?", "|", ">", "&", "*", "!", "#", "'", '"', "%", "@", "`", "<<", "~", "\\"],
  ...[
    ": ",
    "- ",
    "? ",
    ", ",
    " #",
    "&a ",
    "*a ",
    "!t ",
    "!!str ",
    "<<: *a",
    "---\n",
    "...\n",
    "|-\n",
    ">+\n",
    "%YAML 1.1\n",
  ],
  ...[
    "\n",
    "\n",
    "\n",
    " ",
    "  ",
    "    ",
    "\t",
    "\r\n",
    "\r",
    "\0",
    "\x1b",
    "\x85",
    "\u2028",
    "\uFEFF",
    "\ud800",
    "é",
    "汉",
    "😀",
  ],
  ...["a", "b: ", "'a'", '"b"', "true", "1.0", "1e999", "0x1f", ".nan", "null", "\\x", "\\u0000", "{{x}}", "→ 200"],
];

/** Keys of the format, with values right and wrong. */
const entries = [
  ...['spec_version: "1.0.0"', "spec_version: 2.0", "id: a", "name: &a A", "description: *a", "outcome_type: apii"],
  ...["stack: {}", "stack: [", "acceptance:", "acceptance: {}", "guardrails: { security_scan: true }", "phases:"],
  ...["services: { a: { dependencies: [b] }, b: { dependencies: [a] } }", "depends_on: [a, b, c]", "tasks:", "- id: a"],
  ...[
    "environments: { production: { auto_deploy: yes } }",
    "tests: []",
    "http_endpoints:",
    "- { path: a, status: 99 }",
  ],
  ...["integration_tests: [{ steps: [GET / → 200, x] }]", "min_test_coverage: 85", "<<: *a", "? [a]", "__proto__: 1"],
];

const ofSigns = fc.array(fc.constantFrom(...signs), { maxLength: 60 }).map((parts) => parts.join(""));

const ofLines = fc
  .array(fc.tuple(fc.nat(4), fc.oneof(fc.constantFrom(...entries), fc.constantFrom(...signs))), { maxLength: 25 })
  .map((lines) => lines.map(([indent, text]) => `${"  ".repeat(indent)}${text}\n`).join(""));

const slice = fc.record({ at: fc.nat(8000), length: fc.nat(80), to: fc.nat(8000) });
const change = fc.oneof(
  slice.map(
    ({ at, length }) =>
      (text: string) =>
        text.slice(0, at) + text.slice(at + length),
  ),
  slice.map(
    ({ at, length, to }) =>
      (text: string) =>
        text.slice(0, to) + text.slice(at, at + length) + text.slice(to),
  ),
  slice.map(({ at, length, to }) => (text: string) => {
    const [first, second] = [Math.min(at, to), Math.max(at, to)];
    const moved = text.slice(second, second + length);
    return text.slice(0, first) + moved + text.slice(first, second) + text.slice(second + length);
  }),
  fc.tuple(fc.nat(8000), fc.constantFrom(...signs)).map(([at, sign]) => {
    return (text: string) => text.slice(0, at) + sign + text.slice(at);
  }),
);
/** An example after some accidents. */
const damaged = fc
  .tuple(fc.constantFrom(...examples), fc.array(change, { minLength: 1, maxLength: 6 }))
  .map(([text, changes]) => changes.reduce((changed, apply) => apply(changed), text));

const texts: readonly [string, fc.Arbitrary<string>, number][] = [
  ["strings of graphemes", fc.string({ unit: "grapheme", maxLength: 200 }), 200],
  ["strings of any UTF-16 units", fc.string({ unit: fc.nat(0xffff).map((code) => String.fromCharCode(code)) }), 200],
  ["strings of printable ASCII", fc.string({ unit: "grapheme-ascii", maxLength: 200 }), 200],
  ["signs of YAML in any order", ofSigns, 200],
  ["lines of the format in any order and at any depth", ofLines, 150],
  ["examples after some accidents", damaged, 150],
];

describe.for(texts)("of %s", ([, arbitrary, numRuns]) => {
  test("every reading ends, throws nothing, and points into the text", () => {
    fc.assert(
      fc.property(arbitrary, (text) => {
        const { document, diagnostics } = parseSpec(text);
        expect(document === undefined).toBe(diagnostics.some(({ severity }) => severity === "error"));
        expect(diagnostics.length).toBeLessThanOrEqual(limits.diagnostics + 1);
        const lines = text.split("\n");
        const excerpts = new Excerpts(text);
        for (const diagnostic of diagnostics) {
          expectPlaceInside(diagnostic, lines);
          expectWords(diagnostic);
          expectExcerpt(diagnostic, excerpts);
        }
      }),
      { numRuns: soakRuns(numRuns) },
    );
  });

  test("reading a text twice gives the same", () => {
    fc.assert(
      fc.property(arbitrary, (text) => {
        expect(parseSpec(text)).toEqual(parseSpec(text));
      }),
      { numRuns: soakRuns(50) },
    );
  });
});

describe("of bytes", () => {
  const bytes = fc.oneof(
    fc.uint8Array({ maxLength: 200 }),
    fc.tuple(damaged, fc.nat(8000), fc.uint8Array({ maxLength: 4 })).map(([text, at, odd]) => {
      const whole = new TextEncoder().encode(text);
      return Uint8Array.from([...whole.subarray(0, at), ...odd, ...whole.subarray(at)]);
    }),
  );

  test("every reading ends, throws nothing, and points into the text", () => {
    fc.assert(
      fc.property(bytes, (source) => {
        const { document, diagnostics } = parseSpec(source);
        expect(document === undefined).toBe(diagnostics.some(({ severity }) => severity === "error"));
        const text = new TextDecoder("utf-8", { ignoreBOM: true }).decode(source);
        const excerpts = new Excerpts(text);
        for (const diagnostic of diagnostics) {
          expectPlaceInside(diagnostic, text.split("\n"));
          expectWords(diagnostic);
          expectExcerpt(diagnostic, excerpts);
        }
      }),
      { numRuns: soakRuns(150) },
    );
  });

  test("text is read as it is when it comes as text", () => {
    fc.assert(
      fc.property(
        damaged.filter((text) => text.isWellFormed()),
        (text) => {
          expect(parseSpec(new TextEncoder().encode(text))).toEqual(parseSpec(text));
        },
      ),
      { numRuns: soakRuns(50) },
    );
  });
});

test("what an example says is kept, whatever is added to it under other names", () => {
  const json = fc.json({ maxDepth: 3 }).filter(isPlain);
  fc.assert(
    fc.property(fc.constantFrom(...examples), json, (text, notes) => {
      const { document, diagnostics } = parseSpec(`${text}\nx-notes-of-mine: ${notes}\n`);
      expect(diagnostics).toEqual([]);
      expect(document).toEqual({ ...parseSpec(text).document, "x-notes-of-mine": JSON.parse(notes) });
    }),
    { numRuns: soakRuns(100) },
  );
});

/** Without keys and characters that are refused, or mean something else to YAML. */
function isPlain(json: string): boolean {
  const odd = /__proto__|constructor|prototype|"<<"|-0|\\u0000|\\ud[89a-f]|[\x7f-\x9f\ufffe\uffff\ufeff]/i;
  return !odd.test(json);
}

function expectPlaceInside({ line, column, endLine, endColumn }: Diagnostic, lines: readonly string[]): void {
  for (const [lineAt, columnAt] of [
    [line, column],
    [endLine, endColumn],
  ] as const) {
    expect(lineAt).toBeGreaterThanOrEqual(1);
    expect(lineAt).toBeLessThanOrEqual(lines.length);
    expect(columnAt).toBeGreaterThanOrEqual(1);
    expect(columnAt).toBeLessThanOrEqual((lines[lineAt - 1]?.length ?? 0) + 1);
  }
  expect([endLine > line || endColumn >= column, endLine >= line]).toEqual([true, true]);
}

function expectWords({ message, suggestion = "", pointer }: Diagnostic): void {
  expect(pointer).toMatch(/^(\/([^~/]|~[01])*)*$/s);
  expect(message).not.toBe("");
  expect(Math.max(message.length, suggestion.length)).toBeLessThanOrEqual(limits.messageLength);
  expect(message + suggestion).not.toMatch(/[\0-\x1f\x7f-\x9f]|\p{Surrogate}/u);
}

function expectExcerpt(diagnostic: Diagnostic, excerpts: Excerpts): void {
  const { line, text, marks } = excerpts.of(diagnostic);
  expect(line).toBe(diagnostic.line);
  expect(text).not.toMatch(/[\0-\x1f\x7f-\x9f]|\p{Surrogate}/u);
  expect(marks).toMatch(/^ *\^+$/);
  expect(marks.length).toBeLessThanOrEqual(widthOf(text) + 1);
}

/** Columns that a terminal takes for a text. */
function widthOf(text: string): number {
  const visible = [...text].filter((character) => !/\p{M}/u.test(character));
  return visible.reduce((width, character) => width + eastAsianWidth(character.codePointAt(0) ?? 0), 0);
}
