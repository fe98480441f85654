import type { Delivery, Webhook } from "@slipway/contract";
import { firstIdAt, readSortable, sortableNumber } from "../../platform/ids.ts";
import type { StoredAttempt } from "./delivery/attempt-delivery.ts";
import type { DeliveryRow } from "./history-store.ts";
import type { WebhookRow } from "./webhook-store.ts";

export function showWebhook(row: WebhookRow, now: Date): Webhook {
  const until = row.old_secret_until;
  return {
    webhook_id: row.id,
    url: row.url,
    events: row.events,
    project_id: row.project_id,
    ordering: row.ordering,
    description: row.description,
    status: row.status,
    parked_until: row.parked_until?.toISOString() ?? null,
    disabled_reason: row.disabled_reason,
    failing_since: row.failing_since?.toISOString() ?? null,
    pending: row.pending,
    owner_id: row.owner_id,
    team_id: row.team_id,
    old_secret_until: until !== null && until > now ? until.toISOString() : null,
    created_at: row.created_at.toISOString(),
    updated_at: row.updated_at.toISOString(),
  };
}

export function showDelivery(row: DeliveryRow): Delivery {
  return {
    delivery_id: deliveryIdOf(row),
    webhook_id: row.webhook_id,
    event_id: row.event_id,
    event: row.event,
    project_id: row.project_id,
    sequence: row.sequence,
    status: row.status,
    reason: row.reason,
    attempt_count: row.attempt_count,
    next_attempt_at: row.status === "pending" ? (row.due_at?.toISOString() ?? null) : null,
    created_at: row.created_at.toISOString(),
    delivered_at: row.delivered_at?.toISOString() ?? null,
    attempts: row.attempts.map((attempt) => ({
      ...attempt,
      request: { ...attempt.request, headers: headersOf(row, attempt) },
    })),
  };
}

/** What was sent with an attempt, without the signature: whoever could read it could replay the request. */
function headersOf({ event_id, sequence }: DeliveryRow, { at, number }: StoredAttempt): Record<string, string> {
  return {
    "content-type": "application/json",
    "webhook-id": event_id,
    "webhook-timestamp": String(Math.floor(Date.parse(at) / 1000)),
    "webhook-attempt": String(number),
    ...(sequence !== null && { "webhook-sequence": String(sequence) }),
  };
}

/** Sorts by time as all ids do, and ends with the row's number. */
export function deliveryIdOf({ id, created_at }: Pick<DeliveryRow, "id" | "created_at">): string {
  return firstIdAt("delivery", created_at.getTime()) + sortableNumber(id);
}

/** The row number in a delivery's id. */
export function deliveryNumber(id: string): number | undefined {
  const [, digits] = /^dlv_[0-9a-z]{10}([0-9a-z]{10})$/.exec(id) ?? [];
  return digits === undefined ? undefined : readSortable(digits);
}
