/** What projects that wait cost: memory of the process, and time of one that runs beside them. Run with --expose-gc. */
import { setTimeout as delay } from "node:timers/promises";
import { createProjectRunner } from "../../packages/server/src/engine/lifecycle/index.ts";
import { createGateApprovals } from "../../packages/server/src/features/approvals/index.ts";
import { systemClock } from "../../packages/server/src/platform/clock.ts";
import { newId } from "../../packages/server/src/platform/ids.ts";
import { agentId, engineDepsWith, openDatabase, submit } from "./ours.ts";
import { workPlan } from "./plan.ts";
import { type Place, tasksPerProject } from "./work.ts";

export interface Costs {
  readonly heapBytes: number;
  readonly rssBytes: number;
  /** One project alone, and then beside twice as many that wait. */
  readonly aloneMs: readonly number[];
  readonly besideMs: readonly number[];
}

interface WaitingAssignment {
  readonly place: Place;
  readonly warmUpRounds: number;
  readonly waiting: number;
  readonly times: number;
}

const { place, warmUpRounds, waiting, times } = JSON.parse(process.argv[2]!) as WaitingAssignment;
const { db, pool, userId, close } = await openDatabase(place);
/** Half of them wait for a person, half for an agent that is busy. */
const waitsFor = new Map<string, "approval" | "agent">();
const ends = new Map<string, { left: number; onEnd: () => void }>();
const runner = createProjectRunner({
  ...(await engineDepsWith(db)),
  agents: {
    choose: async (_, requests) =>
      requests.map(({ capabilities }) => (capabilities.length > 0 ? { is: "busy" } : { is: "found", agentId })),
  },
  approvals: createGateApprovals(systemClock),
  steps: {
    prepare: async (id) => {
      const reason = waitsFor.get(id);
      if (reason === "approval") return workPlan({ reviewPlan: true });
      if (reason === "agent") return workPlan({ roles: { implementer: { capabilities: ["rare"], preferred: [] } } });
      return workPlan();
    },
    runTask: async ({ projectId, finish }) => {
      await finish({ is: "succeeded" });
      const end = ends.get(projectId)!;
      end.left -= 1;
      if (end.left === 0) end.onEnd();
    },
    verifyPhase: async () => ({ isAccepted: true }),
    promote: () => Promise.reject(new Error("Nothing is promoted here.")),
  },
  onCommit: () => undefined,
});
runner.start();

// Until the code is compiled, and buffers are as large as they get.
for (let round = 0; round < warmUpRounds; round += 1) await Promise.all(Array.from({ length: 50 }, () => timeOne()));
await tidyUp();
const aloneMs = await timesOfOne();
// The first of them let the heap grow to what the work on them needs, whoever waits afterwards; the second show what waiting costs.
await addWaiting();
const before = await memory();
await addWaiting();
const after = await memory();
await tidyUp();
const besideMs = await timesOfOne();
const costs: Costs = {
  heapBytes: (after.heapUsed - before.heapUsed) / waiting,
  rssBytes: (after.rss - before.rss) / waiting,
  aloneMs,
  besideMs,
};
await runner.stop();
await close();
console.log(`result: ${JSON.stringify(costs)}`);
process.exit(0);

async function addWaiting(): Promise<void> {
  const together = Math.min(500, waiting);
  for (let made = 0; made < waiting; made += together) {
    const ids = Array.from({ length: together }, () => newId("project", Date.now()));
    for (const [at, id] of ids.entries()) waitsFor.set(id, at % 2 === 0 ? "approval" : "agent");
    await submit(pool, userId, ids);
    runner.wake();
    await untilWaiting(ids);
    // Only this benchmark needs to know them.
    waitsFor.clear();
  }
}

async function untilWaiting(ids: readonly string[]): Promise<void> {
  for (let left = 1; left > 0; await delay(20)) {
    const { rows } = await pool.query<{ left: number }>(
      "select count(*) as left from projects where id = any($1::text[]) and waiting_for is null",
      [ids],
    );
    left = rows[0]!.left;
  }
}

/** As the database does by itself within a minute; it must not do it while times are taken. */
async function tidyUp(): Promise<void> {
  await pool.query("vacuum analyze");
  await pool.query("checkpoint");
}

async function timesOfOne(): Promise<number[]> {
  const found: number[] = [];
  for (let round = 0; round < times; round += 1) {
    await delay(20);
    found.push(await timeOne());
  }
  return found;
}

async function timeOne(): Promise<number> {
  const id = newId("project", Date.now());
  const { promise, resolve } = Promise.withResolvers<void>();
  ends.set(id, { left: tasksPerProject, onEnd: resolve });
  const startMs = performance.now();
  await submit(pool, userId, [id]);
  runner.wake();
  await promise;
  ends.delete(id);
  return performance.now() - startMs;
}

/** What is left when everything that nobody needs is gone. */
async function memory(): Promise<NodeJS.MemoryUsage> {
  for (let round = 0; round < 5; round += 1) {
    globalThis.gc!();
    await delay(50);
  }
  return process.memoryUsage();
}
