import { sql } from "kysely";
import { pino } from "pino";
import { afterEach, beforeEach, expect, test } from "vitest";
import { insertEvent, type NewEvent } from "../../../../src/engine/events/store.ts";
import { newId } from "../../../../src/platform/ids.ts";
import { notifyOf } from "../../../support/change-project.ts";
import { createProject, createTestApp } from "../../../support/test-app.ts";
import { until } from "../../../support/until.ts";
import { startReceiver } from "../../../support/webhooks/receiver.ts";
import { deliveriesOf, emit, emitted, register } from "../../../support/webhooks/stage.ts";

const logged: { level: number; msg: string }[] = [];
const service = await createTestApp({
  engine: { agents: [] },
  statementTimeoutMs: 1_000,
  log: pino({ level: "warn" }, { write: (line) => void logged.push(JSON.parse(line)) }),
});
const { db, clock } = service;
const receiver = await startReceiver();
const events = [emitted];

let path = "";
let paths = 0;
beforeEach(async () => {
  paths += 1;
  path = `/${paths}`;
  logged.length = 0;
  receiver.answer = (_received, response) => void response.writeHead(204).end();
  await sql`delete from webhooks`.execute(db);
});
afterEach(async () => {
  await sql`drop trigger if exists refuse_claims on deliveries`.execute(db);
});

const registerMany = (count: number) =>
  Promise.all(Array.from({ length: count }, () => register(service, { url: receiver.url + path, events })));

/** From now on, the database ends claims of more than so many deliveries, as it ends what takes too long. */
async function refuseClaims({ above }: { above: number }): Promise<void> {
  await sql`
    create or replace function refuse_claims() returns trigger language plpgsql as $$ begin
      if (select count(*) from changed where claimed_by is not null) > ${sql.lit(above)} then
        raise exception 'canceling statement due to statement timeout' using errcode = '57014';
      end if;
      return null;
    end $$`.execute(db);
  await sql`
    create trigger refuse_claims after update on deliveries referencing new table as changed
    for each statement execute function refuse_claims()`.execute(db);
}

test("a claim that fails is tried with fewer deliveries, and the operator is told", async () => {
  await refuseClaims({ above: 4 });
  await registerMany(12);
  await emit(service, await createProject(service));
  await until(() => receiver.at(path).length === 12);
  expect(logged).toContainEqual(
    expect.objectContaining({ level: 40, msg: expect.stringContaining("fewer are claimed at once") }),
  );
});

test("what arrived is settled, though no claim succeeds", async () => {
  const projectId = await createProject(service);
  const [webhook] = await registerMany(1);
  await emit(service, projectId);
  await until(async () => (await deliveriesOf(service, webhook!.webhook_id, "&status=delivered")).length === 1);
  // The next is posted before it has a row, and is in flight when it gets one.
  let answer: (() => void) | undefined;
  receiver.answer = (_received, response) => {
    answer = () => void response.writeHead(204).end();
  };
  await emit(service, projectId, 1, 2);
  await until(async () => (await deliveriesOf(service, webhook!.webhook_id)).length === 2);
  await refuseClaims({ above: 0 });
  await sql`
    insert into deliveries (webhook_id, event_id, event, project_id, event_sequence, due_at)
    select webhook_id, event_id || 'x', event, project_id, event_sequence, now() from deliveries`.execute(db);
  await until(() => logged.some(({ level }) => level === 40));
  await until(() => answer)!;
  answer!();
  await until(async () => (await deliveriesOf(service, webhook!.webhook_id, "&status=delivered")).length === 2);
});

test("an event of megabytes, as earlier versions wrote them, reaches all its webhooks, and delays no other event", {
  tags: "long",
}, async () => {
  const projectId = await createProject(service);
  await registerMany(60);
  const data = { ...issue, message: '"'.repeat(1_000_000) } as unknown as NewEvent["data"];
  const event = { project_id: projectId, id: newId("event", 1), name: emitted, data, created_at: clock.now() } as const;
  await db.transaction().execute((trx) => insertEvent(trx, event));
  await emit(service, await createProject(service));
  await notifyOf(db, projectId);
  await until(() => receiver.at(path).length === 120);
  expect(logged).toEqual([]);
});

const issue = { rule_id: "r", severity: "note", path: "a.ts", line: 1, remedy: "Mend it." };
