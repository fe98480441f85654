import { type Repository, runGit } from "./run-git.ts";

const trailer = "Slipway-Merged";

/**
 * Says in a commit which generation is in it, with a person's files: from then on, what differs was changed on purpose. A
 * project may go back behind such a commit, and then the generation is in it no more.
 */
export function laidOver(regenerated: { readonly merged: string } | undefined): Readonly<Record<string, string>> {
  return regenerated === undefined ? {} : { [trailer]: regenerated.merged };
}

/** The generations, merged with a person's changes, that are in a commit. */
export async function findLaidOver(
  repository: Repository,
  commit: string,
  signal?: AbortSignal,
): Promise<ReadonlySet<string>> {
  const args = ["log", `--format=%(trailers:key=${trailer},valueonly)`, commit];
  const { stdout } = await runGit(repository, args, { signal });
  return new Set(stdout.toString("latin1").match(/^[0-9a-f]{40}$/gm));
}
