import { execFileSync } from "node:child_process";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import type { Worktree } from "../../../src/engine/workspaces/paths.ts";
import { Workspaces } from "../../../src/engine/workspaces/workspaces.ts";
import type { BlobStore } from "../../../src/platform/blobs/blob-store.ts";
import { FolderBlobStore } from "../../../src/platform/blobs/folder-blob-store.ts";
import type { Result } from "../../../src/platform/git/index.ts";
import { sortableId } from "../../../src/platform/ids.ts";
import { fastFolder } from "../database/fast-folder.ts";
import { quietLog } from "../database/quiet-log.ts";
import { whenDone } from "../when-done.ts";

export interface TestWorkspaces {
  readonly folder: string;
  readonly blobs: BlobStore;
  readonly workspaces: Workspaces;
  /** Another node: the same artifacts, other folders. */
  anotherNode(): { workspaces: Workspaces; folder: string };
}

export const author = { name: "The Agent", email: "agent@example.org" };
const at = new Date("2026-11-15T09:30:00.000Z");

/** Workspaces in a folder of their own, gone after the tests of the file. */
export async function createTestWorkspaces(): Promise<TestWorkspaces> {
  const all = await mkdtemp(join(fastFolder(), "slipway-workspaces-"));
  whenDone(() => rm(all, { recursive: true, force: true }));
  const blobs = await FolderBlobStore.open(join(all, "artifacts"));
  let nodes = 0;
  const anotherNode = () => {
    nodes += 1;
    const folder = join(all, `workspaces-${nodes}`);
    return { folder, workspaces: new Workspaces({ folder, blobs, log: quietLog }) };
  };
  return { ...anotherNode(), blobs, anotherNode };
}

export function newProjectId(): string {
  return `proj_${sortableId(Date.now())}`;
}

export function newAttemptId(): string {
  return `att_${sortableId(Date.now())}`;
}

/** What an agent does: writes files, or works on the folder. */
export type Work = Readonly<Record<string, string>> | ((folder: string) => unknown);

export async function doWork(folder: string, work: Work): Promise<void> {
  if (typeof work === "function") {
    await work(folder);
    return;
  }
  for (const [path, text] of Object.entries(work)) {
    await mkdir(dirname(join(folder, path)), { recursive: true });
    await writeFile(join(folder, path), text);
  }
}

/** One attempt from a commit: the work is done, taken and the folder released. */
export async function attempt(
  workspaces: Workspaces,
  projectId: string,
  base: string,
  work: Work,
): Promise<Result | undefined> {
  const worktree = await workspaces.checkOut(projectId, newAttemptId(), base);
  try {
    await doWork(worktree.path, work);
    return await take(workspaces, worktree, base);
  } finally {
    await workspaces.release(worktree);
  }
}

export async function take(workspaces: Workspaces, worktree: Worktree, base: string): Promise<Result | undefined> {
  const trailers = { "Slipway-Task": "task_1", "Slipway-Project": worktree.projectId };
  return workspaces.takeResult(worktree, { base, author, message: "Do the work", trailers, at });
}

/** Git as a person would run it, to look at what was made. */
export function git(folder: string, projectId: string, ...args: string[]): string {
  return execFileSync("git", ["--git-dir", join(folder, projectId, "repo.git"), ...args], {
    encoding: "utf8",
    stdio: ["ignore", "pipe", "ignore"],
  });
}
