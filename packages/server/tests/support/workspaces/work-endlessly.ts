import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { Workspaces } from "../../../src/engine/workspaces/workspaces.ts";
import { FolderBlobStore } from "../../../src/platform/blobs/folder-blob-store.ts";

// Works on a project, several tasks side by side, until it is killed; prints `commit bundle` of each that is saved.
const [, , folder = "", projectId = "", name = ""] = process.argv;
const blobs = await FolderBlobStore.open(join(folder, "artifacts"));
const log = { info: () => {}, warn: () => {} };
const workspaces = new Workspaces({ folder: join(folder, "workspaces"), blobs, log });
const { commit: root } = await workspaces.open(projectId, undefined);
let head = root;
process.stdout.write("begun\n");

await Promise.all(
  ["a", "b"].map(async (task) => {
    for (let count = 0; ; count += 1) {
      const base = head;
      const worktree = await workspaces.checkOut(projectId, `${name}-${task}-${count}`, base);
      await mkdir(join(worktree.path, task), { recursive: true });
      await writeFile(join(worktree.path, task, `${count}.txt`), `${name} ${count}\n`);
      const trailers = { "Slipway-Task": task };
      const author = { name: task, email: "" };
      const result = await workspaces.takeResult(worktree, { base, author, message: "x", trailers, at: new Date(0) });
      const commit = await moveHead(base, result!.commit);
      const bundle = await workspaces.save(projectId, commit);
      process.stdout.write(`${commit} ${bundle}\n`);
      await workspaces.release(worktree);
    }
  }),
);

/** As the engine does: merged again, if the head has moved meanwhile. */
async function moveHead(base: string, mine: string): Promise<string> {
  for (;;) {
    const before = head;
    const merged = await workspaces.merge(projectId, { base, mine, head: before });
    if (!("commit" in merged)) throw new Error(`conflicts: ${merged.conflicts}`);
    if (head !== before) continue;
    head = merged.commit;
    return head;
  }
}
