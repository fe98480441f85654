import { mkdirSync, mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { findPaths } from "../../../src/platform/git/find-paths.ts";
import { whyTooLargeBuilt } from "../../../src/platform/git/find-too-large.ts";
import { findUnacceptable } from "../../../src/platform/git/find-unacceptable.ts";
import { makeRepository } from "../../../src/platform/git/repository.ts";
import { runGit } from "../../../src/platform/git/run-git.ts";
import { removeFolder } from "../../../src/platform/remove-folder.ts";
import { silentDisk } from "../../support/files/silent-disk.ts";
import { hasStuckDisks } from "../../support/files/stuck-disk.ts";
import { until } from "../../support/until.ts";

test.skipIf(!hasStuckDisks)(
  "nobody waits for a result on a disk that never answers once it is cancelled",
  async ({ skip }) => {
    const place = mkdtempSync(join(tmpdir(), "slipway-silent-"));
    onTestFinished(() => removeFolder(place));
    const [tree, index] = [join(place, "tree"), join(place, "index")];
    mkdirSync(join(tree, "sub"), { recursive: true });
    const repository = { gitDir: join(place, "repo.git"), limitMs: 60_000 };
    await makeRepository(repository);
    const disk = await silentDisk(join(tree, "sub"));
    if (disk === undefined) return skip("nothing can be mounted");
    const { isAsked, free } = disk;
    onTestFinished(free);
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
