import { join } from "node:path";
import { namesIn } from "./names-in.ts";
import { type Repository, runGit } from "./run-git.ts";

/** Objects are spread evenly over 256 folders: these four stand for all. */
const samples = ["17", "5c", "a3", "e8"];
/** About 500 in all: from there on, reading them one by one is what saving spends its time on. */
const maxInSamples = 8;

/**
 * Packs the single objects of a history once there are many; what is not part of it stays as it is. Others may work in the
 * repository meanwhile: git looks again where an object went from its own file into a pack.
 */
export async function compactObjects(repository: Repository, commit: string, signal?: AbortSignal): Promise<void> {
  const objects = join(repository.gitDir, "objects");
  const counts = await Promise.all(samples.map(async (name) => (await namesIn(join(objects, name))).length));
  if (counts.reduce((sum, count) => sum + count) < maxInSamples) return;
  const args = ["pack-objects", "--revs", "--unpacked", "--delta-base-offset", "-q", join(objects, "pack", "pack")];
  await runGit(repository, args, { input: `${commit}\n`, signal });
  await runGit(repository, ["prune-packed", "-q"], { signal });
}
