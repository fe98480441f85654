import type { ServerResponse } from "node:http";
import { sql } from "kysely";
import { expect, test } from "vitest";
import { createProject, createTestApp } from "../../../support/test-app.ts";
import { until } from "../../../support/until.ts";
import { startReceiver } from "../../../support/webhooks/receiver.ts";
import { emit, emitted, linesOf, readWebhook, register } from "../../../support/webhooks/stage.ts";

const service = await createTestApp({ engine: { agents: [] }, webhooks: { scaleDelay: (ms) => ms / 1000 } });
const { db } = service;
const receiver = await startReceiver();

/** Many events at once, as `emit` makes them. */
async function emitMany(projectId: string, count: number, from: number): Promise<void> {
  await sql`
    with project as (
      update projects set last_sequence = last_sequence + ${count} where id = ${projectId} returning last_sequence
    )
    insert into events (project_id, sequence, id, name, data)
    select ${projectId}, last_sequence - ${count} + number, 'evt_' || gen_random_uuid(), ${emitted},
      jsonb_build_object('line', ${from} + number - 1)
    from project, generate_series(1, ${count}) as number`.execute(db);
  await emit(service, projectId, 0);
}

test("what is too much for a receiver waits in the log, and all of it arrives when it can be taken", {
  tags: "long",
}, async () => {
  const held: ServerResponse[] = [];
  let isOpen = false;
  receiver.answer = (_received, response) => {
    if (isOpen) response.writeHead(200).end();
    else held.push(response);
  };
  const { webhook_id } = await register(service, { url: `${receiver.url}/slow`, events: [emitted] });
  const projectId = await createProject(service);
  const isBehind = async () => {
    const { rows } = await sql`select from webhooks where id = ${webhook_id} and cursor_xid is not null`.execute(db);
    return rows.length > 0;
  };
  for (let step = 0; step < 6; step += 1) await emitMany(projectId, 500, step * 500 + 1);
  await until(isBehind);
  // One step beyond the bound at most, of 3,000 that there are.
  expect((await readWebhook(service, webhook_id)).pending).toBeLessThanOrEqual(2_000);
  isOpen = true;
  for (const response of held) response.writeHead(200).end();
  const mine = () => receiver.at("/slow");
  await until(() => mine().length >= 3_000);
  expect(new Set(linesOf(mine())).size).toBe(3_000);
  expect(
    mine()
      .map(({ sequence }) => sequence!)
      .toSorted((a, b) => a - b),
  ).toEqual(Array.from({ length: 3_000 }, (_, at) => at + 1));
  await until(async () => !(await isBehind()));
});

test("several nodes share the work, and nothing comes twice", { tags: "long" }, async () => {
  receiver.answer = (_received, response) => void response.writeHead(200).end();
  await service.anotherNode();
  await register(service, { url: `${receiver.url}/shared`, events: [emitted] });
  await register(service, { url: `${receiver.url}/ordered`, events: [emitted], ordering: "project" });
  const projectId = await createProject(service);
  for (let step = 0; step < 10; step += 1) await emit(service, projectId, 10, step * 10 + 1);
  await until(() => receiver.at("/shared").length >= 100 && receiver.at("/ordered").length >= 100);
  expect(linesOf(receiver.at("/shared")).toSorted((a, b) => a - b)).toEqual(
    Array.from({ length: 100 }, (_, at) => at + 1),
  );
  expect(linesOf(receiver.at("/ordered"))).toEqual(Array.from({ length: 100 }, (_, at) => at + 1));
});

test("a receiver to which nothing has arrived for five days is disabled, and says since when", async () => {
  receiver.answer = (_received, response) => void response.writeHead(500).end();
  const { webhook_id } = await register(service, { url: `${receiver.url}/dead`, events: [emitted] });
  await emit(service, await createProject(service));
  await until(async () => (await readWebhook(service, webhook_id)).failing_since !== null);
  const { failing_since } = await readWebhook(service, webhook_id);
  service.clock.advance(5 * 24 * 3600_000);
  await until(async () => (await readWebhook(service, webhook_id)).status === "disabled");
  expect(await readWebhook(service, webhook_id)).toMatchObject({
    disabled_reason: `Nothing has arrived since ${failing_since}.`,
    pending: 1,
  });
});
