import { readdir, readFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { expect, test } from "vitest";
import { Workspaces } from "../../../src/engine/workspaces/workspaces.ts";

import { quietLog } from "../../support/database/quiet-log.ts";
import {
  createTestWorkspaces,
  doWork,
  git,
  newAttemptId,
  newProjectId,
  take,
} from "../../support/workspaces/test-workspaces.ts";

const { folder, blobs, workspaces: dead } = await createTestWorkspaces();

/** What the next process finds of a folder in which somebody worked. */
async function leftBehind() {
  const projectId = newProjectId();
  const { commit: base } = await dead.open(projectId, undefined);
  const worktree = await dead.checkOut(projectId, newAttemptId(), base);
  await doWork(worktree.path, { "half.txt": "half" });
  return { projectId, base, worktree, workspaces: new Workspaces({ folder, blobs, log: quietLog }) };
}

test("an attempt takes over the folder of one whose process died, and what it makes counts from the same commit", async () => {
  const { projectId, base, worktree, workspaces } = await leftBehind();
  const adopted = await workspaces.adopt(projectId, worktree.attemptId, "7-2", base);
  expect(await readFile(join(adopted!.path, "half.txt"), "utf8")).toBe("half");
  await doWork(adopted!.path, { "rest.txt": "rest" });
  const result = await take(workspaces, adopted!, base);
  expect(git(folder, projectId, "ls-tree", "--name-only", result!.commit)).toBe("half.txt\nrest.txt\n");
  expect(await workspaces.sweep(() => false)).not.toContain("7-2");
  await workspaces.release(adopted!);
  expect(await readdir(dirname(dirname(adopted!.path)))).toEqual([]);
});

test("a folder that somebody in this process is at is not taken over", async () => {
  const { projectId, base, worktree } = await leftBehind();
  expect(await dead.adopt(projectId, worktree.attemptId, "7-2", base)).toBeUndefined();
  expect(await readdir(worktree.path)).toEqual(["half.txt"]);
});

test("a folder that is gone, or whose commit is not here, is not taken over", async () => {
  const { projectId, base, worktree, workspaces } = await leftBehind();
  expect(await workspaces.adopt(projectId, "6-1", "7-2", base)).toBeUndefined();
  expect(await workspaces.adopt(projectId, worktree.attemptId, "7-2", "1".repeat(40))).toBeUndefined();
  expect(await readdir(worktree.path)).toEqual(["half.txt"]);
});
