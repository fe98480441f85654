import type { BlobBackend } from "../../../platform/blobs/index.ts";
import type { Database } from "../../../platform/database/index.ts";
import { adoptBlobs, forgetBlob, markRemoval, selectUnused } from "./store.ts";

interface Deps {
  readonly db: Database;
  readonly backend: BlobBackend;
}

/** Longer than any work takes between storing bytes and writing the row that refers to them. */
export const graceMs = 24 * 3600_000;
/** Large, because finding unused blobs reads every reference. */
const batchSize = 5_000;
const adoptBatchSize = 500;
/** Well below the removal lease in the store. */
const maxRemovalMs = 20_000;

/**
 * Removes blobs without references, on any number of nodes at once; returns how many. A writer of the same bytes waits for
 * the removal and then stores them again, so that no blob in use can vanish.
 */
export async function collectBlobs(
  deps: Deps,
  { grace = graceMs, signal }: { grace?: number; signal?: AbortSignal } = {},
): Promise<number> {
  let removed = 0;
  for (;;) {
    const unused = await selectUnused(deps.db, grace, batchSize);
    for (const digest of unused) {
      if (signal?.aborted === true) return removed;
      if (await removeBlob(deps, digest, grace)) removed += 1;
    }
    if (unused.length < batchSize) return removed;
  }
}

/**
 * Marks the blob, removes it, then deletes its row: the backend may be slow, and no transaction stays open meanwhile. After a
 * failure the blob stays marked, and a later collection tries again.
 */
async function removeBlob({ db, backend }: Deps, digest: string, grace: number): Promise<boolean> {
  // The timeout begins before the mark: a process that froze must not remove a blob that is in use again.
  const signal = AbortSignal.timeout(maxRemovalMs);
  const mark = await markRemoval(db, digest, grace);
  if (mark === undefined) return false;
  await backend.remove(digest, signal);
  await forgetBlob(db, digest, mark);
  return true;
}

/** Records the blobs that the backend had before the database tracked them. */
export async function adoptAll({ db, backend }: Deps): Promise<void> {
  let found: { digest: string; size: number }[] = [];
  for await (const blob of backend.digests()) {
    found.push(blob);
    if (found.length < adoptBatchSize) continue;
    await adoptBlobs(db, found);
    found = [];
  }
  await adoptBlobs(db, found);
}
