import { expect, test } from "vitest";
import { PathTree } from "../../../src/platform/git/path-tree.ts";
import { inTurns } from "../../../src/platform/in-turns.ts";

test("a path is below another only by whole names", async () => {
  const tree = await PathTree.of(["a/b", "build", "build/deep/er", "é"]);
  const covered = ["a/b", "a/b/c", "build", "build/deep", "build/x/y", "é/x"];
  const others = ["a", "a/bc", "b", "builds", "build.txt", ".", "", "e\u0301"];
  expect([...covered, ...others].filter((path) => tree.covers(path))).toEqual(covered);
  expect([...covered, ...others].filter((path) => tree.has(path))).toEqual(["a/b", "build"]);
});

test("thousands of paths of thousands of folders are looked up in turns", { tags: "long" }, async () => {
  const deep = `ignored/${"d/".repeat(1_900)}`;
  const paths = Array.from({ length: 3_000 }, (_, index) => `${deep}p${index}`);
  const tree = await PathTree.of([...paths, "other"]);
  let turns = 0;
  let isDone = false;
  const count = () => {
    turns += 1;
    if (!isDone) setImmediate(count);
  };
  setImmediate(count);
  let covered = 0;
  for await (const path of inTurns(paths)) if (tree.covers(path)) covered += 1;
  isDone = true;
  expect(covered).toBe(paths.length);
  expect(turns).toBeGreaterThan(5);
});
