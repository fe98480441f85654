import { mkdtemp } from "node:fs/promises";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { packArgs } from "../../../src/platform/git/pack-objects.ts";
import { makeRepository, writeObject } from "../../../src/platform/git/repository.ts";
import { runGit } from "../../../src/platform/git/run-git.ts";
import { removeFolder } from "../../../src/platform/remove-folder.ts";
import { fastFolder } from "../../support/database/fast-folder.ts";

test("versions of small files are packed by what differs, those of large ones as they are", {
  tags: "long",
}, async () => {
  const folder = await mkdtemp(join(fastFolder(), "slipway-packs-"));
  onTestFinished(() => removeFolder(folder));
  const repository = { gitDir: join(folder, "git"), limitMs: 60_000 };
  await makeRepository(repository);
  const line = (index: number) => `${index} ${Math.sin(index)}\n`;
  const text = (lines: number) => Array.from({ length: lines }, (_, index) => line(index)).join("");
  const ids: string[] = [];
  for (const lines of [1_000, 100_000])
    for (const end of ["", "another line\n"])
      ids.push(await writeObject(repository.gitDir, "blob", Buffer.from(text(lines) + end)));
  const tree = ids.map((id, index) => `100644 blob ${id}\tf${index}\0`).join("");
  const made = await runGit(repository, ["mktree", "-z"], { input: tree });
  const path = join(repository.gitDir, "objects", "pack", "pack");
  const { args, config } = packArgs([path]);
  const packed = await runGit(repository, args, { config, input: `${made.stdout.toString().trim()}\n` });
  const index = `${path}-${packed.stdout.toString().trim()}.idx`;
  const { stdout } = await runGit(repository, ["verify-pack", "-v", index]);
  // The line of an object that is told by its difference from another names that one.
  const isDelta = (id: string) => new RegExp(`^${id} blob .* [0-9a-f]{40}$`, "m").test(stdout.toString());
  expect([ids.slice(0, 2).some(isDelta), ids.slice(2).some(isDelta)]).toEqual([true, false]);
});
