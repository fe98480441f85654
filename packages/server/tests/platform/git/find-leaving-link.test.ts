// @module-tag soak

import { mkdir, mkdtemp, realpath, rm, symlink } from "node:fs/promises";
import { dirname, join } from "node:path";
import fc from "fast-check";
import { expect, test } from "vitest";
import { soakRuns } from "../../../../../tools/soak-runs.ts";
import { findLeavingLink } from "../../../src/platform/git/find-leaving-link.ts";
import { fastFolder } from "../../support/database/fast-folder.ts";

const part = fc.constantFrom("a", "b", "c", "..", ".", "");
const target = fc.array(part, { minLength: 1, maxLength: 6 }).map((parts) => parts.join("/") || ".");
const place = fc.array(fc.constantFrom("a", "b", "c"), { minLength: 1, maxLength: 3 }).map((parts) => parts.join("/"));

test("where the system comes out of a tree by its links, one of them is found", async () => {
  let leaving = 0;
  await fc.assert(
    fc.asyncProperty(fc.dictionary(place, target, { minKeys: 1, maxKeys: 5 }), async (chosen) => {
      const outside = await mkdtemp(join(fastFolder(), "slipway-links-"));
      try {
        const tree = join(outside, "x/tree");
        await mkdir(tree, { recursive: true });
        const links = new Map<string, string>();
        for (const [path, to] of Object.entries(chosen)) {
          // Not through a link, nor where something is: such a tree git would not have.
          if ([...links.keys()].some((one) => path.startsWith(`${one}/`) || one.startsWith(`${path}/`))) continue;
          await mkdir(dirname(join(tree, path)), { recursive: true });
          await symlink(to, join(tree, path));
          links.set(path, to);
        }
        const ends = await Promise.all([...links.keys()].map((path) => realpath(join(tree, path)).catch(() => tree)));
        const isOutside = ends.some((end) => end !== tree && !end.startsWith(`${tree}/`));
        if (isOutside) leaving += 1;
        if (isOutside) expect(await findLeavingLink(links)).toBeDefined();
      } finally {
        await rm(outside, { recursive: true });
      }
    }),
    { numRuns: soakRuns(200) },
  );
  expect(leaving).toBeGreaterThan(0);
});

test("links that only go down never leave", async () => {
  const down = fc.array(fc.constantFrom("a", "b", "c", "."), { minLength: 1 });
  await fc.assert(
    fc.asyncProperty(fc.dictionary(place, down), async (chosen) => {
      const links = new Map(Object.entries(chosen).map(([path, parts]) => [path, parts.join("/")]));
      expect(await findLeavingLink(links)).toBeUndefined();
    }),
  );
});

test.each([
  ".git",
  ".git/config",
  "./.GIT/hooks",
  "a/../.git/x",
  "b/.git",
  "git~1",
  ".git. ",
  ".git::$INDEX_ALLOCATION/x",
  ".g\u200cit",
])("a link to %j leads to a repository of who keeps the files in one", async (target) => {
  expect(await findLeavingLink(new Map([["hooks", target]]))).toBe("hooks");
  expect(await findLeavingLink(new Map(Object.entries({ "a/one": "../two", two: target })))).toBe("a/one");
  expect(
    await findLeavingLink(new Map(Object.entries({ one: ".github", two: ".gitignore", three: "x.git" }))),
  ).toBeUndefined();
});

test("links that double with every step, and as many as a tree can have, are followed in bounded time", {
  tags: "long",
}, async () => {
  const doubling = Array.from({ length: 60 }, (_, index) => [`l${index}`, `l${index + 1}/l${index + 1}`] as const);
  expect(await findLeavingLink(new Map(doubling))).toBeUndefined();
  const long = "a/../".repeat(800);
  const many = Array.from({ length: 20_000 }, (_, index) => [`l${index}`, `${long}l${index + 1}`] as const);
  // Too much to tell: refused.
  expect(await findLeavingLink(new Map(many))).toMatch(/^l\d+$/);
});

test("names of thousands of characters in chains of links count by their length, and hold up nobody", {
  tags: "long",
}, async () => {
  const long = "x".repeat(3_900);
  const many = Array.from({ length: 2_000 }, (_, index) => [`l${index}`, `${long}/../l${index + 1}`] as const);
  let turns = 0;
  const others = setInterval(() => {
    turns += 1;
  }, 0);
  try {
    // Too much to tell: refused.
    expect(await findLeavingLink(new Map(many))).toMatch(/^l\d+$/);
  } finally {
    clearInterval(others);
  }
  expect(turns).toBeGreaterThan(2);
});
