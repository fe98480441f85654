import { sql } from "kysely";
import type { Database, Transaction } from "../../../src/platform/database/index.ts";

/** A transaction that waits for as long as a test does: Postgres ends those of the service after three idle seconds. */
export function patientTransaction<T>(db: Database, work: (trx: Transaction) => Promise<T>): Promise<T> {
  return db.transaction().execute(async (trx) => {
    await sql`set local idle_in_transaction_session_timeout = 0`.execute(trx);
    return work(trx);
  });
}
