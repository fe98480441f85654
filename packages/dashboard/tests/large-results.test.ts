import type { Phase, SourceFile, Task } from "@slipway/contract";
import { expect, test } from "vitest";
import { startOf } from "../src/parts/start-of.ts";
import { type TreeNode, treeOf } from "../src/project/artifact-tree.ts";
import { layOut } from "../src/project/graph-layout.ts";

const file = (path: string) => ({ path, size_bytes: 1, is_link: false, content_id: "1" }) as SourceFile;

test("files in very deep folders are listed by the rest of their path", () => {
  const path = `${"a/".repeat(2_000)}b`;
  let nodes: readonly TreeNode[] = treeOf([], [file(path)]);
  let depth = 0;
  for (; nodes[0]?.children !== undefined; depth++) nodes = nodes[0].children;
  expect(depth).toBe(20);
  expect(nodes).toEqual([
    { name: `${"a/".repeat(1_981)}b`, path: `source/${path}`, sizeBytes: 1, children: undefined },
  ]);
});

const phase = { name: "core", depends_on: [] as string[] } as Phase;
const tasksOf = (count: number) =>
  Array.from({ length: count }, (_, at) => ({
    task_id: `task-${at}`,
    phase: "core",
    depends_on: Array.from({ length: at }, (_, before) => `task-${before}`),
  })) as Task[];

test("of more dependencies than anybody can tell apart, those of the wanted task are drawn", () => {
  expect(layOut([phase], tasksOf(20)).edges).toHaveLength(190);
  expect(layOut([phase], tasksOf(200)).edges).toEqual([]);
  const { edges, tasks } = layOut([phase], tasksOf(200), "task-150");
  expect(tasks).toHaveLength(200);
  expect(edges).toHaveLength(150 + 49);
});

test.each([
  [10, 0, 0],
  [10, 9, 0],
  [1_000, 99, 0],
  [1_000, 100, 50],
  [1_000, 999, 949],
  [1_000, 1_000, 0],
  [1_000, Number.NaN, 0],
  [1_000, -1, 0],
])("of %i rows, that at %i is among those drawn from %i", (count, at, start) => {
  expect(startOf(count, 100, at)).toBe(start);
});
