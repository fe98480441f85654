import fc from "fast-check";
import { expect, test } from "vitest";
import { decideMerge, filesInTheWay, mergedMode } from "../../../src/platform/git/decide-merge.ts";

const entry = (id: string, mode = "100644") => ({ id, mode });
const anEntry = fc.record({ id: fc.constantFrom("1", "2", "3"), mode: fc.constantFrom("100644", "100755", "120000") });
const tree = fc
  .dictionary(fc.constantFrom("a", "b", "c", "d", "e/f"), anEntry)
  .map((entries) => new Map(Object.entries(entries)));

test("a side without changes yields to the other: B=C gives N, and B=N gives C", async () => {
  await fc.assert(
    fc.asyncProperty(tree, tree, async (base, other) => {
      for (const versions of [
        { base, yours: base, regenerated: other },
        { base, yours: other, regenerated: base },
      ]) {
        const decision = await decideMerge(versions);
        expect(decision).toMatchObject({ contested: [], restored: [], kept: [] });
        expect(Object.fromEntries(decision.entries)).toEqual(Object.fromEntries(other));
      }
    }),
  );
});

test("every path is decided once, and nothing that a person has changed goes without a word", async () => {
  await fc.assert(
    fc.asyncProperty(tree, tree, tree, async (base, yours, regenerated) => {
      const { entries, contested, restored, kept } = await decideMerge({ base, yours, regenerated });
      const inQuestion = new Set(contested.map(({ path }) => path));
      for (const path of inQuestion) expect(entries.has(path)).toBe(false);
      for (const [path, mine] of yours) {
        const isOwn = JSON.stringify(mine) !== JSON.stringify(base.get(path));
        if (isOwn && !inQuestion.has(path)) expect(entries.get(path)).toEqual(mine);
      }
      for (const [path, now] of regenerated) {
        const isNew = JSON.stringify(now) !== JSON.stringify(base.get(path));
        if (isNew && !inQuestion.has(path)) expect(entries.get(path)).toEqual(now);
      }
      for (const path of restored) expect(yours.has(path)).toBe(false);
      for (const path of kept) expect(regenerated.has(path)).toBe(false);
    }),
  );
});

test("a file is in the way of what is below its name, and of nothing else", async () => {
  const paths = ["a", "a/b/c", "a/b", "ab/c", "d/e", "a-b", "a.b", "b", "b-c/d", "\u{1f600}", "\u{1f600}/\ue000"];
  const entries = new Map(paths.map((path) => [path, entry("1")]));
  expect(await filesInTheWay(entries)).toEqual(["a", "a/b", "\u{1f600}"]);
});

test("thousands of files below two thousand folders are no work for minutes", async () => {
  const folder = "a/".repeat(1_900);
  const entries = new Map(Array.from({ length: 10_000 }, (_, index) => [`${folder}${index}`, entry("1")]));
  entries.set("a/a", entry("1"));
  expect(await filesInTheWay(entries)).toEqual(["a/a"]);
});

test("a merged file is executable if the side that changed its mode made it so", () => {
  const file = (base: string, yours: string, regenerated: string) =>
    mergedMode({ path: "a", base: entry("1", base), yours: entry("2", yours), regenerated: entry("3", regenerated) });
  expect(file("100644", "100755", "100644")).toBe("100755");
  expect(file("100644", "100644", "100755")).toBe("100755");
  expect(file("100755", "100644", "100755")).toBe("100644");
});
