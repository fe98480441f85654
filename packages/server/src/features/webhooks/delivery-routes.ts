import { Refusal } from "../../platform/errors/index.ts";
import { type Handlers, pageOf, pageRequest, requireScope } from "../../platform/http/index.ts";
import { newId } from "../../platform/ids.ts";
import { recordChange } from "../audit/index.ts";
import { type AttemptDeps, attemptDelivery } from "./delivery/attempt-delivery.ts";
import { selectEndpoints, settleDeliveries } from "./delivery/delivery-store.ts";
import { describeFailure, faultOf } from "./delivery/retry-schedule.ts";
import { openEndpoint } from "./delivery/webhook-queue.ts";
import { type DeliveryRow, findDelivery, redeliver, selectDeliveries } from "./history-store.ts";
import { findReplayed, replayRange, reportReplay } from "./replay-events.ts";
import { replayEvents } from "./replay-store.ts";
import { requireDelivery, requireWebhook } from "./require-webhook.ts";
import type { RouteDeps } from "./routes.ts";
import { deliveryIdOf, deliveryNumber, showDelivery } from "./show-webhook.ts";
import { type StreamDeps, streamDeliveries } from "./stream-deliveries.ts";
import { insertTestDelivery } from "./webhook-store.ts";

interface Deps extends RouteDeps, StreamDeps {
  readonly attempts: AttemptDeps;
  readonly node: string;
  readonly leaseMs: number;
  /** There are due deliveries for a webhook. */
  readonly onDue: (webhookId: string) => void;
}

type DeliveryHandlers = Pick<
  Handlers,
  "testWebhook" | "listDeliveries" | "readDelivery" | "redeliver" | "replayDeliveries"
>;

/** Lists and reads deliveries, sends them again, and tests webhooks. */
export function deliveryRoutes(deps: Deps): DeliveryHandlers {
  const { db, clock, transact } = deps;
  return {
    testWebhook: async (call) => {
      const { id } = await requireWebhook(db, call.params.webhook_id, call.principal);
      const data = { webhook_id: id, message: "This webhook works." };
      const eventId = newId("event", clock.now().getTime());
      const row = await db.transaction().execute(async (trx) => {
        await recordChange(trx, clock, call, { action: "webhook.test", target: id });
        const { node, leaseMs } = deps;
        return insertTestDelivery(trx, { webhookId: id, eventId, data, node, leaseMs });
      });
      await attemptTest(deps, row);
      deps.settled.signal(id);
      return { status: 200, body: showDelivery((await findDelivery(db, row.id)) ?? row) };
    },

    listDeliveries: async (call) => {
      const { id } = await requireWebhook(db, call.params.webhook_id, call.principal);
      const { method, headers } = call.request;
      if (method === "GET" && headers.accept?.includes("text/event-stream")) {
        await streamDeliveries(deps, call, id);
        return undefined;
      }
      const { limit: _, cursor: __, ...filter } = call.query;
      const page = pageRequest(call.query, /^dlv_[0-9a-hjkmnp-tv-z]{20}$/);
      const after = page.after === undefined ? undefined : deliveryNumber(page.after);
      const rows = await selectDeliveries(db, id, filter, { limit: page.limit, after });
      const { items, nextCursor } = pageOf(rows, page, deliveryIdOf);
      return { status: 200, body: { deliveries: items.map(showDelivery), next_cursor: nextCursor } };
    },

    readDelivery: async ({ params, principal }) => {
      return { status: 200, body: showDelivery(await requireDelivery(db, params.delivery_id, principal)) };
    },

    redeliver: async (call) => {
      const { id, webhook_id } = await requireDelivery(db, call.params.delivery_id, call.principal);
      requireScope(call.principal, "projects:read");
      const { status, disabled_reason } = await requireWebhook(db, webhook_id, call.principal);
      if (status === "disabled")
        throw new Refusal("conflict", `The webhook is disabled: ${disabled_reason} Set it active first.`);
      const answer = await transact(call, async (trx) => {
        const [row] = await redeliver(trx, [id]);
        if (row === undefined) throw new Refusal("not_found", "There is no such delivery any more.");
        const target = call.params.delivery_id;
        await recordChange(trx, clock, call, { action: "webhook.redeliver", target, detail: { webhook_id } });
        return { status: 202, body: showDelivery(row) };
      });
      deps.onDue(webhook_id);
      return answer;
    },

    replayDeliveries: async (call) => {
      const { id } = await requireWebhook(db, call.params.webhook_id, call.principal);
      requireScope(call.principal, "projects:read");
      const { dry_run = false, ...asked } = call.body;
      const range = replayRange(id, asked);
      if (dry_run) return { status: 200, body: reportReplay(id, await findReplayed(db, range), true) };
      const answer = await transact(call, async (trx) => {
        const events = await findReplayed(trx, range);
        await replayEvents(trx, id, events);
        const detail = { ...asked, count: events.length };
        await recordChange(trx, clock, call, { action: "webhook.replay", target: id, detail });
        return { status: 202, body: reportReplay(id, events, false) };
      });
      deps.onDue(id);
      return answer;
    },
  };
}

/** A test is one attempt: it is never repeated. */
async function attemptTest({ db, keyring, attempts }: Deps, row: DeliveryRow): Promise<void> {
  const [endpoint] = await selectEndpoints(db, [row.webhook_id]);
  if (endpoint === undefined) return;
  const { outcome, record } = await attemptDelivery(attempts, openEndpoint(keyring, endpoint), {
    eventId: row.event_id,
    event: row.event,
    projectId: row.project_id,
    sequence: null,
    data: row.data,
    happenedAt: row.created_at,
    attemptCount: 0,
  });
  const hasArrived = faultOf(outcome) === null;
  const status = hasArrived ? "delivered" : "failed";
  const reason = hasArrived ? null : describeFailure(outcome);
  const { id, fence } = row;
  await settleDeliveries(db, [{ id, fence, status, reason, delayMs: null, isCounted: !hasArrived, attempt: record }]);
}
