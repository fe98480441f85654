import { listEntries, stage } from "./index-entries.ts";
import type { Repository } from "./run-git.ts";

/** Files that were taken before. */
interface Earlier {
  readonly repository: Repository;
  readonly commit: string;
}

/**
 * Fills an index with the files of commits, the first one's last: git takes what is in it from a folder whatever is ignored
 * there, and forgets what the folder does not have. Their contents need not be in the index's own repository: what is in the
 * folder is read anew.
 */
export async function trackFiles(
  repository: Repository,
  indexFile: string,
  earlier: readonly Earlier[],
  signal?: AbortSignal,
): Promise<void> {
  for (const one of earlier.toReversed()) {
    const entries = await listEntries(one.repository, one.commit, signal);
    const edits = Array.from(entries, ([path, entry]) => ({ path, entry }));
    await stage(repository, edits, { indexFile, signal });
  }
}
