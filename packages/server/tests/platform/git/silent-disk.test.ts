import { mkdirSync, mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { findPaths } from "../../../src/platform/git/find-paths.ts";
import { whyTooLargeBuilt } from "../../../src/platform/git/find-too-large.ts";
import { findUnacceptable } from "../../../src/platform/git/find-unacceptable.ts";
import { makeRepository } from "../../../src/platform/git/repository.ts";
import { runGit } from "../../../src/platform/git/run-git.ts";
import { streamGit } from "../../../src/platform/git/stream-git.ts";
import { removeFolder } from "../../../src/platform/remove-folder.ts";
import { silentDisk } from "../../support/files/silent-disk.ts";
import { hasStuckDisks } from "../../support/files/stuck-disk.ts";
import { until } from "../../support/until.ts";

test.skipIf(!hasStuckDisks)(
  "nobody waits for a result on a disk that never answers once it is cancelled",
  async ({ skip }) => {
    const { tree, index, repository, disk } = await silentTree();
    if (disk === undefined) return skip("nothing can be mounted");
    const { isAsked } = disk;
    const cancel = new AbortController();
    const { signal } = cancel;
    const waiting = [
      runGit(repository, ["add", "--all"], { workTree: tree, indexFile: index, signal }),
      findUnacceptable(repository, { tree, index }, signal),
      findPaths(tree, [".", "-name", "x"], signal),
      whyTooLargeBuilt(tree, signal),
    ];
    const ends = Promise.allSettled(waiting);
    await until(() => isAsked(waiting.length));
    cancel.abort(new Error("cancelled"));
    for (const end of await ends) expect(end).toMatchObject({ status: "rejected", reason: { message: "cancelled" } });
  },
);

test.skipIf(!hasStuckDisks)("nor for what git streams, of which nothing stays open", async ({ skip }) => {
  const { tree, repository, disk } = await silentTree();
  if (disk === undefined) return skip("nothing can be mounted");
  const pipes = () => process.getActiveResourcesInfo().filter((kind) => kind === "PipeWrap").length;
  const before = pipes();
  const cancel = new AbortController();
  const options = { workTree: tree, signal: cancel.signal };
  const read = Array.fromAsync(streamGit(repository, ["ls-files", "--others"], options));
  await until(() => disk.isAsked(1));
  cancel.abort(new Error("cancelled"));
  await expect(read).rejects.toThrow("cancelled");
  await until(() => pipes() <= before);
});

test.skipIf(!hasStuckDisks).for(["tree", "repo.git"])(
  "a disk that never answers stops nothing else where it holds a whole folder: %s",
  async (held, { skip }) => {
    const { place, tree, repository } = await placeOfBoth();
    const disk = await silentDisk(join(place, held));
    if (disk === undefined) return skip("nothing can be mounted");
    onTestFinished(disk.free);
    const cancel = new AbortController();
    const { signal } = cancel;
    const waiting =
      held === "tree"
        ? [findPaths(tree, [".", "-name", "x"], signal), whyTooLargeBuilt(tree, signal)]
        : [runGit(repository, ["cat-file", "-e", "HEAD"], { signal })];
    const ends = Promise.allSettled(waiting);
    await until(() => disk.isAsked(1));
    cancel.abort(new Error("cancelled"));
    for (const end of await ends) expect(end).toMatchObject({ status: "rejected", reason: { message: "cancelled" } });
  },
);

/** A repository, and a tree of which one folder is such a disk, if that can be mounted. */
async function silentTree() {
  const { tree, index, repository } = await placeOfBoth();
  const disk = await silentDisk(join(tree, "sub"));
  if (disk !== undefined) onTestFinished(disk.free);
  return { tree, index, repository, disk };
}

async function placeOfBoth() {
  const place = mkdtempSync(join(tmpdir(), "slipway-silent-"));
  onTestFinished(() => removeFolder(place));
  const [tree, index] = [join(place, "tree"), join(place, "index")];
  mkdirSync(join(tree, "sub"), { recursive: true });
  const repository = { gitDir: join(place, "repo.git"), limitMs: 60_000 };
  await makeRepository(repository);
  return { place, tree, index, repository };
}
