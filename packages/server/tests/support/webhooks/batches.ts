import { sql } from "kysely";
import type { StoredAttempt } from "../../../src/features/webhooks/delivery/attempt-delivery.ts";
import type { DeliveryResult } from "../../../src/features/webhooks/delivery/delivery-result.ts";
import { Batch } from "../../../src/features/webhooks/outbox/batch.ts";
import { writeBatch } from "../../../src/features/webhooks/outbox/batch-store.ts";
import { lockCursors, takeLead } from "../../../src/features/webhooks/outbox/cursor-store.ts";
import { readLog } from "../../../src/features/webhooks/outbox/log-store.ts";
import type { TestApp } from "../test-app.ts";
import { until } from "../until.ts";
import { emitted } from "./stage.ts";

/** What can become of a delivery by the time its batch is written. */
export type Becomes = "delivered" | "retry" | "failed" | "claimed" | "due";

const node = "writer";
const leadMs = 60_000;

/** As the attempt of an answered post is stored. */
export const storedAttempt: StoredAttempt = {
  number: 1,
  at: "2026-11-15T09:30:00.000Z",
  duration_ms: 3,
  connect_ms: null,
  request: { url: "http://127.0.0.1:9/", body_bytes: 300, body_sha256: "ab".repeat(32) },
  response: { status: 200, headers: { "x-odd": '"\\ {},\t' }, body: 'two\nlines, a "quote", {a brace} and \u2028 ü' },
  fault: null,
  error: null,
};

const failed = { ...storedAttempt, response: null, fault: "network", error: "Nobody listens." } as const;

function resultOf(becomes: "delivered" | "retry" | "failed"): DeliveryResult {
  switch (becomes) {
    case "delivered":
      return { status: "delivered", reason: null, delayMs: null, isCounted: false, attempt: storedAttempt };
    case "retry":
      return { status: "pending", reason: null, delayMs: 3_600_000, isCounted: true, attempt: failed };
    case "failed":
      return { status: "failed", reason: "Nobody listens.", delayMs: null, isCounted: true, attempt: failed };
  }
}

/** Many events of a project at once, as `emit` makes them, without waking anybody. */
async function writeEvents({ db }: Pick<TestApp, "db">, projectId: string, count: number): Promise<void> {
  await sql`
    with project as (
      update projects set last_sequence = last_sequence + ${count} where id = ${projectId} returning last_sequence
    )
    insert into events (project_id, sequence, id, name, data)
    select ${projectId}, last_sequence - ${count} + number, 'evt_' || substr(md5(random()::text), 1, 20), ${emitted},
      jsonb_build_object('line', number)
    from project, generate_series(1, ${count}) as number`.execute(db);
}

/** Writes so many events of a project, reads them, and writes what became of the deliveries that follow from each. */
export async function deliver(
  { db }: Pick<TestApp, "db">,
  projectId: string,
  all: readonly Becomes[],
): Promise<Batch["deliveries"]> {
  await takeLead(db, node, leadMs);
  await writeEvents({ db }, projectId, all.length);
  const batch = await until(async () => {
    const { after, events, matches } = await readLog(db, node, 1_000);
    return (
      events.filter((event) => event.projectId === projectId).length >= all.length && new Batch(after, events, matches)
    );
  });
  const { deliveries } = batch;
  // Each event is for as many webhooks.
  const becomes = (at: number) => all[Math.floor((at * all.length) / deliveries.length)]!;
  batch.open(deliveries.filter((_, at) => becomes(at) !== "due"));
  for (const [at, delivery] of deliveries.entries()) {
    const ending = becomes(at);
    if (ending !== "claimed" && ending !== "due") batch.settle(delivery, resultOf(ending));
  }
  await db.transaction().execute(async (trx) => {
    await lockCursors(trx);
    const { after, upTo, lastSequences } = batch;
    const rows = { lastSequences, ...batch.toRows() };
    const written = await writeBatch(trx, { node, leaseMs: 30_000, leadMs, after, upTo, ...rows });
    if (written === undefined) throw new Error("The batch was not written.");
  });
  return deliveries;
}
