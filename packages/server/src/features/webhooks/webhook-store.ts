import type { WebhookOrdering } from "@slipway/contract";
import { type Selectable, sql } from "kysely";
import type { Database, Schema, Transaction } from "../../platform/database/index.ts";
import type { PageRequest, Principal } from "../../platform/http/index.ts";
import { changeableBy } from "../projects/index.ts";
import type { DeliveryRow } from "./history-store.ts";
import { lockCursors } from "./outbox/cursor-store.ts";

export type WebhookRow = Selectable<Schema["webhooks"]> & { readonly pending: number };

interface NewWebhook {
  readonly id: string;
  readonly ownerId: string;
  readonly teamId: string | null;
  readonly url: string;
  readonly events: readonly string[];
  readonly projectId: string | null;
  readonly ordering: WebhookOrdering;
  readonly description: string;
  readonly secret: Uint8Array;
  readonly now: Date;
}

/** Writes a webhook, unless its owner has too many already. */
export async function insertWebhook(trx: Transaction, webhook: NewWebhook, maxOfOwner: number): Promise<boolean> {
  const { id, ownerId, teamId, url, events, projectId, ordering, description, secret, now } = webhook;
  const { numAffectedRows = 0n } = await sql`
    insert into webhooks (id, owner_id, url, events, project_id, ordering, description, secret, created_at, updated_at, team_id)
    select ${id}, ${ownerId}, ${url}, ${[...events]}::text[], ${projectId}, ${ordering}, ${description},
      ${Buffer.from(secret)}, ${now}, ${now}, ${teamId}
    where (select count(*) from webhooks where owner_id = ${ownerId}) < ${maxOfOwner}`.execute(trx);
  return numAffectedRows > 0n;
}

/** One more than the page holds, newest first, of those that the caller may see. */
export async function selectWebhooks(
  db: Database,
  principal: Principal,
  { limit, after }: PageRequest,
): Promise<WebhookRow[]> {
  const { rows } = await sql<WebhookRow>`
    select webhooks.*, ${pendingCount} as pending from webhooks
    where ${changeableBy(principal, "webhooks")}
      and (${after ?? null}::text is null or id < ${after ?? null})
    order by id desc limit ${limit + 1}`.execute(db);
  return rows;
}

/** Finds a webhook that the caller may see; without a caller, any. */
export async function findWebhook(db: Database, id: string, principal?: Principal): Promise<WebhookRow | undefined> {
  const isVisible = principal === undefined ? sql`true` : changeableBy(principal, "webhooks");
  const { rows } = await sql<WebhookRow>`
    select webhooks.*, ${pendingCount} as pending from webhooks where id = ${id} and ${isVisible}`.execute(db);
  return rows[0];
}

/** Counts no further than a webhook can have. */
const pendingCount = sql`(
  select count(*) from (select from deliveries where webhook_id = webhooks.id and status = 'pending' order by due_at limit 5000) as waiting
)`;

export interface WebhookChange {
  readonly url?: string;
  readonly events?: readonly string[];
  readonly project_id?: string | null;
  readonly ordering?: WebhookOrdering;
  readonly description?: string;
  readonly secret?: Uint8Array;
  readonly old_secret?: Uint8Array;
  readonly old_secret_until?: Date;
}

export async function updateWebhook(trx: Transaction, id: string, now: Date, change: WebhookChange): Promise<void> {
  const { events, secret, old_secret, ...rest } = change;
  await trx
    .updateTable("webhooks")
    .set((eb) => ({
      ...rest,
      ...(events !== undefined && { events: [...events] }),
      ...(secret !== undefined && { secret: Buffer.from(secret) }),
      ...(old_secret !== undefined && { old_secret: Buffer.from(old_secret) }),
      version: eb("version", "+", 1),
      updated_at: now,
    }))
    .where("id", "=", id)
    .execute();
}

/** Activates a webhook: it goes on from its own cursor. False if its owner was removed and it is no team's. */
export async function activateWebhook(trx: Transaction, id: string, now: Date): Promise<boolean> {
  const owner = await trx
    .selectFrom("webhooks")
    .innerJoin("users", "users.id", "webhooks.owner_id")
    .select(["users.removed_at", "webhooks.team_id"])
    .where("webhooks.id", "=", id)
    .executeTakeFirst();
  if (owner !== undefined && owner.removed_at !== null && owner.team_id === null) return false;
  await sql`
    update webhooks set status = 'active', disabled_reason = null, parked_until = null, parks = 0, failing_since = null,
      version = version + 1, updated_at = ${now}
    where id = ${id} and status <> 'active'`.execute(trx);
  return true;
}

export async function deleteWebhook(trx: Transaction, id: string): Promise<boolean> {
  // A leader that is writing a batch must not lose the webhook in between.
  await lockCursors(trx);
  const { numDeletedRows } = await trx.deleteFrom("webhooks").where("id", "=", id).executeTakeFirst();
  return numDeletedRows > 0n;
}

interface TestDelivery {
  readonly webhookId: string;
  readonly eventId: string;
  readonly data: object;
  readonly node: string;
  readonly leaseMs: number;
}

/** A test delivery, claimed by the node that attempts it. */
export async function insertTestDelivery(db: Transaction, test: TestDelivery): Promise<DeliveryRow> {
  const { rows } = await sql<DeliveryRow>`
    insert into deliveries (webhook_id, event_id, event, project_id, data, due_at, claimed_by, fence)
    values (${test.webhookId}, ${test.eventId}, 'webhook.test', '', ${JSON.stringify(test.data)}::jsonb,
      now() + ${test.leaseMs} * interval '1 ms', ${test.node}, 1)
    returning *`.execute(db);
  return rows[0]!;
}
