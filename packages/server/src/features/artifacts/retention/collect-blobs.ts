import type { BlobBackend } from "../../../platform/blobs/index.ts";
import type { Database } from "../../../platform/database/index.ts";
import { adoptBlobs, forgetBlob, markRemoval, selectUnused } from "./store.ts";

interface Deps {
  readonly db: Database;
  readonly place: BlobBackend;
}

/** Longer than any work may take from keeping bytes to writing down what refers to them. */
export const graceMs = 24 * 3600_000;
/** A look at all that refers to blobs is dear. */
const atOnce = 5_000;
const adoptedAtOnce = 500;
/** Well within what a removal may take for those who wait for it. */
const maxRemovalMs = 20_000;

/**
 * Removes the blobs that nothing refers to. Who keeps the same bytes meanwhile waits for it, blob by blob, and then writes them
 * again: nothing that is in use can vanish, on however many nodes this runs. Gives how many were removed.
 */
export async function collectBlobs(
  parts: Deps,
  { grace = graceMs, signal }: { grace?: number; signal?: AbortSignal } = {},
): Promise<number> {
  let removed = 0;
  for (;;) {
    const unused = await selectUnused(parts.db, grace, atOnce);
    for (const digest of unused) {
      if (signal?.aborted === true) return removed;
      if (await removeBlob(parts, digest, grace)) removed += 1;
    }
    if (unused.length < atOnce) return removed;
  }
}

/**
 * Marked first, removed then, forgotten last: the place may be slow, and no transaction is open while it is asked. What fails on
 * the way stays marked, and is tried again by a later collection.
 */
async function removeBlob({ db, place }: Deps, digest: string, grace: number): Promise<boolean> {
  // From before the mark: who was frozen meanwhile must not remove what is wanted again.
  const signal = AbortSignal.timeout(maxRemovalMs);
  const mark = await markRemoval(db, digest, grace);
  if (mark === undefined) return false;
  await place.remove(digest, signal);
  await forgetBlob(db, digest, mark);
  return true;
}

/** Counts what was there before there was a count. */
export async function adoptAll({ db, place }: Deps): Promise<void> {
  let found: { digest: string; size: number }[] = [];
  for await (const blob of place.digests()) {
    found.push(blob);
    if (found.length < adoptedAtOnce) continue;
    await adoptBlobs(db, found);
    found = [];
  }
  await adoptBlobs(db, found);
}
