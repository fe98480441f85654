import { sql } from "kysely";
import type { Database, Transaction } from "../../platform/database/index.ts";

/** An application with its hook's secret, encrypted, and who its runs belong to. */
export interface HookedApplication {
  readonly id: string;
  readonly documentId: string;
  readonly ownerId: string;
  readonly ownerName: string;
  readonly secret: Buffer;
}

/** The application, if it has a secret and its owner may still create projects. */
export async function findHooked(db: Database, applicationId: string): Promise<HookedApplication | undefined> {
  const { rows } = await sql<HookedApplication>`
    select applications.id, document_id as "documentId", owner_id as "ownerId", users.name as "ownerName", secret
    from hook_secrets
    join applications on applications.id = hook_secrets.application_id
    join users on users.id = applications.owner_id
    where applications.id = ${applicationId} and users.removed_at is null and users.role <> 'svc:readonly'`.execute(db);
  return rows[0];
}

export async function putHookSecret(
  trx: Transaction,
  { applicationId, secret, now }: { readonly applicationId: string; readonly secret: Uint8Array; readonly now: Date },
): Promise<void> {
  await sql`
    insert into hook_secrets (application_id, secret, created_at)
    values (${applicationId}, ${Buffer.from(secret)}, ${now})
    on conflict (application_id) do update set secret = excluded.secret, created_at = excluded.created_at`.execute(trx);
}

export async function hasDelivery(db: Database, applicationId: string, deliveryId: string): Promise<boolean> {
  const found = await db
    .selectFrom("hook_deliveries")
    .select("delivery_id")
    .where("application_id", "=", applicationId)
    .where("delivery_id", "=", deliveryId)
    .executeTakeFirst();
  return found !== undefined;
}

/** Notes a delivery; false if it is known. Forgets those that no git server sends again. */
export async function insertDelivery(
  trx: Transaction,
  {
    applicationId,
    deliveryId,
    now,
  }: { readonly applicationId: string; readonly deliveryId: string; readonly now: Date },
): Promise<boolean> {
  await sql`
    delete from hook_deliveries
    where application_id = ${applicationId} and received_at < ${now}::timestamptz - interval '30 days'`.execute(trx);
  const { numAffectedRows = 0n } = await sql`
    insert into hook_deliveries (application_id, delivery_id, received_at)
    values (${applicationId}, ${deliveryId}, ${now}) on conflict do nothing`.execute(trx);
  return numAffectedRows > 0n;
}
