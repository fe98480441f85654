import { Refusal } from "../../platform/errors/index.ts";
import { type Handlers, pageOf, pageRequest, requireScope } from "../../platform/http/index.ts";
import { newId } from "../../platform/ids.ts";
import { recordChange } from "../audit/index.ts";
import { attemptDelivery } from "./delivery/attempt.ts";
import { openSender } from "./delivery/sender.ts";
import { type Settlement, selectSenders, settleDeliveries } from "./delivery/store.ts";
import { type DeliveryRow, findDelivery, selectDeliveries, sendOnceMore } from "./history/store.ts";
import { findReplayed, replayRange, reportReplay } from "./replay/replay.ts";
import { sendAgain } from "./replay/store.ts";
import { requireDelivery, requireWebhook } from "./require-webhook.ts";
import type { RouteDeps } from "./routes.ts";
import { describeFailure, faultOf } from "./schedule.ts";
import { deliveryIdOf, deliveryNumber, showDelivery } from "./show-webhook.ts";
import { insertTestDelivery } from "./store.ts";

interface Deps extends RouteDeps {
  readonly attempts: Parameters<typeof attemptDelivery>[0];
  readonly node: string;
  readonly leaseMs: number;
  /** There is something to deliver. */
  readonly onDue: (webhookId: string) => void;
}

type DeliveryHandlers = Pick<
  Handlers,
  "testWebhook" | "listDeliveries" | "readDelivery" | "redeliver" | "replayDeliveries"
>;

/** What webhooks were sent, sending it again, and trying them out. */
export function deliveryRoutes(parts: Deps): DeliveryHandlers {
  const { db, clock, transact } = parts;
  return {
    testWebhook: async (call) => {
      const { id } = await requireWebhook(db, call.params.webhook_id, call.principal);
      const data = { webhook_id: id, message: "This webhook works." };
      const eventId = newId("event", clock.now().getTime());
      const row = await db.transaction().execute(async (trx) => {
        await recordChange(trx, clock, call, { action: "webhook.test", target: id });
        const { node, leaseMs } = parts;
        return insertTestDelivery(trx, { webhookId: id, eventId, data, node, leaseMs });
      });
      await attemptTest(parts, row);
      return { status: 200, body: showDelivery((await findDelivery(db, row.id)) ?? row) };
    },

    listDeliveries: async (call) => {
      const { id } = await requireWebhook(db, call.params.webhook_id, call.principal);
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
        const [row] = await sendOnceMore(trx, [id]);
        if (row === undefined) throw new Refusal("not_found", "There is no such delivery any more.");
        const target = call.params.delivery_id;
        await recordChange(trx, clock, call, { action: "webhook.redeliver", target, detail: { webhook_id } });
        return { status: 202, body: showDelivery(row) };
      });
      parts.onDue(webhook_id);
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
        await sendAgain(trx, id, events);
        const detail = { ...asked, count: events.length };
        await recordChange(trx, clock, call, { action: "webhook.replay", target: id, detail });
        return { status: 202, body: reportReplay(id, events, false) };
      });
      parts.onDue(id);
      return answer;
    },
  };
}

/** One attempt, whatever comes of it: a trial is not repeated. */
async function attemptTest({ db, keyring, attempts }: Deps, row: DeliveryRow): Promise<void> {
  const [sender] = await selectSenders(db, [row.webhook_id]);
  if (sender === undefined) return;
  const { outcome, record } = await attemptDelivery(attempts, openSender(keyring, sender), {
    eventId: row.event_id,
    event: row.event,
    projectId: row.project_id,
    sequence: null,
    data: row.data,
    happenedAt: row.created_at,
    attemptCount: 0,
  });
  const hasArrived = faultOf(outcome) === null;
  const settlement: Settlement = {
    id: row.id,
    fence: row.fence,
    status: hasArrived ? "delivered" : "failed",
    reason: hasArrived ? null : describeFailure(outcome),
    delayMs: null,
    isCounted: !hasArrived,
    attempt: record,
  };
  await settleDeliveries(db, [settlement]);
}
