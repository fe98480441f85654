import { sql } from "kysely";
import type { Database } from "../../src/platform/database/index.ts";
import { patientTransaction } from "./database/patient-transaction.ts";

/** Holds every request that changes something, until the function it gives is called: none can write to the audit log. */
export async function holdChanges(db: Database): Promise<() => Promise<void>> {
  const { promise: released, resolve: release } = Promise.withResolvers<void>();
  const { promise: isPaused, resolve: onHeld } = Promise.withResolvers<void>();
  const done = patientTransaction(db, async (trx) => {
    await sql`lock table audit in exclusive mode`.execute(trx);
    onHeld();
    await released;
  });
  await isPaused;
  return async () => {
    release();
    await done;
  };
}

/** Whether a request is being held. */
export async function isPaused(db: Database): Promise<boolean> {
  const { rows } = await sql`select from pg_locks where not granted and relation = 'audit'::regclass`.execute(db);
  return rows.length > 0;
}
