// @module-tag soak

import { matchesGlob } from "node:path/posix";
import fc from "fast-check";
import { expect, test } from "vitest";
import { soakRuns } from "../../../../tools/soak-runs.ts";
import { compileGlob, newGlobSteps } from "../../src/platform/glob.ts";

test("a glob means what Node says that it means", () => {
  const name = fc
    .array(fc.constantFrom("a", "b", ".", "*", "?", "[ab]", "[!a]", "{a,b}", "{a,.b}", "@(a|b)", "+(a)", "?(b)", "-"), {
      minLength: 1,
      maxLength: 4,
    })
    .map((parts) => parts.join(""));
  const glob = fc
    .array(fc.oneof({ weight: 3, arbitrary: name }, { weight: 1, arbitrary: fc.constant("**") }), {
      minLength: 1,
      maxLength: 4,
    })
    .map((names) => names.join("/"))
    // Dots in a choice, or where a name is made of signs that may be nothing, are meant differently.
    // What begins with this folder is meant, too: Node takes the dot for a name.
    .filter(
      (text) =>
        !/^\.\/|\/\.$|(?:^|\/)\.\.(?:\/|$)|\*\*[^/]|[^/]\*\*|(?:^|\/)(?:[*?+@]\(|\{|\.|\*)[^/]*[.({]/.test(text),
    );
  const path = fc
    .array(
      fc
        .array(fc.constantFrom("a", "b", ".", "-"), { minLength: 1, maxLength: 4 })
        .map((signs) => signs.join(""))
        .filter((text) => !/^\.{1,2}$/.test(text)),
      { minLength: 1, maxLength: 4 },
    )
    .map((names) => names.join("/"));
  fc.assert(
    fc.property(glob, path, (written, one) => {
      // After a choice that may be nothing, Node lets signs stand for a first dot; ours never do.
      fc.pre(!(/(?:^|\/)\?\(/.test(written) && /(?:^|\/)\./.test(one)));
      expect([written, one, compileGlob(written)?.(one)]).toEqual([written, one, matchesGlob(one, written)]);
    }),
    { numRuns: soakRuns(3_000) },
  );
});

test.for([
  ["test/unit/**/*.test.js", "test/unit/a.test.js", true],
  ["test/unit/**/*.test.js", "test/unit/deep/er/a.test.js", true],
  ["test/**", "test/a/b.js", true],
  ["./src/*.{test,spec}.{js,ts}", "src/a.spec.ts", true],
  ["**/test_*.py", "test_a.py", true],
  ["**/*.js", ".hidden/a.js", false],
  [".github/*.js", ".github/a.js", true],
  ["*?a", ".a", false],
  ["*[!b]a", ".a", false],
  ["*?a", "b.a", true],
  ["?(b)*", ".a", false],
  ["?(b)*", "a", true],
  ["a[*].js", "a*.js", true],
  ["a\\*.js", "a*.js", true],
  ["[a.js", "[a.js", true],
  ["a+b(1).js", "a+b(1).js", true],
  ["ä?/日*.js", "äö/日本.js", true],
] as const)("%s and %s: %s", ([glob, path, isMeant]) => {
  expect(compileGlob(glob)?.(path)).toBe(isMeant);
});

test("a glob that was made to take for ever holds nobody up", () => {
  const path = `test/${"a".repeat(240)}.js`;
  for (const hostile of [
    `test/${"*a".repeat(100)}b`,
    "test/+(a|a)b",
    "test/*(*(*(a)))b",
    `test/${"{a,aa}".repeat(60)}b`,
    "test/{1..99999999}",
  ])
    expect(compileGlob(hostile)?.(path) ?? false).toBe(false);
  for (const unread of ["{".repeat(900), "@(".repeat(400) + ")".repeat(400), "*".repeat(2_000), "!(a)"])
    expect(compileGlob(unread)?.("b") ?? false).toBe(false);
});

test("globs that share their steps end together, however many paths there are", () => {
  const steps = newGlobSteps();
  const hostile = compileGlob("*a".repeat(450), steps)!;
  const usual = compileGlob("test/**/*.js", steps)!;
  expect(usual("test/a.js")).toBe(true);
  const before = steps.left;
  expect(hostile("a".repeat(240))).toBe(false);
  expect(before - steps.left).toBeLessThan(100_000);
  steps.left = 10;
  expect(usual("test/a.js")).toBe(false);
  expect(steps.left).toBeLessThan(0);
  expect(compileGlob("test/**/*.js")!("test/a.js")).toBe(true);
});
