import type { Clock } from "../../../platform/clock.ts";
import type { Database } from "../../../platform/database/index.ts";
import { isAbandoned, isFailing, parkMs } from "../breaker.ts";
import type { Verdict } from "../schedule.ts";
import type { Lane } from "./sender.ts";
import { disableWebhook, noteFailing, noteRecovered, parkWebhook } from "./store.ts";

interface Deps {
  readonly db: Database;
  readonly clock: Clock;
  readonly scaleDelay: (ms: number) => number;
}

/** Whether an attempt says nothing that was not known of its webhook: nearly always. */
export function isNoNews({ sender }: Pick<Lane, "sender">, verdict: Verdict): boolean {
  return verdict.type === "delivered" && sender?.failingSince === undefined && !sender?.isParked;
}

/**
 * Writes down what an attempt says of its webhook: that it works again, that it fails, that it is better left alone, or that
 * nobody is there. What is known of it then no longer holds.
 */
export async function noteHealth(
  { db, clock, scaleDelay }: Deps,
  lane: Pick<Lane, "id" | "sender" | "record">,
  { verdict, isTrial }: { readonly verdict: Verdict; readonly isTrial: boolean },
): Promise<void> {
  const { sender, id } = lane;
  if (sender === undefined) return;
  const now = clock.now();
  const disable = (reason: string) => db.transaction().execute((trx) => disableWebhook(trx, id, reason));
  // At once, not when it is written: several attempts end together, and one of them is enough.
  const change = (changed: Partial<typeof sender>) => {
    // It was read anew meanwhile, and says so itself.
    if (lane.sender?.version !== sender.version) return;
    lane.sender = { ...sender, ...changed };
  };
  if (verdict.type === "delivered") {
    change({ failingSince: undefined, isParked: false, parks: 0 });
    await noteRecovered(db, id);
    return;
  }
  if (verdict.type === "failed" && verdict.isGone) {
    await disable("The receiver says that it is gone (410).");
    return;
  }
  const since = sender.failingSince;
  if (since !== undefined && isAbandoned(since, now)) {
    await disable(`Nothing has arrived since ${since.toISOString()}.`);
    return;
  }
  if (since === undefined) {
    change({ failingSince: now });
    await noteFailing(db, id, now);
  }
  // What was under way when it was parked says nothing new.
  if (sender.isParked && !isTrial) return;
  if (isTrial || isFailing(lane.record, now.getTime())) {
    lane.record = [];
    change({ failingSince: since ?? now, isParked: true, parks: sender.parks + 1 });
    await parkWebhook(db, id, scaleDelay(parkMs(sender.parks)));
  }
}
