import { chmod, mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { Workspaces } from "../../../src/engine/workspaces/workspaces.ts";
import { FolderBlobStore } from "../../../src/platform/blobs/folder-blob-store.ts";

import { WorkspaceError } from "../../../src/platform/git/index.ts";

// Run by a plain user, whom modes concern: closes files and folders, takes the result, removes the workspace. Prints what came of it.
const folder = process.argv[2]!;
const blobs = await FolderBlobStore.open(join(folder, "artifacts"));
const log = { info: () => {}, warn: () => {} };
const workspaces = new Workspaces({ folder: join(folder, "workspaces"), blobs, log });
const projectId = "proj_1";
const { commit: base } = await workspaces.open(projectId, undefined);
const author = { name: "a", email: "b" };

const closed = { folder: ["closed"], file: ["closed/a.txt"], root: ["."], readOnly: [] };
const outcomes: Record<string, string> = {};
for (const [name, paths] of Object.entries(closed)) {
  const worktree = await workspaces.checkOut(projectId, name.toLowerCase(), base);
  await mkdir(join(worktree.path, "closed"));
  await writeFile(join(worktree.path, "closed/a.txt"), "a");
  for (const path of paths) await chmod(join(worktree.path, path), 0);
  if (paths.length === 0) await chmod(join(worktree.path, "closed"), 0o500);
  outcomes[name] = await workspaces
    .takeResult(worktree, { base, author, message: "", trailers: {}, at: new Date(0) })
    .then(
      (result) => `${result?.files} taken`,
      (error: unknown) => (error instanceof WorkspaceError ? `${error.code}: ${error.message}` : String(error)),
    );
  await workspaces.release(worktree);
}
process.stdout.write(JSON.stringify(outcomes));
