import { mkdir, mkdtemp, realpath, rm, symlink } from "node:fs/promises";
import { dirname, join } from "node:path";
import fc from "fast-check";
import { expect, test } from "vitest";
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
        if (isOutside) expect(findLeavingLink(links)).toBeDefined();
      } finally {
        await rm(outside, { recursive: true });
      }
    }),
    { numRuns: 200 },
  );
  expect(leaving).toBeGreaterThan(0);
});

test("links that only go down never leave", () => {
  fc.assert(
    fc.property(fc.dictionary(place, fc.array(fc.constantFrom("a", "b", "c", "."), { minLength: 1 })), (chosen) => {
      const links = new Map(Object.entries(chosen).map(([path, parts]) => [path, parts.join("/")]));
      expect(findLeavingLink(links)).toBeUndefined();
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
])("a link to %j leads to a repository of who keeps the files in one", (target) => {
  expect(findLeavingLink(new Map([["hooks", target]]))).toBe("hooks");
  expect(findLeavingLink(new Map(Object.entries({ "a/one": "../two", two: target })))).toBe("a/one");
  expect(
    findLeavingLink(new Map(Object.entries({ one: ".github", two: ".gitignore", three: "x.git" }))),
  ).toBeUndefined();
});

test("links that double with every step, and as many as a tree can have, are followed in bounded time", () => {
  const doubling = Array.from({ length: 60 }, (_, index) => [`l${index}`, `l${index + 1}/l${index + 1}`] as const);
  expect(findLeavingLink(new Map(doubling))).toBeUndefined();
  const long = "a/../".repeat(800);
  const many = Array.from({ length: 20_000 }, (_, index) => [`l${index}`, `${long}l${index + 1}`] as const);
  // Too much to tell: refused.
  expect(findLeavingLink(new Map(many))).toMatch(/^l\d+$/);
});
