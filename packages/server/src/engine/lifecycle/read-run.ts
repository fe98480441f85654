import type { Database } from "../../platform/database/index.ts";
import type { Run } from "./draft.ts";
import type { PlanCache } from "./plan-cache.ts";
import type { RunState } from "./state.ts";
import { findRun } from "./store.ts";

/** A run as it is, without holding anybody up; nothing before it has a plan. */
export async function readRun(
  db: Database,
  plans: PlanCache,
  projectId: string,
): Promise<{ readonly run: Run; readonly state: RunState; readonly planVersion: number } | undefined> {
  const row = await findRun(db, projectId);
  if (row?.state == null || row.planVersion === null) return undefined;
  const run = (await plans.find(db, [{ projectId, version: row.planVersion }])).get(projectId);
  return run && { run, state: row.state, planVersion: row.planVersion };
}
