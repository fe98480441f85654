import { listEntries, stage } from "./index-entries.ts";
import type { Repository } from "./run-git.ts";

/**
 * Fills an index with the files of commits, the first one's last: git takes what is in it from a folder whatever is ignored
 * there, and forgets what the folder does not have.
 */
export async function trackFiles(
  repository: Repository,
  indexFile: string,
  commits: readonly string[],
  signal?: AbortSignal,
): Promise<void> {
  for (const commit of commits.toReversed()) {
    const entries = await listEntries(repository, commit, signal);
    const edits = Array.from(entries, ([path, entry]) => ({ path, entry }));
    await stage(repository, edits, { indexFile, signal });
  }
}
