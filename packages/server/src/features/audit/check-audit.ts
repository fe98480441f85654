import type { AuditCheck } from "@slipway/contract";
import type { Database } from "../../platform/database/index.ts";
import { chainHash, chainStart } from "./chain.ts";
import { countUnsealed, lastSealed, type Sealed, type SealedRow, selectSealed } from "./store.ts";

const maxChecked = 10_000;
const batchSize = 1_000;

interface Range {
  readonly after: number;
  readonly through: number;
}

/** Recomputes a part of the hash chain: at most 10,000 entries, so that a check of any length is many short requests. */
export async function checkAudit(db: Database, { after, through }: Range): Promise<AuditCheck> {
  const end = (await lastSealed(db))?.position ?? 0;
  const limit = Math.min(through, after + maxChecked, Math.max(end, after));
  const result = { unsealed: await countUnsealed(db), checked: 0 };
  let last = after === 0 ? { position: 0, hash: chainStart } : (await selectSealed(db, after - 1, after))[0];
  if (last === undefined) return { ...result, ...broken(`The entry at position ${after} is missing.`) };
  while (last.position < limit) {
    const rows = await selectSealed(db, last.position, Math.min(limit, last.position + batchSize));
    for (const row of rows) {
      const problem = problemOf(row, last);
      if (problem !== undefined) return { ...result, ...broken(problem, last) };
      last = row;
      result.checked += 1;
    }
    if (rows.length === 0)
      return { ...result, ...broken(`The entry at position ${last.position + 1} is missing.`, last) };
  }
  const hasMore = last.position < Math.min(end, through);
  return { ...result, is_intact: true, problem: null, last: lastOf(last), has_more: hasMore };
}

/** What is wrong with an entry after the one before it; undefined if nothing is. */
function problemOf(row: SealedRow, last: Sealed): string | undefined {
  if (row.position !== last.position + 1) return `The entry at position ${last.position + 1} is missing.`;
  if (!chainHash(last.hash, row.position, row).equals(row.hash))
    return `The entry at position ${row.position} (${row.id}) is not what was sealed: it, or its hash, was changed.`;
  return undefined;
}

function broken(problem: string, last?: Sealed): Pick<AuditCheck, "is_intact" | "problem" | "last" | "has_more"> {
  return { is_intact: false, problem, last: last === undefined ? null : lastOf(last), has_more: false };
}

function lastOf({ position, hash }: Sealed): AuditCheck["last"] {
  return position === 0 ? null : { position, hash: hash.toString("hex") };
}
