// @module-tag soak

import type { Delivery } from "@slipway/contract";
import fc from "fast-check";
import { sql } from "kysely";
import { expect, test } from "vitest";
import { soakRuns } from "../../../../../tools/soak-runs.ts";
import { trimDeliveries } from "../../../src/features/webhooks/history-store.ts";
import { createProject, createTestApp } from "../../support/test-app.ts";
import { type Becomes, deliver, storedAttempt } from "../../support/webhooks/batches.ts";
import { startReceiver } from "../../support/webhooks/receiver.ts";
import { deliveriesOf, emitted, register } from "../../support/webhooks/stage.ts";

/** Without an engine nobody writes batches but this test. */
const service = await createTestApp();
const { call, db } = service;
const receiver = await startReceiver();

const newWebhook = async () => (await register(service, { url: receiver.url, events: [emitted] })).webhook_id;
const remove = (id: string) => call({ method: "DELETE", url: `/api/v1/webhooks/${id}` });
const redeliver = async (id: string) => {
  const answer = await call({ method: "POST", url: `/api/v1/deliveries/${id}/redeliver` });
  expect(answer.statusCode).toBe(202);
  return answer.json<Delivery>();
};
const find = async (id: string) => (await call({ url: `/api/v1/deliveries/${id}` })).json<Delivery>();
const statuses: Readonly<Record<Becomes, Delivery["status"]>> = {
  delivered: "delivered",
  retry: "pending",
  failed: "failed",
  claimed: "pending",
  due: "pending",
};

/** All pages, with so many on each. */
async function pagesOf(webhookId: string, limit: number, query = ""): Promise<Delivery[]> {
  const found: Delivery[] = [];
  let cursor = "";
  do {
    const url = `/api/v1/webhooks/${webhookId}/deliveries?limit=${limit}${query}${cursor}`;
    const page = (await call({ url })).json<{ deliveries: Delivery[]; next_cursor: string | null }>();
    expect(page.deliveries.length).toBeLessThanOrEqual(limit);
    found.push(...page.deliveries);
    cursor = page.next_cursor === null ? "" : `&cursor=${page.next_cursor}`;
  } while (cursor !== "");
  return found;
}

async function countStored(webhookId: string): Promise<{ runs: number; rows: number }> {
  const { rows } = await sql<{ runs: number; rows: number }>`
    select (select count(*) from delivered_runs where webhook_id = ${webhookId}) as runs,
      (select count(*) from deliveries where webhook_id = ${webhookId}) as rows`.execute(db);
  return rows[0]!;
}

test("what arrived at once shares a row, and is shown as a delivery like any other", async () => {
  const webhookId = await newWebhook();
  const projectId = await createProject(service);
  const sent = await deliver(service, projectId, ["delivered", "delivered", "delivered"]);
  expect(await countStored(webhookId)).toEqual({ runs: 1, rows: 0 });
  const found = await deliveriesOf(service, webhookId);
  expect(found.map(({ event_id }) => event_id)).toEqual(sent.map(({ eventId }) => eventId).toReversed());
  expect(found[0]).toEqual({
    delivery_id: expect.stringMatching(/^dlv_[0-9a-z]{20}$/),
    webhook_id: webhookId,
    event_id: sent[2]!.eventId,
    event: emitted,
    project_id: projectId,
    sequence: 3,
    status: "delivered",
    reason: null,
    attempt_count: 1,
    next_attempt_at: null,
    created_at: expect.any(String),
    delivered_at: found[0]!.created_at,
    attempts: [
      {
        ...storedAttempt,
        request: {
          ...storedAttempt.request,
          headers: {
            "content-type": "application/json",
            "webhook-id": sent[2]!.eventId,
            "webhook-timestamp": "1794735000",
            "webhook-attempt": "1",
            "webhook-sequence": "3",
          },
        },
      },
    ],
  });
  for (const delivery of found) expect(await find(delivery.delivery_id)).toEqual(delivery);
  const beyond = found[0]!.delivery_id.replace(/.$/, "z");
  expect((await call({ url: `/api/v1/deliveries/${beyond}` })).statusCode).toBe(404);
  await remove(webhookId);
});

test("filters find what is in a run and what has a row", async () => {
  const webhookId = await newWebhook();
  const [one, other] = [await createProject(service), await createProject(service)];
  await deliver(service, one, ["delivered", "retry", "delivered", "failed", "due"]);
  await deliver(service, other, ["delivered", "claimed", "delivered"]);
  const sequences = async (query: string) =>
    (await deliveriesOf(service, webhookId, query)).map(({ sequence }) => sequence!).toSorted((a, b) => a - b);
  expect(await sequences(`&project_id=${one}`)).toEqual([1, 2, 3, 4, 5]);
  expect(await sequences(`&project_id=${other}&status=delivered`)).toEqual([1, 3]);
  expect(await sequences(`&project_id=${one}&status=pending`)).toEqual([2, 5]);
  expect(await sequences(`&project_id=${one}&status=failed`)).toEqual([4]);
  expect(await sequences(`&project_id=${one}&sequence_from=2&sequence_to=3`)).toEqual([2, 3]);
  expect(await sequences("&sequence_from=3")).toEqual([3, 3, 4, 5]);
  expect(await sequences(`&event=${emitted}`)).toHaveLength(8);
  expect(await sequences("&event=project.created")).toEqual([]);
  expect(await sequences("&status=withheld")).toEqual([]);
  await remove(webhookId);
});

test("whatever was written, and sent once more, pages list each delivery once, the newest first", async () => {
  const projectId = await createProject(service);
  const becomes = fc.constantFrom<Becomes>("delivered", "delivered", "delivered", "retry", "failed", "claimed", "due");
  const batches = fc.array(fc.array(becomes, { minLength: 1, maxLength: 7 }), { minLength: 1, maxLength: 4 });
  const chosen = fc.array(fc.nat(), { maxLength: 4 });
  await fc.assert(
    fc.asyncProperty(batches, chosen, fc.integer({ min: 1, max: 9 }), async (written, again, limit) => {
      const webhookId = await newWebhook();
      const expected = new Map<string, { status: string; batch: number }>();
      for (const [batch, endings] of written.entries())
        for (const [at, { eventId }] of (await deliver(service, projectId, endings)).entries())
          expected.set(eventId, { status: statuses[endings[at]!], batch });
      const before = await pagesOf(webhookId, 100);
      for (const pick of again) {
        const { delivery_id, event_id } = before[pick % before.length]!;
        expect(await redeliver(delivery_id)).toMatchObject({ delivery_id, event_id, status: "pending" });
        expected.set(event_id, { ...expected.get(event_id)!, status: "pending" });
      }
      const found = await pagesOf(webhookId, limit);
      expect(Object.fromEntries(found.map(({ event_id, status }) => [event_id, status]))).toEqual(
        Object.fromEntries([...expected].map(([id, { status }]) => [id, status])),
      );
      const ids = found.map(({ delivery_id }) => delivery_id);
      expect(ids).toEqual([...new Set(ids)].toSorted().toReversed());
      const order = found.map(({ event_id }) => expected.get(event_id)!.batch);
      expect(order).toEqual(order.toSorted((a, b) => b - a));
      const delivered = await pagesOf(webhookId, limit, "&status=delivered");
      expect(delivered).toEqual(found.filter(({ status }) => status === "delivered"));
      for (const delivery of found) expect(await find(delivery.delivery_id)).toEqual(delivery);
      await remove(webhookId);
    }),
    { numRuns: soakRuns(12) },
  );
});

test("a delivery that is sent once more shows its new state, in the list and alone, and the rest of its run stays", async () => {
  const webhookId = await newWebhook();
  await deliver(service, await createProject(service), ["delivered", "delivered", "delivered"]);
  const [, second] = await deliveriesOf(service, webhookId);
  const again = await redeliver(second!.delivery_id);
  expect(again).toMatchObject({ ...second, status: "pending", next_attempt_at: expect.any(String) });
  expect(await redeliver(second!.delivery_id)).toMatchObject({ delivery_id: second!.delivery_id, status: "pending" });
  expect(await countStored(webhookId)).toEqual({ runs: 1, rows: 1 });
  const found = await deliveriesOf(service, webhookId);
  expect(found.map(({ sequence, status }) => [sequence, status])).toEqual([
    [3, "delivered"],
    [2, "pending"],
    [1, "delivered"],
  ]);
  expect(await find(second!.delivery_id)).toEqual(found[1]);
  expect((await deliveriesOf(service, webhookId, "&status=delivered")).map(({ sequence }) => sequence)).toEqual([3, 1]);
  await remove(webhookId);
});

test("a replay finds what is in runs and what has rows, by time and by sequence", async () => {
  const since = new Date().toISOString();
  const webhookId = await newWebhook();
  const [one, other] = [await createProject(service), await createProject(service)];
  await deliver(service, one, ["delivered", "failed", "delivered"]);
  await deliver(service, other, ["delivered", "delivered"]);
  await deliver(service, one, ["delivered", "delivered"]);
  const before = await deliveriesOf(service, webhookId);
  await redeliver(before.find(({ project_id, sequence }) => project_id === one && sequence === 4)!.delivery_id);
  const replay = async (payload: object) => {
    const answer = await call({ method: "POST", url: `/api/v1/webhooks/${webhookId}/replay`, payload });
    return answer.json<{ count: number; first: { event_id: string; sequence: number | null }[] }>();
  };
  const range = { project_id: one, sequence_from: 2, sequence_to: 4 };
  const found = await replay({ ...range, dry_run: true });
  expect(found.first.map(({ sequence }) => sequence)).toEqual([2, 3, 4]);
  expect(await replay({ project_id: other, sequence_from: 2, dry_run: true })).toMatchObject({ count: 1 });
  expect(await replay(range)).toMatchObject({ count: 3 });
  const pending = () => deliveriesOf(service, webhookId, "&status=pending");
  expect((await pending()).map(({ sequence }) => sequence).toSorted()).toEqual([2, 3, 4]);
  const all = await replay({ since, dry_run: true });
  expect(all.first.map(({ sequence }) => sequence)).toEqual([1, 2, 3, 1, 2, 4, 5]);
  expect(await replay({ since })).toMatchObject({ count: 7 });
  const after = await pending();
  expect(after.map(({ delivery_id, event_id, sequence }) => [delivery_id, event_id, sequence])).toEqual(
    before.map(({ delivery_id, event_id, sequence }) => [delivery_id, event_id, sequence]),
  );
  expect(after.filter(({ attempts }) => attempts.length !== 1)).toEqual([]);
  await remove(webhookId);
});

test("what is older than 30 days goes, and what was sent once more never shows as it was before", async () => {
  const webhookId = await newWebhook();
  const projectId = await createProject(service);
  await deliver(service, projectId, ["delivered", "delivered", "failed"]);
  await deliver(service, projectId, ["delivered"]);
  const member = (await deliveriesOf(service, webhookId)).find(({ sequence }) => sequence === 1);
  await redeliver(member!.delivery_id);
  await sql`update deliveries set status = 'failed', reason = 'Late.' where webhook_id = ${webhookId}`.execute(db);
  const old = sql`now() - interval '31 days'`;
  await sql`update deliveries set created_at = ${old} where webhook_id = ${webhookId}`.execute(db);
  await trimDeliveries(db);
  // Its run is not old: without the row it would seem to have arrived.
  const states = async () =>
    Object.fromEntries((await deliveriesOf(service, webhookId)).map(({ sequence, status }) => [sequence, status]));
  expect(await states()).toEqual({ 1: "failed", 2: "delivered", 4: "delivered" });
  await sql`
    update delivered_runs set created_at = ${old}
    where id = (select min(id) from delivered_runs where webhook_id = ${webhookId})`.execute(db);
  await trimDeliveries(db);
  expect(await states()).toEqual({ 4: "delivered" });
  expect(await countStored(webhookId)).toEqual({ runs: 1, rows: 0 });
  await remove(webhookId);
});

test("of a webhook 100,000 are stored, in runs and rows together, and what is on its way", async () => {
  const webhookId = await newWebhook();
  const other = await newWebhook();
  await deliver(service, await createProject(service), ["delivered", "delivered", "failed", "retry"]);
  const member = (await deliveriesOf(service, webhookId)).find(({ sequence }) => sequence === 2);
  await redeliver(member!.delivery_id);
  await sql`update deliveries set status = 'failed' where webhook_id = ${webhookId} and sequence = 2`.execute(db);
  const addRun = (count: number) =>
    sql`
    insert into delivered_runs (webhook_id, count, event_ids, events, project_ids, event_sequences, sequences, attempts)
    select ${webhookId}, ${count}, array_agg('evt_x'::text), array_agg('project.created'::text), array_agg('proj_x'::text),
      array_agg(n), array_agg(n), json_agg(json_build_object())
    from generate_series(1::bigint, ${count}) as n`.execute(db);
  for (let step = 0; step < 100; step += 1) await addRun(999);
  await trimDeliveries(db);
  expect(await countStored(webhookId)).toEqual({ runs: 101, rows: 3 });
  await addRun(100);
  await trimDeliveries(db);
  expect(await countStored(webhookId)).toEqual({ runs: 101, rows: 1 });
  expect(await deliveriesOf(service, webhookId, "&status=pending")).toMatchObject([{ sequence: 4 }]);
  expect(await countStored(other)).toEqual({ runs: 1, rows: 2 });
  await remove(webhookId);
  await remove(other);
  while (await trimDeliveries(db));
  expect([await countStored(webhookId), await countStored(other)]).toEqual([
    { runs: 0, rows: 0 },
    { runs: 0, rows: 0 },
  ]);
});
