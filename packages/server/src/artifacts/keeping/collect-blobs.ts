import type { Database } from "../../database/index.ts";
import type { BlobPlace } from "../blob-store.ts";
import { adoptBlobs, forgetBlob, selectUnused } from "./store.ts";

interface Parts {
  readonly db: Database;
  readonly place: BlobPlace;
}

/** Longer than any work may take from keeping bytes to writing down what refers to them. */
const graceMs = 24 * 3600_000;
const atOnce = 500;

/**
 * Removes the blobs that nothing refers to. Who keeps the same bytes meanwhile waits for it, row by row, and then writes them
 * again: nothing that is in use can vanish, on however many nodes this runs. Gives how many were removed.
 */
export async function collectBlobs(
  { db, place }: Parts,
  { grace = graceMs, signal }: { grace?: number; signal?: AbortSignal } = {},
): Promise<number> {
  let removed = 0;
  for (;;) {
    const unused = await selectUnused(db, grace, atOnce);
    for (const digest of unused) {
      if (signal?.aborted === true) return removed;
      await db.transaction().execute(async (trx) => {
        if (!(await forgetBlob(trx, digest, grace))) return;
        await place.remove(digest);
        removed += 1;
      });
    }
    if (unused.length < atOnce) return removed;
  }
}

/** Counts what was there before there was a count. */
export async function adoptAll({ db, place }: Parts): Promise<void> {
  let found: { digest: string; size: number }[] = [];
  for await (const blob of place.digests()) {
    found.push(blob);
    if (found.length < atOnce) continue;
    await adoptBlobs(db, found);
    found = [];
  }
  await adoptBlobs(db, found);
}
