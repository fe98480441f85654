import { afterAll, expect, onTestFinished, test } from "vitest";
import { enqueueJobs, JobRunner } from "../../../src/engine/jobs/index.ts";
import { connectDatabase, type Schema } from "../../../src/platform/database/index.ts";
import { quietLog } from "../../support/database/quiet-log.ts";
import { createTestDatabase } from "../../support/database/test-database.ts";
import { migrations } from "../../support/engine/cluster.ts";
import { until } from "../../support/until.ts";

const { connection } = await createTestDatabase(migrations);
const { db, close } = connectDatabase<Schema>(connection, { log: quietLog });
afterAll(close);

test("a job whose result cannot be saved is not done again before whoever did it has ended", {
  tags: "long",
}, async () => {
  const begun: number[] = [];
  const gate = Promise.withResolvers<void>();
  const runner = startRunner(async ({ job, finish }) => {
    begun.push(job.number);
    await finish();
    if (job.number === 1) await gate.promise;
  });
  await enqueue(1);
  await until(() => begun.length === 1);
  await enqueue(2);
  // The other one has been put off, and is done again.
  await until(() => begun.filter((number) => number === 2).length === 3);
  expect(begun.filter((number) => number === 1)).toHaveLength(1);
  gate.resolve();
  await until(() => begun.filter((number) => number === 1).length === 2);
  await runner.stop();
});

test("who did a job whose result cannot be saved is stopped and waited for", async () => {
  let state = "none";
  const runner = startRunner(async ({ finish, signal }) => {
    state = await finish();
    const { promise, resolve } = Promise.withResolvers<void>();
    signal.addEventListener("abort", () => resolve());
    await promise;
    state = "ended";
  });
  await enqueue(3);
  await until(() => state === "lost");
  await runner.stop();
  expect(state).toBe("ended");
});

async function enqueue(number: number): Promise<void> {
  const job = { queue: "engine", priority: 2, delayMs: 0, isPaused: false, kind: "task", payload: {} };
  await db.transaction().execute((trx) => enqueueJobs(trx, [{ ...job, groupId: `group-${number}`, number }]));
}

interface Running {
  readonly job: { readonly number: number };
  readonly signal: AbortSignal;
  readonly finish: () => Promise<string>;
}

/** None of its results can be saved. */
function startRunner(perform: (running: Running) => Promise<void>) {
  const runner = new JobRunner<undefined, never>({
    ...{ db, log: quietLog as never, node: `node-${Math.random()}`, agentsHere: () => [], onCommit: () => {} },
    perform: ({ finish, ...running }) => perform({ ...running, finish: () => finish(undefined) }),
    settle: () => Promise.reject(new Error("This result cannot be saved.")),
  });
  onTestFinished(() => runner.stop());
  runner.start();
  return runner;
}
