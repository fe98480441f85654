import type { Database } from "../../../platform/database/index.ts";
import type { Deliverer } from "../delivery/deliverer.ts";
import { findBehind, lockHead, moveBehind, selectBehind } from "./cursor-store.ts";
import { writeCatchUp } from "./store.ts";

interface Deps {
  readonly db: Database;
  readonly node: string;
  readonly leaseMs: number;
  readonly deliverer: Pick<Deliverer, "wake" | "offer">;
  /** Takes the lead: nobody else moves anything, and nothing that was read is still to be written. */
  readonly lead: () => Promise<boolean>;
  /** There is more to catch up with. */
  readonly onMore: () => void;
}

/** Without a reason, it is looked this often. */
const pollMs = 1_000;
const maxRead = 500;
const catchUpRoom = 500;
const caughtUpAtOnce = 10;
const maxBehindKnown = 10_000;

/** Lets webhooks that fell behind go on from their own place, as they have room, until they keep up. */
export class CatchUp {
  readonly #parts: Deps;
  /** Webhooks that are known to be behind. */
  readonly #behind = new Set<string>();
  #lookedAtMs = -Infinity;

  constructor(parts: Deps) {
    this.#parts = parts;
  }

  /** There may be somebody who can go on. */
  look(): void {
    this.#lookedAtMs = -Infinity;
  }

  noteBehind(webhookIds: readonly string[]): void {
    for (const id of webhookIds) this.#behind.add(id);
  }

  /** All that waited for a webhook is on its way. Whether that is a reason to look. */
  noteDrained(webhookId: string): boolean {
    if (!this.#behind.has(webhookId)) return false;
    this.look();
    return true;
  }

  /** One portion for each of some. */
  async goOn(): Promise<void> {
    const nowMs = performance.now();
    if (nowMs - this.#lookedAtMs < pollMs) return;
    const behind = await selectBehind(this.#parts.db, { room: catchUpRoom, limit: caughtUpAtOnce });
    let hasMore = false;
    if (behind.length === 0 && this.#behind.size > maxBehindKnown) this.#behind.clear();
    if (behind.length > 0 && !(await this.#parts.lead())) {
      this.#lookedAtMs = nowMs;
      return;
    }
    for (const webhookId of behind) {
      const isBehind = await this.#goOnWith(webhookId);
      if (isBehind) this.#behind.add(webhookId);
      else this.#behind.delete(webhookId);
      hasMore ||= isBehind;
    }
    // While there is more, it is looked again at once, in turn with those that keep up.
    this.#lookedAtMs = hasMore ? -Infinity : nowMs;
    if (hasMore) this.#parts.onMore();
  }

  /** Whether it is still behind. */
  async #goOnWith(webhookId: string): Promise<boolean> {
    const { db, node, leaseMs, deliverer } = this.#parts;
    const { version, slots, taken } = deliverer.offer(webhookId);
    let caughtUp: Awaited<ReturnType<typeof writeCatchUp>> = { events: [], hasMore: false, deliveries: [] };
    try {
      caughtUp = await db.transaction().execute(async (trx) => {
        const upTo = await lockHead(trx, node);
        const after = upTo && (await findBehind(trx, webhookId));
        if (upTo === undefined || after === undefined) return caughtUp;
        const offer = { node, leaseMs, version, slots };
        const written = await writeCatchUp(trx, webhookId, { after, upTo, limit: maxRead, offer });
        await moveBehind(trx, webhookId, written.hasMore ? (written.events.at(-1) ?? after) : undefined);
        return written;
      });
    } finally {
      // What was written as taken begins at once; for the rest it is to be looked.
      taken(
        caughtUp.deliveries.flatMap(({ id, event, sequence, isTaken }) => {
          const { id: eventId, name, projectId, data, happenedAt } = event;
          return isTaken
            ? [{ ...first, id, sequence, webhookId, eventId, event: name, projectId, data, happenedAt }]
            : [];
        }),
      );
    }
    if (caughtUp.deliveries.some(({ isTaken }) => !isTaken)) deliverer.wake([webhookId]);
    return caughtUp.hasMore && caughtUp.events.length > 0;
  }
}

const first = { fence: 1, attemptCount: 0, failures: 0 };
