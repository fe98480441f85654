import { sql } from "kysely";
import type { Database, Transaction } from "../../platform/database/index.ts";

/** Notes that a token was used; false if it was before. */
export async function useToken(trx: Transaction, digest: Buffer, expiresAt: Date): Promise<boolean> {
  const result = await trx
    .insertInto("used_id_tokens")
    .values({ digest, expires_at: expiresAt })
    .onConflict((conflict) => conflict.column("digest").doNothing())
    .executeTakeFirst();
  return (result.numInsertedOrUpdatedRows ?? 0n) > 0n;
}

/** Forgets tokens that have expired: those are refused for that. */
export async function removeOldTokens(db: Database, now: Date): Promise<void> {
  // Their clock may be a little behind ours.
  const longAgo = new Date(now.getTime() - 3600_000);
  await db.deleteFrom("used_id_tokens").where("expires_at", "<", longAgo).execute();
}

/** One exchange by a rule at a time makes its account. */
export async function lockRule(trx: Transaction, name: string): Promise<void> {
  await sql`select pg_advisory_xact_lock(hashtextextended(${`federation ${name}`}, 0))`.execute(trx);
}
