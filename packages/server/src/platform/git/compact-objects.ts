import { rm } from "node:fs/promises";
import { join } from "node:path";
import { namesIn } from "./names-in.ts";
import { packArgs } from "./pack-objects.ts";
import { type Repository, runGit } from "./run-git.ts";

/** Git spreads objects evenly over 256 folders; these four are a sample. */
const samples = ["17", "5c", "a3", "e8"];
/** About 500 objects in all: beyond that, reading loose objects dominates the time of saving. */
const maxInSamples = 8;

/**
 * Packs the loose objects of a history once there are many, and leaves all others alone. Safe beside other git processes,
 * which look for a missing loose object in the packs again.
 */
export async function compactObjects(repository: Repository, commit: string, signal?: AbortSignal): Promise<void> {
  const objects = join(repository.gitDir, "objects");
  const counts = await Promise.all(samples.map(async (name) => (await namesIn(join(objects, name))).length));
  if (counts.reduce((sum, count) => sum + count) < maxInSamples) return;
  const { args, config } = packArgs(["--unpacked", join(objects, "pack", "pack")]);
  await runGit(repository, args, { input: `${commit}\n`, config, signal });
  // Not by git: it also removes the folders that are empty then, and a git that has just made one fails to write there.
  const { stdout } = await runGit(repository, ["prune-packed", "-n", "-q"], { signal });
  for (const [, name] of stdout.toString("latin1").matchAll(/\/objects\/([0-9a-f]{2}\/[0-9a-f]{38})$/gm))
    await rm(join(objects, name!), { force: true });
}
