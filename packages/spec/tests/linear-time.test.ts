// @module-tag soak

import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { soakCases } from "../../../tools/soak-runs.ts";
import {
  acceptanceLines,
  explainKey,
  handOn,
  parseSpec,
  planWork,
  resolveSpec,
  type SpecDocument,
  unusedKeys,
} from "../src/index.ts";
import { opensValue } from "../src/yaml/report-syntax.ts";
import { tokenAt } from "../src/yaml/token-at.ts";

/** Texts of the signs that decide, and of few others: what is made by chance meets every case. */
const textOf = (signs: string) => fc.string({ unit: fc.constantFrom(...signs), maxLength: 14 });

describe("what scans instead of an expression finds the same:", () => {
  test("a line whose value would be below it", () => {
    const inOne = (line: string) => /(^|\s)-$|:(\s+#.*)?$/.test(line);
    fc.assert(
      fc.property(textOf("::##--  \t\ra\u2028"), (text) => {
        expect(opensValue(text.trim())).toBe(inOne(text.trim()));
      }),
      { numRuns: 3_000 },
    );
  });

  test("the end of a word", () => {
    const inOne = (text: string) => {
      const line = text.trimStart();
      const end = /\s*(?::(?=\s|$)|\s#|$)/.exec(line)?.index ?? line.length;
      return Math.max(end, Math.min(1, line.length));
    };
    fc.assert(
      fc.property(textOf("::##  \t\ra\u2028"), (text) => {
        const from = text.trimStart();
        const { start, end } = tokenAt(from, 0);
        expect([start, end]).toEqual([0, inOne(from)]);
      }),
      { numRuns: 3_000 },
    );
  });
});

describe("a byte takes the same time in a short text and in a long one:", () => {
  const asks: Readonly<Record<string, (bytes: number) => unknown>> = {
    "a key of brackets": (bytes) => explainKey(`${"[".repeat(bytes)}\n`),
    "a path of one name": (bytes) => explainKey("data_model.".repeat(bytes / 11)),
    "comments on one line before a broken one": (bytes) => parseSpec(`a${": #".repeat(bytes / 3)}\u2028x\n  'b' c\n`),
    "tests that name one actor with a long login": (bytes) => {
      const login = `POST /${"x".repeat(bytes / 2)} → 200`;
      const steps = [{ request: "GET /", as: "one" }];
      acceptanceLines(
        resolved({ actors: { one: { login } }, integration_tests: Array(Math.ceil(bytes / 200)).fill({ steps }) }),
      );
    },
    "keys that an agent finishes, and checks": (bytes) => {
      const names = Array.from({ length: bytes / 100 }, (_, index) => `word${index}`);
      const document = resolved(
        { http_endpoints: names.map((name) => ({ path: `/${name}` })) },
        Object.fromEntries(names.map((name) => [name, name])),
      );
      const rest = names.map((name) => ({ pointer: `/${name}`, reason: "No rule." }));
      handOn(planWork(document), document, rest);
    },
    "keys that nobody uses, and others that the builder speaks of": (bytes) => {
      const names = Array.from({ length: bytes / 100 }, (_, index) => `word${index}`);
      const document = resolved({}, { tasks: [Object.fromEntries(names.map((name) => [name, name]))] });
      const said = names.map((name) => ({ pointer: `/acceptance/${name}` }));
      expect(unusedKeys(document, said)).toHaveLength(names.length);
    },
    "blanks before a broken word": (bytes) => parseSpec(`a: 'b'${" ".repeat(bytes)}c\n`),
  };

  test.for(soakCases(Object.entries(asks)))("%s", ([, ask]) => {
    ask(1024);
    const [short, long] = [64, 512].map((kilobytes) => {
      const used = Array.from({ length: 3 }, () => cpuOf(() => ask(kilobytes * 1024)));
      return Math.min(...used) / kilobytes;
    }) as [number, number];
    // Quadratic time would be eight times as much. What takes 50 µs a kilobyte is noise, and far from any harm.
    expect(long).toBeLessThan(4 * Math.max(short, 0.05));
  });
});

function resolved(acceptance: object, others: object = {}) {
  const document = { spec_version: "1.0.0", id: "a", name: "A", description: "a", outcome_type: "api", stack: {} };
  return resolveSpec({ ...document, acceptance, ...others } as unknown as SpecDocument).document;
}

/** In milliseconds of a core: other programs on the machine do not count. */
function cpuOf(work: () => unknown): number {
  const before = process.cpuUsage();
  work();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000;
}
