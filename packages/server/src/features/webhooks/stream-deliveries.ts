import type { Database } from "../../platform/database/index.ts";
import { type Call, type OpenWaits, streamSse, versionOfContent } from "../../platform/http/index.ts";
import type { Signals } from "../../platform/wake-up/index.ts";
import { selectDeliveries } from "./history-store.ts";

export interface StreamDeps {
  readonly db: Database;
  readonly openWaits: OpenWaits;
  /** Signalled with a webhook's id when this node wrote how its deliveries fared. */
  readonly settled: Signals;
}

/** How often to look for what other nodes delivered, and for events that arrived at once. */
const pollMs = 1_000;
/** A busy webhook is told of once in a while: its reader reads the list each time. */
const gatherMs = 200;
const watched = { limit: 20, after: undefined } as const;

/** Tells a reader when it is worth to read a webhook's deliveries again. */
export async function streamDeliveries(
  { db, openWaits, settled }: StreamDeps,
  call: Pick<Call, "reply" | "isStillAdmitted" | "principal">,
  webhookId: string,
): Promise<void> {
  using _ = openWaits.open(call.principal);
  let told: string | undefined;
  // What was sent again may be older than what is watched.
  let isSignalled = false;
  await streamSse<number>(call, {
    after: 0,
    pollMs,
    stopping: openWaits.signal,
    subscribe: (onSignal, until) => {
      let timer: NodeJS.Timeout | undefined;
      until.addEventListener("abort", () => clearTimeout(timer), { once: true });
      const settle = () => {
        timer = undefined;
        isSignalled = true;
        onSignal();
      };
      settled.subscribe(webhookId, () => (timer ??= setTimeout(settle, gatherMs)), until);
    },
    read: async (last) => {
      const isNews = isSignalled;
      isSignalled = false;
      const version = await versionOfNewest(db, webhookId);
      const hasChanged = isNews || version !== told;
      told = version;
      return { events: hasChanged ? [{ id: last + 1, event: "changed", data: {} }] : [], hasMore: false };
    },
  });
}

async function versionOfNewest(db: Database, webhookId: string): Promise<string> {
  const newest = await selectDeliveries(db, webhookId, {}, watched);
  const pending = await selectDeliveries(db, webhookId, { status: "pending" }, watched);
  return versionOfContent([...newest, ...pending].map(({ id, status, attempt_count }) => [id, status, attempt_count]));
}
