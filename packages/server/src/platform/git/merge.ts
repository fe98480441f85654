import { writeCommit } from "./commit-object.ts";
import { conflictingPaths } from "./conflicting-paths.ts";
import { parseRawDiff } from "./raw-diff.ts";
import { refuseLeavingLinks } from "./refuse-leaving-links.ts";
import { refuseManyMerged } from "./refuse-many-names.ts";
import { readCommit, writeObject } from "./repository.ts";
import { type Repository, runGit } from "./run-git.ts";
import { zeroEnded } from "./zero-ended.ts";

export interface MergeOptions {
  /** The commit that `mine` began from. */
  readonly base: string;
  readonly mine: string;
  /** The commit to merge onto. */
  readonly head: string;
  /** Of the result. */
  readonly maxFiles?: number | undefined;
  readonly signal?: AbortSignal | undefined;
}

export type Merged = { readonly commit: string } | { readonly conflicts: readonly string[] };

/** So much more of names, from each result, does not matter: most merges need no further run of git. */
const fewBytes = 64 * 1024;

/** Merges a result onto the head, with its author, time and message; or returns the conflicting paths. */
export async function merge(repository: Repository, options: MergeOptions): Promise<Merged> {
  const { base, mine, head, signal } = options;
  if (head === base || head === mine) return { commit: mine };
  const [ours, theirs] = await Promise.all([
    readCommit(repository, mine, signal),
    readCommit(repository, head, signal),
  ]);
  // Two commits directly above the base, so that git finds this base even if the head was reset behind it.
  const above = (tree: string, message: string) =>
    writeObject(
      repository.gitDir,
      "commit",
      writeCommit({ tree, parents: [base], signature: "Slipway <slipway@localhost> 0 +0000", message }),
    );
  const sides = await Promise.all([above(theirs.tree, "head\n"), above(ours.tree, "mine\n")]);
  const args = ["merge-tree", "--write-tree", "-z", "--name-only", ...sides];
  const { code, stdout } = await runGit(repository, args, { signal, answers: [0, 1] });
  const [tree = "", ...told] = await Array.fromAsync(zeroEnded(stdout));
  if (code === 1) return { conflicts: await conflictingPaths(repository, options, told) };
  // The head has all of it already.
  if (tree === theirs.tree) return { commit: head };
  await refuseTogether(repository, { head: theirs.tree, merged: tree }, options);
  return { commit: await writeObject(repository.gitDir, "commit", writeCommit({ ...ours, tree, parents: [head] })) };
}

/** Links of two sides, each harmless, may lead out of the tree together; and their files be too many to be listed. */
async function refuseTogether(
  repository: Repository,
  { head, merged }: { readonly head: string; readonly merged: string },
  { maxFiles, signal }: Pick<MergeOptions, "maxFiles" | "signal">,
): Promise<void> {
  const { stdout } = await runGit(repository, ["diff-tree", "-r", "--raw", "-z", "--no-renames", head, merged], {
    signal,
  });
  if (stdout.length > fewBytes) await refuseManyMerged(repository, merged, { maxFiles, signal });
  await refuseLeavingLinks(repository, merged, await parseRawDiff(stdout), signal);
}
