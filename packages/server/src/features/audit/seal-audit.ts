import type { Database } from "../../platform/database/index.ts";
import { chainHash, chainStart } from "./chain.ts";
import { lastSealed, lockChain, saveSealed, selectUnsealed } from "./store.ts";

const batchSize = 500;

/**
 * Adds new entries to the hash chain. Not in the transaction of each change: all changes would wait for one another. An
 * entry that becomes visible late has a later position than its time suggests.
 */
export async function sealAudit(db: Database): Promise<void> {
  while (await sealBatch(db));
}

/** Returns whether there may be more to seal. */
function sealBatch(db: Database): Promise<boolean> {
  return db.transaction().execute(async (trx) => {
    // A node that waits for another one sees, after the lock, what that one sealed.
    await lockChain(trx);
    const rows = await selectUnsealed(trx, batchSize);
    if (rows.length === 0) return false;
    let { position, hash } = (await lastSealed(trx)) ?? { position: 0, hash: chainStart };
    const sealed = rows.map((row) => {
      position += 1;
      hash = chainHash(hash, position, row);
      return { id: row.id, position, hash };
    });
    await saveSealed(trx, sealed);
    return rows.length === batchSize;
  });
}
