// @module-tag soak
import { randomInt } from "node:crypto";
import { setTimeout as delay } from "node:timers/promises";
import type { EventRecord } from "@slipway/contract";
import { expect, test } from "vitest";
import { processesIn, signal } from "../../support/database/run-starter.ts";
import { entry, type Service, startService, usedDataFolder } from "../../support/run-service.ts";
import { unbuildableDocument } from "../../support/test-app.ts";
import { until } from "../../support/until.ts";
import { type Received, type Receiver, startReceiver } from "../../support/webhooks/receiver.ts";
import { secret } from "../../support/webhooks/stage.ts";

const isLong = process.env["SLIPWAY_LONG"] === "1";
const kills = isLong ? 100 : 10;
const clients = isLong ? 4 : 1;
const env = { SLIPWAY_REQUESTS_PER_MINUTE: "1000000", SLIPWAY_LOG_LEVEL: "warn" };
const start = (data: string) => startService(data, ["--allow-local-webhooks"], { program: entry, env });
/** No more can come twice for a kill: one batch that is posted and not written yet, and what the node had claimed. */
const maxTwicePerKill = 500 + 256;

const plain = await startReceiver();
const ordered = await startReceiver();
const flaky = await startReceiver();
const hanging = await startReceiver();
/** Takes it and is gone before it answers, or says no: the first time, of every seventh event. */
flaky.answer = ({ id, headers }, response) => {
  const isOdd = [...id].reduce((sum, character) => sum + character.charCodeAt(0), 0) % 7 === 0;
  if (!isOdd || headers["webhook-attempt"] !== "1") response.writeHead(200).end();
  else if (id.charCodeAt(id.length - 1) % 2 === 0) response.destroy();
  else response.writeHead(503).end();
};
hanging.answer = () => undefined;

test(`every event arrives, in order where that was asked for, when the service is killed ${kills} times`, {
  timeout: 300_000 + kills * 15_000,
}, async () => {
  const data = await usedDataFolder();
  let service = await start(data);
  for (const receiver of [plain, ordered, flaky, hanging])
    await register(service, { url: receiver.url, ordering: receiver === ordered ? "project" : "none" });
  const projects = new Set<string>();
  for (let kill = 0; kill < kills; kill += 1) {
    const before = projects.size;
    const submitting = Promise.all(
      Array.from({ length: clients }, (_, client) => submitUntilGone(service, `${kill}-${client}`, projects)),
    );
    // The moment is chance, after the first answers: that is what is tried.
    await until(() => projects.size > before + clients);
    await delay(randomInt(0, 600));
    await service.killGroup();
    if (kill % 3 === 2) for (const pid of processesIn(data)) signal(pid, "SIGKILL");
    await submitting;
    service = await start(data);
  }
  const written = await allEvents(service);
  expect(written.size).toBeGreaterThan(kills);
  for (const receiver of [plain, ordered, flaky])
    await until(() => new Set(receiver.received.map(({ id }) => id)).size >= written.size);
  for (const receiver of [plain, ordered, flaky]) expectAll(receiver, written);
  expectOrdered(ordered.received);
  const twice = (receiver: Receiver) => receiver.received.length - written.size;
  for (const receiver of [plain, ordered]) expect(twice(receiver)).toBeLessThanOrEqual(kills * maxTwicePerKill);
  console.info(
    `${kills} kills, ${written.size} events; twice: ${twice(plain)} plain, ${twice(ordered)} ordered, ${twice(flaky)} flaky`,
  );
  expect(await service.stop()).toMatchObject({ code: 0 });
});

async function register(service: Service, asked: object): Promise<void> {
  const answer = await service.call("/api/v1/webhooks", {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ events: ["*"], secret, ...asked }),
  });
  expect(answer.status).toBe(201);
}

async function submitUntilGone(service: Service, name: string, projects: Set<string>): Promise<void> {
  for (let count = 0; ; count += 1) {
    try {
      projects.add((await service.createProject(unbuildableDocument(`app-${name}-${count}`))).project_id);
    } catch {
      return;
    }
  }
}

/** Every event of every project, once all projects are at rest. */
async function allEvents(service: Service): Promise<Map<string, EventRecord>> {
  const found = new Map<string, EventRecord>();
  const read = async <T>(path: string) => (await (await service.call(path)).json()) as T;
  for (let cursor = ""; ; ) {
    const page = await read<{ projects: { project_id: string }[]; next_cursor: string | null }>(
      `/api/v1/projects?limit=100${cursor}`,
    );
    for (const { project_id } of page.projects) {
      await until(async () => (await read<{ status: string }>(`/api/v1/projects/${project_id}`)).status === "failed");
      const { events } = await read<{ events: EventRecord[] }>(`/api/v1/projects/${project_id}/events?limit=100`);
      for (const event of events) found.set(event.event_id, event);
    }
    if (page.next_cursor === null) return found;
    cursor = `&cursor=${page.next_cursor}`;
  }
}

function expectAll({ received }: Receiver, written: ReadonlyMap<string, EventRecord>): void {
  const bySequence = new Map<string, string>();
  for (const { id, body, sequence } of received) {
    const event = written.get(id);
    expect({ event: body.event, data: body.data, project_id: body.project_id }).toEqual({
      event: event?.event,
      data: event?.data,
      project_id: event?.project_id,
    });
    // The same place in the sequence, however often it comes.
    const place = `${body.project_id} ${sequence}`;
    expect(bySequence.get(place) ?? id).toBe(id);
    bySequence.set(place, id);
  }
  const counts = Map.groupBy([...written.values()], ({ project_id }) => project_id);
  for (const [projectId, events] of counts)
    for (let sequence = 1; sequence <= events.length; sequence += 1)
      expect(bySequence.get(`${projectId} ${sequence}`)).toBe(events[sequence - 1]!.event_id);
  expect(bySequence.size).toBe(written.size);
}

function expectOrdered(received: readonly Received[]): void {
  for (const [, ofProject] of Map.groupBy(received, ({ body }) => body.project_id)) {
    const sequences = ofProject.map(({ sequence }) => sequence ?? 0);
    expect(sequences).toEqual(sequences.toSorted((a, b) => a - b));
  }
}
