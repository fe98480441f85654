// @module-tag soak
import { randomInt } from "node:crypto";
import { setTimeout as delay } from "node:timers/promises";
import { expect, test } from "vitest";
import { processesIn, signal } from "../support/database/run-starter.ts";
import { entry, type Service, startService, statusOf, usedDataFolder } from "../support/run-service.ts";
import { unbuildableDocument } from "../support/test-app.ts";
import { until } from "../support/until.ts";

const isLong = process.env["SLIPWAY_LONG"] === "1";
const rounds = isLong ? 50 : 5;
const clients = isLong ? 12 : 6;
const env = { SLIPWAY_REQUESTS_PER_MINUTE: "1000000", SLIPWAY_LOG_LEVEL: "warn" };
const start = (data: string) => startService(data, [], { program: entry, env });

interface Submission {
  readonly key: string;
  readonly document: string;
  /** Known when it was answered. */
  projectId?: string;
}

test(`nothing that was answered is lost when the service is killed in a storm of creates, ${rounds} times`, {
  timeout: 300_000 + rounds * 20_000,
}, async () => {
  const data = await usedDataFolder();
  const submissions: Submission[] = [];
  let service = await start(data);
  for (let round = 0; round < rounds; round += 1) {
    const storm = stormOf(service, round);
    // The moment is chance, after the first answers: that is what is tried.
    await until(() => storm.some(({ projectId }) => projectId !== undefined));
    await delay(randomInt(0, 200));
    await service.killGroup();
    // Every other time the database dies with it, as when the machine is out of memory.
    if (round % 2 === 1) for (const pid of processesIn(data)) signal(pid, "SIGKILL");
    submissions.push(...(await storm.ended));
    service = await start(data);
    await expectKept(service, storm);
    await retryUnanswered(service, storm);
  }
  const listed = await listAll(service);
  expect(listed.toSorted()).toEqual(submissions.map(({ projectId }) => projectId).toSorted());
  await expectToEnd(service);
});

type Storm = Submission[] & { ended: Promise<Submission[]> };

/** Clients that create projects one after the other, each with a key of its own, until the service is gone. */
function stormOf(service: Service, round: number): Storm {
  const storm = [] as unknown as Storm;
  const client = async (name: string) => {
    for (let count = 0; ; count += 1) {
      const key = `${round}-${name}-${count}`;
      const submission: Submission = { key, document: `${unbuildableDocument(`app-${key}`)}# ${key}\n` };
      storm.push(submission);
      try {
        submission.projectId = (await submit(service, submission)).project_id;
      } catch (error) {
        if (isConnectionFailure(error)) return;
        throw error;
      }
    }
  };
  storm.ended = Promise.all(Array.from({ length: clients }, (_, index) => client(String(index)))).then(() => storm);
  return storm;
}

function submit(service: Service, { key, document }: Submission): Promise<{ project_id: string }> {
  return service.createProject(document, { "idempotency-key": key });
}

function isConnectionFailure(error: unknown): boolean {
  return error instanceof TypeError && (error.message === "fetch failed" || error.message === "terminated");
}

async function expectKept(service: Service, storm: readonly Submission[]): Promise<void> {
  const answered = storm.filter(({ projectId }) => projectId !== undefined);
  expect(answered.length).toBeGreaterThan(0);
  await inBatches(answered, async ({ projectId, document }) => {
    const spec = await service.call(`/api/v1/projects/${projectId}/spec`);
    expect([spec.status, await spec.text()]).toEqual([200, document]);
    await expectMadeOnce(service, projectId!);
  });
}

async function inBatches<T>(items: readonly T[], work: (item: T) => Promise<void>): Promise<void> {
  for (let start = 0; start < items.length; start += clients)
    await Promise.all(items.slice(start, start + clients).map(work));
}

async function expectMadeOnce(service: Service, projectId: string): Promise<void> {
  const answer = await service.call(`/api/v1/projects/${projectId}/events`);
  const { events } = (await answer.json()) as { events: { event: string; sequence: number }[] };
  // The project goes on by itself: others may follow.
  expect(events[0]).toMatchObject({ event: "project.created", sequence: 1, project_id: projectId });
  expect(events.filter(({ event }) => event === "project.created")).toHaveLength(1);
  expect(events.map(({ sequence }) => sequence)).toEqual(events.map((_, at) => at + 1));
}

/** Nobody knows whether they were carried out: with their keys, they are once. */
async function retryUnanswered(service: Service, storm: readonly Submission[]): Promise<void> {
  for (const submission of storm.filter(({ projectId }) => projectId === undefined)) {
    submission.projectId = (await submit(service, submission)).project_id;
    await expectMadeOnce(service, submission.projectId);
  }
}

async function listAll(service: Service): Promise<string[]> {
  const ids: string[] = [];
  for (let cursor = ""; ; ) {
    const page = (await (await service.call(`/api/v1/projects?limit=100${cursor}`)).json()) as {
      projects: { project_id: string }[];
      next_cursor: string | null;
    };
    ids.push(...page.projects.map(({ project_id }) => project_id));
    if (page.next_cursor === null) return ids;
    cursor = `&cursor=${page.next_cursor}`;
  }
}

async function expectToEnd(service: Service): Promise<void> {
  const postgres = service.postgresPid!;
  expect(statusOf(postgres)).toBeDefined();
  expect(await service.stop()).toMatchObject({ code: 0, signal: null });
  expect(statusOf(postgres)).toBeUndefined();
}
