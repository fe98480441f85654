import type { Database, Transaction } from "../../platform/database/index.ts";

export interface DeviceRow {
  readonly id: string;
  readonly hash: Buffer;
  readonly key_version: number;
  readonly user_code: string;
  readonly device: string;
  readonly address: string;
  readonly created_at: Date;
  readonly expires_at: Date;
  readonly polled_at: Date | null;
  readonly user_id: string | null;
  readonly decision: "approve" | "deny" | null;
}

export async function insertDevice(
  trx: Transaction,
  row: Omit<DeviceRow, "polled_at" | "user_id" | "decision">,
): Promise<void> {
  await trx.insertInto("device_logins").values(row).execute();
}

/** Locks a device's login, so that its tokens are given once. */
export async function lockDevice(trx: Transaction, id: string): Promise<DeviceRow | undefined> {
  return trx.selectFrom("device_logins").selectAll().where("id", "=", id).forUpdate().executeTakeFirst();
}

/** A login that still waits for a decision. */
export async function findWaiting(
  db: Database | Transaction,
  userCode: string,
  now: Date,
): Promise<DeviceRow | undefined> {
  return db
    .selectFrom("device_logins")
    .selectAll()
    .where("user_code", "=", userCode)
    .where("expires_at", ">", now)
    .where("decision", "is", null)
    .executeTakeFirst();
}

/** Decides a login; false if somebody else has, or it is too late. */
export async function decideDevice(
  trx: Transaction,
  { userCode, userId, decision, now }: { userCode: string; userId: string; decision: "approve" | "deny"; now: Date },
): Promise<boolean> {
  const result = await trx
    .updateTable("device_logins")
    .set({ user_id: userId, decision })
    .where("user_code", "=", userCode)
    .where("expires_at", ">", now)
    .where("decision", "is", null)
    .executeTakeFirst();
  return result.numUpdatedRows > 0n;
}

export async function notePoll(trx: Transaction, id: string, now: Date): Promise<void> {
  await trx.updateTable("device_logins").set({ polled_at: now }).where("id", "=", id).execute();
}

export async function removeDevice(trx: Transaction, id: string): Promise<void> {
  await trx.deleteFrom("device_logins").where("id", "=", id).execute();
}

export async function removeOldDevices(db: Database, now: Date): Promise<void> {
  await db.deleteFrom("device_logins").where("expires_at", "<", now).execute();
}
