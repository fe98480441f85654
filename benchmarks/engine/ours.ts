import { fileURLToPath } from "node:url";
import type pg from "pg";
import {
  createProjectRunner,
  PlanCache,
  type ProjectRunnerDeps,
} from "../../packages/server/src/engine/lifecycle/index.ts";
import { keepArtifacts } from "../../packages/server/src/features/artifacts/index.ts";
import { systemClock } from "../../packages/server/src/platform/clock.ts";
import {
  connectDatabase,
  type Database,
  migrate,
  type Schema,
} from "../../packages/server/src/platform/database/index.ts";
import { newId } from "../../packages/server/src/platform/ids.ts";
import { createLog } from "../../packages/server/src/platform/log/log.ts";
import { workPlan } from "./plan.ts";
import { type Place, type Start, tasksPerPhase, tasksPerProject } from "./work.ts";

/** The engine as the service runs it, but for the agent, which does nothing, and is found in memory. */
export const start: Start = async (place, ran) => {
  const { db, pool, userId, close } = await openDatabase(place);
  const waiting = new Map<string, { left: number; onEnd: () => void }>();
  const runner = createProjectRunner({
    ...(await engineDepsWith(db)),
    steps: {
      prepare: async () => workPlan(),
      runTask: async ({ projectId, taskId, finish }) => {
        const task = Number(taskId.slice("task-".length));
        ran(projectId, Math.floor(task / tasksPerPhase), task % tasksPerPhase);
        const verdict = await finish({ is: "succeeded" });
        if (verdict !== "settled") throw new Error(`The result of ${taskId} is ${verdict}.`);
        const project = waiting.get(projectId)!;
        project.left -= 1;
        if (project.left === 0) project.onEnd();
      },
      verifyPhase: async () => ({ isAccepted: true }),
      promote: () => Promise.reject(new Error("Nothing is promoted here.")),
    },
    onCommit: () => undefined,
  });
  runner.start();
  return {
    run: async (ids) => {
      const ends = ids.map((id) => {
        const { promise, resolve } = Promise.withResolvers<void>();
        waiting.set(id, { left: tasksPerProject, onEnd: resolve });
        return promise;
      });
      await submit(pool, userId, ids);
      runner.wake();
      await Promise.all(ends);
      await expectWhole(pool, ids);
      waiting.clear();
    },
    stop: async () => {
      await runner.stop();
      await close();
    },
  };
};

export const agentId = "agent_00000000000000000000";
const migrations = fileURLToPath(new URL("../../packages/server/src/platform/database/migrations", import.meta.url));

export async function openDatabase({ postgres }: Pick<Place, "postgres">) {
  const log = createLog("warn");
  const { db, pool, close } = connectDatabase<Schema>(postgres, { log });
  await migrate({ pool, log }, migrations);
  const userId = newId("user", Date.now());
  await db.insertInto("users").values({ id: userId, name: userId, role: "svc:admin" }).execute();
  return { db, pool, userId, close };
}

/** All but the work itself. */
export async function engineDepsWith(db: Database): Promise<Omit<ProjectRunnerDeps, "steps" | "onCommit">> {
  return {
    db,
    log: createLog("warn"),
    clock: systemClock,
    plans: new PlanCache(),
    node: "bench",
    agents: { choose: async (_, requests) => requests.map(() => ({ is: "found", agentId })) },
    approvals: {
      ask: () => Promise.reject(new Error("Nobody is there to be asked.")),
      withdraw: async () => undefined,
      expire: async () => undefined,
    },
    artifacts: { record: async () => undefined, keep: keepArtifacts },
    retryDelayMs: () => 0,
    agentsHere: () => [{ id: agentId, slots: 1_000, capabilities: [], offersEveryRole: true }],
  };
}

/** Makes the projects, and the jobs with which they begin, as the service does when it is sent documents. */
export async function submit(pool: pg.Pool, userId: string, ids: readonly string[]): Promise<void> {
  const application = newId("application", Date.now());
  await pool.query(
    `with application as (
       insert into applications (id, owner_id, document_id, projects, latest_project_id, updated_at)
       values ($1, $2, $1, cardinality($3::text[]), $3[1], now())
     ), project as (
       insert into projects (id, application_id, owner_id, document_id, name, outcome_type)
       select id, $1, $2, id, id, 'api' from unnest($3::text[]) as t (id)
     )
     insert into jobs (queue, priority, available_at, is_paused, group_id, number, kind, payload)
     select 'engine', 2, now(), false, id, 0, 'begin', '{}' from unnest($3::text[]) as t (id)`,
    [application, userId, ids],
  );
}

/** What is durable says the same: each has ended, its attempts are known, and its events are without a gap. */
async function expectWhole(pool: pg.Pool, ids: readonly string[]): Promise<void> {
  const { rows } = await pool.query<{ projects: number }>(
    `select count(*) as projects from projects
     where id = any($1::text[]) and status = 'deployed'
       and (select count(*) from attempts where project_id = projects.id) = $2
       and (select count(*) from events where project_id = projects.id) = last_sequence`,
    [ids, tasksPerProject],
  );
  if (rows[0]!.projects !== ids.length) throw new Error(`Only ${rows[0]!.projects} of ${ids.length} are whole.`);
}
