import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { withSteps } from "../src/kit/document-steps.ts";
import { whyUnfit } from "../src/kit/fits-pattern.ts";

const fits = (pattern: string, text: string) => whyUnfit(pattern, text) === undefined;

describe("a pattern", () => {
  test("matches what a regular expression of JavaScript matches", () => {
    const part = fc.constantFrom(
      "a",
      "b",
      ".",
      "[ab]",
      "[^a]",
      "\\d",
      "\\w",
      "\\s",
      "é",
      "\\u{1f600}",
      "\\b",
      "^",
      "$",
    );
    const pattern = fc.letrec((tie) => ({
      any: fc.oneof(
        { maxDepth: 3, withCrossShrink: true },
        part,
        fc.tuple(tie("any"), tie("any")).map(([a, b]) => `${a}${b}`),
        fc.tuple(tie("any"), tie("any")).map(([a, b]) => `(${a}|${b}|)`),
        fc
          .tuple(tie("any"), fc.constantFrom("*", "+", "?", "{2}", "{1,3}", "{2,}", "*?"))
          .map(([a, times]) => `(?:${a})${times}`),
        fc.tuple(tie("any"), fc.constantFrom("?=", "?!", "?<=", "?<!")).map(([a, look]) => `(${look}${a})`),
      ),
    })).any as fc.Arbitrary<string>;
    const text = fc.string({ unit: fc.constantFrom("a", "b", "1", " ", "é", "😀"), maxLength: 8 });
    fc.assert(
      fc.property(pattern, text, (written, value) => {
        expect([written, value, fits(written, value)]).toEqual([written, value, matchesAnywhere(written, value)]);
      }),
      { numRuns: 500 },
    );
  });

  test("begins at a character, not between its halves", () => {
    expect(fits("(?:a)*(?<!a)(?!(?=.))", "😀a")).toBe(false);
  });

  test("that would go back for ever is matched in few steps", () => {
    for (const hostile of ["^(a+)+$", "^(a|a)*$", "^(a|aa)+$", "(.*a){12}b", "^(?=(a+)+b)"])
      expect(fits(hostile, "a".repeat(500))).toBe(new Set(["^(a+)+$", "^(a|a)*$", "^(a|aa)+$"]).has(hostile));
  });

  test("that cannot be matched in steps of a known number is told", () => {
    expect(whyUnfit("^(a)\\1$", "aa")).toBe(
      "cannot be checked against ^(a)\\1$: the pattern refers back to what it has matched",
    );
    expect(whyUnfit("^((a{40}){40}){40}$", "a")).toContain("the pattern is too large");
    expect(whyUnfit("(", "a")).toContain("it is no regular expression");
  });

  test("that repeats nothing for ever, or is nested without end, holds nobody up", () => {
    for (const endless of ["(?:){9007199254740991}", "(?:(?:){0,9}){9007199254740991}", "(?:(?=a{1900})){1900}"])
      expect(whyUnfit(endless, "a")).toContain("the pattern is too large");
    const deep = "(".repeat(50_000) + ")".repeat(50_000);
    expect(whyUnfit(deep, "a")).toContain("the pattern is nested too deeply");
  });

  test("and its texts together may take so many steps, and no more", () => {
    const all = withSteps(() => Array.from({ length: 2_000 }, () => whyUnfit("^(?:a?){200}b$", "a".repeat(200))));
    expect(all[0]).toBe("must match ^(?:a?){200}b$");
    expect(all.at(-1)).toContain("take too long to match");
    expect(withSteps(() => fits("^a$", "a"))).toBe(true);
  });
});

/** V8 also looks between the two halves of a character, where the language does not: we begin at each character ourselves. */
function matchesAnywhere(pattern: string, text: string): boolean {
  const sticky = new RegExp(pattern, "uy");
  let at = 0;
  for (const character of [...text, ""]) {
    sticky.lastIndex = at;
    if (sticky.test(text)) return true;
    at += character.length;
  }
  return false;
}
