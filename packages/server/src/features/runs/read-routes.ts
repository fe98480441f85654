import { selectJobsOf } from "../../engine/jobs/index.ts";
import { type PlanCache, readRun } from "../../engine/lifecycle/index.ts";
import type { Database } from "../../platform/database/index.ts";
import { type Handlers, pageOf, pageRequest } from "../../platform/http/index.ts";
import { requireReadable, versionOf } from "../projects/index.ts";
import { showCheckpoint, showPhases, showTask } from "./show-run.ts";
import { selectAttempts, selectCheckpoints, selectUsage, sumUsage } from "./store.ts";

interface Deps {
  readonly db: Database;
  readonly plans: PlanCache;
}

/** Reads the phases, tasks and checkpoints of a project. */
export function readRoutes({ db, plans }: Deps): Pick<Handlers, "listPhases" | "listTasks" | "listCheckpoints"> {
  return {
    listPhases: async ({ params, principal }) => {
      const row = await requireReadable(db, params.project_id, principal);
      const found = await readRun(db, plans, params.project_id);
      const phases = found === undefined ? [] : showPhases(found.run, found.state);
      return { status: 200, body: { phases }, version: versionOf(row) };
    },

    listTasks: async ({ params, principal, query }) => {
      await requireReadable(db, params.project_id, principal);
      const page = pageRequest(query, /^\d{1,9}$/);
      const found = await readRun(db, plans, params.project_id);
      const usage = await sumUsage(db, params.project_id);
      if (found === undefined) return { status: 200, body: { tasks: [], next_cursor: null, usage } };
      const { run, state } = found;
      const start = Number(page.after ?? 0);
      const planned = run.plan.plan.tasks
        .slice(start, start + page.limit + 1)
        .map((task, at) => ({ task, at: start + at + 1 }));
      const { items, nextCursor } = pageOf(planned, page, ({ at }) => String(at));
      const ids = items.map(({ task }) => task.id);
      const [jobs, attempts, used] = await Promise.all([
        selectJobsOf(db, params.project_id),
        selectAttempts(db, params.project_id, ids),
        selectUsage(db, params.project_id, ids),
      ]);
      const tasks = items.map(({ task }) =>
        showTask(
          task,
          state,
          jobs,
          attempts.filter(({ task_id }) => task_id === task.id),
          used.filter(({ task_id }) => task_id === task.id),
        ),
      );
      return { status: 200, body: { tasks, next_cursor: nextCursor, usage } };
    },

    listCheckpoints: async ({ params, principal, query }) => {
      await requireReadable(db, params.project_id, principal);
      const page = pageRequest(query, /^ckpt_/);
      const { items, nextCursor } = pageOf(await selectCheckpoints(db, params.project_id, page), page, ({ id }) => id);
      return { status: 200, body: { checkpoints: items.map(showCheckpoint), next_cursor: nextCursor } };
    },
  };
}
