import { sql } from "kysely";
import { expect, test } from "vitest";
import { appendEvent } from "../../../../src/engine/events/index.ts";
import { parkWebhook, settleDeliveries } from "../../../../src/features/webhooks/delivery/delivery-store.ts";
import { Batch } from "../../../../src/features/webhooks/outbox/batch.ts";
import { maxInRun, writeBatch, writeCatchUp } from "../../../../src/features/webhooks/outbox/batch-store.ts";
import {
  findCatchUpRange,
  findUnread,
  leaveLead,
  lockCursors,
  moveOwnCursor,
  takeLead,
} from "../../../../src/features/webhooks/outbox/cursor-store.ts";
import { readLog } from "../../../../src/features/webhooks/outbox/log-store.ts";
import { createProject, createTestApp } from "../../../support/test-app.ts";
import { until } from "../../../support/until.ts";
import { storedAttempt } from "../../../support/webhooks/batches.ts";
import { startReceiver } from "../../../support/webhooks/receiver.ts";
import { deliveriesOf, emit, emitted, linesOf, readWebhook, register } from "../../../support/webhooks/stage.ts";

const leadMs = 60_000;
/** Without an engine nobody reads the log but this test. */
const service = await createTestApp();
const { db } = service;
const receiver = await startReceiver();
const issue = { rule_id: "r", severity: "note", path: "a.ts", message: "Odd.", remedy: "Mend it." };

/** Reads so many deliveries, once no older transaction of anybody holds them back. */
async function read(node: string, count: number): Promise<Batch> {
  return until(async () => {
    const { isLeader, after, events, matches } = await readLog(db, node, 100);
    expect(isLeader).toBe(true);
    const batch = new Batch(after, events, matches);
    return batch.deliveries.length >= count && batch;
  });
}

async function write(node: string, batch: Batch): Promise<boolean> {
  const { after, upTo, lastSequences } = batch;
  const written = await db.transaction().execute(async (trx) => {
    await lockCursors(trx);
    return writeBatch(trx, { node, leaseMs: 30_000, leadMs, after, upTo, lastSequences, ...batch.toRows() });
  });
  return written !== undefined;
}

async function moveCursorToEnd(): Promise<void> {
  await sql`
    update event_cursors set (xid, project_id, sequence) = (
      select xid, project_id, sequence from events order by xid desc, project_id desc, sequence desc limit 1
    ) where reader = 'webhooks'`.execute(db);
}

const sequencesOf = async (webhookId: string) =>
  (await deliveriesOf(service, webhookId)).map(({ sequence }) => sequence).toSorted((a, b) => a! - b!);

test("one node leads; when it was not heard of for long another does, and what the first had read is not written", async () => {
  const { webhook_id } = await register(service, { url: receiver.url, events: [emitted] });
  const projectId = await createProject(service);
  expect([await takeLead(db, "one", leadMs), await takeLead(db, "other", leadMs)]).toEqual([true, false]);
  await emit(service, projectId, 3);
  const batch = await read("one", 3);
  expect(batch.deliveries.map(({ sequence }) => sequence)).toEqual([1, 2, 3]);
  await sql`update event_cursors set lease_expires_at = now() - interval '1 ms' where claimed_by = 'one'`.execute(db);
  expect(await takeLead(db, "other", leadMs)).toBe(true);
  expect(await write("one", batch)).toBe(false);
  expect(await deliveriesOf(service, webhook_id)).toEqual([]);
  const again = await read("other", 3);
  expect(await write("other", again)).toBe(true);
  expect(await write("other", again)).toBe(false);
  expect(await sequencesOf(webhook_id)).toEqual([1, 2, 3]);
  await leaveLead(db, "other");
  await service.call({ method: "DELETE", url: `/api/v1/webhooks/${webhook_id}` });
});

test("a webhook that is parked after the log was read for it goes on from its own cursor, with the same sequences", async () => {
  const one = await register(service, { url: receiver.url, events: [emitted] });
  const other = await register(service, { url: receiver.url, events: [emitted] });
  const projectId = await createProject(service);
  const node = "leader";
  await takeLead(db, node, leadMs);
  await emit(service, projectId, 2);
  const batch = await read(node, 4);
  expect(batch.deliveries).toHaveLength(4);
  await parkWebhook(db, one.webhook_id, 0);
  expect(await write(node, batch)).toBe(true);
  expect(await sequencesOf(one.webhook_id)).toEqual([]);
  expect(await sequencesOf(other.webhook_id)).toEqual([1, 2]);
  await emit(service, projectId, 1, 3);
  const next = await read(node, 1);
  expect(next.deliveries.map(({ webhookId, sequence }) => [webhookId, sequence])).toEqual([[other.webhook_id, 3]]);
  expect(await write(node, next)).toBe(true);
  await service.call({ method: "PATCH", url: `/api/v1/webhooks/${one.webhook_id}`, payload: { status: "active" } });
  await db.transaction().execute(async (trx) => {
    expect(await findCatchUpRange(trx, "another", one.webhook_id)).toBeUndefined();
    const range = await findCatchUpRange(trx, node, one.webhook_id);
    await writeCatchUp(trx, one.webhook_id, { ...range!, limit: 100 });
    await moveOwnCursor(trx, one.webhook_id, undefined);
  });
  expect(await sequencesOf(one.webhook_id)).toEqual([1, 2, 3]);
  await leaveLead(db, node);
  for (const { webhook_id } of [one, other])
    await service.call({ method: "DELETE", url: `/api/v1/webhooks/${webhook_id}` });
});

test("what a project tells keeps its order, also when a later event has the older transaction", async () => {
  const { webhook_id } = await register(service, { url: receiver.url, events: [emitted], ordering: "project" });
  const projectId = await createProject(service);
  const node = "orderly";
  await takeLead(db, node, leadMs);
  const older = await db.startTransaction().execute();
  await sql`select pg_current_xact_id()`.execute(older);
  await emit(service, projectId, 1, 1);
  const { clock } = service;
  await appendEvent(older, clock, projectId, emitted, { ...issue, line: 2 });
  await older.commit().execute();
  const batch = await read(node, 2);
  expect(batch.deliveries.map(({ data, sequence }) => [data!["line"], sequence])).toEqual([
    [1, 1],
    [2, 2],
  ]);
  await leaveLead(db, node);
  await service.call({ method: "DELETE", url: `/api/v1/webhooks/${webhook_id}` });
});

test("nothing is read before what came before it in its project, wherever what is read ends", async () => {
  const projectId = await createProject(service);
  const node = "orderly";
  await takeLead(db, node, leadMs);
  await moveCursorToEnd();
  const open = async () => {
    const trx = await db.startTransaction().execute();
    await sql`select pg_current_xact_id()`.execute(trx);
    return trx;
  };
  const linesIn = async (limit: number) => {
    const { events, hasMore } = await readLog(db, node, limit);
    return { lines: events.map(({ data }) => data["line"]), hasMore };
  };
  const [older, between] = [await open(), await open()];
  await emit(service, projectId, 3, 1);
  await appendEvent(older, service.clock, projectId, emitted, { ...issue, line: 4 });
  for (let line = 5; line <= 80; line += 1)
    await appendEvent(older, service.clock, projectId, emitted, { ...issue, line });
  await older.commit().execute();
  // From the fourth on they could be read, those before them cannot: however much there is.
  for (const limit of [1, 10, 100]) expect((await linesIn(limit)).lines).toEqual([]);
  await between.commit().execute();
  const all = [...Array.from({ length: 77 }, (_, at) => at + 4), 1, 2, 3];
  await until(async () => (await linesIn(100)).lines.length === 80);
  expect(await linesIn(100)).toEqual({ lines: all, hasMore: false });
  for (const limit of [3, 40, 79, 80]) expect((await linesIn(limit)).lines).toEqual(all);
  await leaveLead(db, node);
});

test("a webhook gets nothing that was there before it, though it is read after, and of the rest what it listens to", async () => {
  const node = "late";
  await takeLead(db, node, leadMs);
  const projectId = await createProject(service);
  const elder = await register(service, { url: receiver.url, events: ["*"] });
  await emit(service, projectId, 2);
  const younger = await register(service, {
    url: receiver.url,
    events: [emitted, "project.failed"],
    project_id: projectId,
  });
  await emit(service, projectId, 2, 3);
  await db.transaction().execute((trx) => appendEvent(trx, service.clock, projectId, "project.started", {} as never));
  await emit(service, await createProject(service), 1, 9);
  const batch = await read(node, 9);
  const received = (id: string) =>
    batch.deliveries
      .filter(({ webhookId }) => webhookId === id)
      .map(({ event, data, sequence }) => (event === emitted ? [data!["line"], sequence] : [event, sequence]));
  expect(received(younger.webhook_id)).toEqual([
    [3, 1],
    [4, 2],
  ]);
  expect(received(elder.webhook_id)).toEqual([
    [1, 1],
    [2, 2],
    [3, 3],
    [4, 4],
    ["project.started", 5],
    ["project.created", 1],
    [9, 2],
  ]);
  await leaveLead(db, node);
  for (const { webhook_id } of [elder, younger])
    await service.call({ method: "DELETE", url: `/api/v1/webhooks/${webhook_id}` });
});

test("a parked webhook whose last delivery went with its project goes on with the others", {
  tags: "long",
}, async () => {
  const working = await createTestApp({ engine: { agents: [] }, webhooks: { scaleDelay: (ms) => ms / 100 } });
  const path = "/left-alone";
  receiver.answer = (_received, response) => void response.writeHead(500).end();
  const { webhook_id } = await register(working, { url: receiver.url + path, events: [emitted] });
  await emit(working, await createProject(working), 12);
  await until(async () => (await readWebhook(working, webhook_id)).status === "parked");
  const projectId = await createProject(working);
  await emit(working, projectId, 1, 77);
  await sql`delete from deliveries where webhook_id = ${webhook_id}`.execute(working.db);
  receiver.answer = (_received, response) => void response.writeHead(204).end();
  await until(() => linesOf(receiver.at(path)).includes(77));
  // That it works again, and what became of the delivery, are written one after the other.
  await until(async () => {
    const { status, failing_since, pending } = await readWebhook(working, webhook_id);
    return status === "active" && failing_since === null && pending === 0;
  });
});

test("an event that an older transaction holds back is unread for who leads, and still is in the moment after that has ended", async () => {
  const projectId = await createProject(service);
  await takeLead(db, "leader", leadMs);
  await moveCursorToEnd();
  const mayRead = async (node: string) => {
    const { mayLead, hasUnread } = await findUnread(db, node);
    return mayLead && hasUnread;
  };
  expect(await mayRead("leader")).toBe(false);
  const older = await db.startTransaction().execute();
  await sql`select pg_current_xact_id()`.execute(older);
  await emit(service, projectId, 1);
  expect(await readLog(db, "leader", 10)).toMatchObject({ events: [], isHeldBack: true });
  expect(await findUnread(db, "leader")).toMatchObject({ hasReadable: false });
  expect([await mayRead("leader"), await mayRead("other")]).toEqual([true, false]);
  await older.commit().execute();
  expect([await mayRead("leader"), await mayRead("other")]).toEqual([true, false]);
  await leaveLead(db, "leader");
  expect(await mayRead("other")).toBe(true);
});

test("a settlement that is told twice counts once", async () => {
  const { webhook_id } = await register(service, { url: receiver.url, events: [emitted] });
  const { rows: inserted } = await sql<{ id: number }>`
    insert into deliveries (webhook_id, event_id, event, project_id, due_at, claimed_by, fence)
    values (${webhook_id}, 'evt_1', ${emitted}, '', now(), 'node', 1) returning id`.execute(db);
  const retry = { status: "pending", reason: null, delayMs: 60_000, isCounted: true, attempt: storedAttempt } as const;
  const settlement = { id: inserted[0]!.id, fence: 1, ...retry };
  await settleDeliveries(db, [settlement]);
  await settleDeliveries(db, [settlement]);
  const { rows: settled } =
    await sql`select attempt_count, failures from deliveries where id = ${settlement.id}`.execute(db);
  expect(settled).toEqual([{ attempt_count: 1, failures: 1 }]);
});

test("a batch that cannot be written is not posted over and over, and all is written once it can be", {
  tags: "long",
}, async () => {
  const working = await createTestApp({ engine: { agents: [] } });
  const { webhook_id } = await register(working, { url: `${receiver.url}/unwritten`, events: [emitted] });
  const projectId = await createProject(working);
  await emit(working, projectId, 1, 1);
  await until(async () => (await deliveriesOf(working, webhook_id, "&status=delivered")).length === 1);
  const triedToWrite = async () => {
    const { rows } = await sql<{ last: number }>`
      select last_value as last from pg_sequences where sequencename = 'deliveries_id_seq'`.execute(working.db);
    return rows[0]!.last;
  };
  await sql`alter table deliveries add constraint nothing_more check (sequence < 2)`.execute(working.db);
  await sql`alter table delivered_runs add constraint nothing_more check (2 > all (sequences))`.execute(working.db);
  const before = await triedToWrite();
  await emit(working, projectId, 1, 2);
  await until(async () => (await triedToWrite()) >= before + 3 * maxInRun);
  expect(linesOf(receiver.at("/unwritten"))).toEqual([1, 2]);
  await sql`alter table deliveries drop constraint nothing_more`.execute(working.db);
  await sql`alter table delivered_runs drop constraint nothing_more`.execute(working.db);
  const delivered = await until(async () => {
    const found = await deliveriesOf(working, webhook_id, "&status=delivered");
    return found.length === 2 && found;
  });
  expect(delivered.map(({ sequence }) => sequence)).toEqual([2, 1]);
  // Posted before it could be written, and then once more.
  expect(linesOf(receiver.at("/unwritten"))).toEqual([1, 2, 2]);
});
