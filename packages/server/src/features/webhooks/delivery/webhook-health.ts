import type { Clock } from "../../../platform/clock.ts";
import type { Database } from "../../../platform/database/index.ts";
import { isAbandoned, isFailing, parkMs } from "./circuit-breaker.ts";
import { disableWebhook, noteFailing, noteRecovered, parkWebhook } from "./delivery-store.ts";
import type { Verdict } from "./retry-schedule.ts";
import type { WebhookQueue } from "./webhook-queue.ts";

interface Deps {
  readonly db: Database;
  readonly clock: Clock;
  readonly scaleDelay: (ms: number) => number;
}

/** Writes what an attempt says about its webhook: it works again, fails, must be parked, or is gone. */
export async function updateHealth(
  { db, clock, scaleDelay }: Deps,
  queue: Pick<WebhookQueue, "id" | "endpoint" | "recent">,
  { verdict, isTrial }: { readonly verdict: Verdict; readonly isTrial: boolean },
): Promise<void> {
  const { endpoint, id } = queue;
  // Nearly always: it worked before, and still does.
  const isNews = verdict.type !== "delivered" || endpoint?.failingSince !== undefined || endpoint?.isParked;
  if (endpoint === undefined || !isNews) return;
  const now = clock.now();
  const disable = (reason: string) => db.transaction().execute((trx) => disableWebhook(trx, id, reason));
  // Before the write: of several attempts that end together, one is enough to write it.
  const change = (changed: Partial<typeof endpoint>) => {
    // Another version was read meanwhile, and knows better.
    if (queue.endpoint?.version === endpoint.version) queue.endpoint = { ...endpoint, ...changed };
  };
  if (verdict.type === "delivered") {
    change({ failingSince: undefined, isParked: false, parks: 0 });
    return noteRecovered(db, id);
  }
  if (verdict.type === "failed" && verdict.isGone) return disable("The receiver says that it is gone (410).");
  const since = endpoint.failingSince;
  if (since !== undefined && isAbandoned(since, now))
    return disable(`Nothing has arrived since ${since.toISOString()}.`);
  if (since === undefined) {
    change({ failingSince: now });
    await noteFailing(db, id, now);
  }
  // What was in flight when the webhook was parked says nothing new.
  if (endpoint.isParked && !isTrial) return;
  if (isTrial || isFailing(queue.recent, now.getTime())) {
    queue.recent = [];
    change({ failingSince: since ?? now, isParked: true, parks: endpoint.parks + 1 });
    await parkWebhook(db, id, scaleDelay(parkMs(endpoint.parks)));
  }
}
