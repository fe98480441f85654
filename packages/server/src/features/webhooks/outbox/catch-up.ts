import type { Database } from "../../../platform/database/index.ts";
import { writeCatchUp } from "./batch-store.ts";
import { findCatchUpRange, lockCursors, moveOwnCursor, selectBehind } from "./cursor-store.ts";

interface Deps {
  readonly db: Database;
  readonly node: string;
  /** Takes or renews the lead: only the leader moves cursors. */
  readonly lead: () => Promise<boolean>;
  /** There are due deliveries for a webhook. */
  readonly onDue: (webhookId: string) => void;
}

const pollMs = 1_000;
const maxEvents = 500;
/** A webhook with fewer pending deliveries gets more. */
const maxPending = 500;
const maxWebhooksAtOnce = 10;
const maxRemembered = 10_000;

/** Lets webhooks with their own cursor catch up as they have room, until they share the cursor of the others again. */
export class CatchUp {
  readonly #deps: Deps;
  readonly #behind = new Set<string>();
  #polledAtMs = -Infinity;

  constructor(deps: Deps) {
    this.#deps = deps;
  }

  /** A webhook may have become active, or have room: the next run looks for it. */
  pollSoon(): void {
    this.#polledAtMs = -Infinity;
  }

  noteBehind(webhookIds: readonly string[]): void {
    for (const id of webhookIds) this.#behind.add(id);
  }

  isBehind(webhookId: string): boolean {
    return this.#behind.has(webhookId);
  }

  /** Writes one part of the log for each of some webhooks. Gives whether there is more at once. */
  async run(): Promise<boolean> {
    const nowMs = performance.now();
    if (nowMs - this.#polledAtMs < pollMs) return false;
    this.#polledAtMs = nowMs;
    if (this.#behind.size > maxRemembered) this.#behind.clear();
    const behind = await selectBehind(this.#deps.db, { room: maxPending, limit: maxWebhooksAtOnce });
    if (behind.length === 0 || !(await this.#deps.lead())) return false;
    let hasMore = false;
    for (const webhookId of behind) {
      const isBehind = await this.#advance(webhookId);
      if (isBehind) this.#behind.add(webhookId);
      else this.#behind.delete(webhookId);
      hasMore ||= isBehind;
    }
    if (hasMore) this.pollSoon();
    return hasMore;
  }

  /** Whether the webhook is still behind. */
  async #advance(webhookId: string): Promise<boolean> {
    const written = await this.#deps.db.transaction().execute(async (trx) => {
      await lockCursors(trx);
      const range = await findCatchUpRange(trx, this.#deps.node, webhookId);
      if (range === undefined) return { count: 0, hasMore: false };
      const { events, hasMore, count } = await writeCatchUp(trx, webhookId, { ...range, limit: maxEvents });
      const last = events.at(-1) ?? range.after;
      await moveOwnCursor(trx, webhookId, hasMore ? last : undefined);
      return { count, hasMore };
    });
    if (written.count > 0) this.#deps.onDue(webhookId);
    return written.hasMore;
  }
}
