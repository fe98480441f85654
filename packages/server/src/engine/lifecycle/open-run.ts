import type { Database, Transaction } from "../../platform/database/index.ts";
import type { Run } from "./draft.ts";
import { PlanIndex } from "./plan.ts";
import type { PlanCache } from "./plan-cache.ts";
import { newRun, type RunState } from "./state.ts";
import { lockRuns } from "./store.ts";

/** A run that a transaction has locked, and what it becomes. */
export interface OpenRun {
  run: Run;
  state: RunState;
  planVersion: number | null;
  lastSequence: number;
  isChanged: boolean;
}

/** Locks runs and reads their plans; one that does not exist is left out. */
export async function openRuns(
  trx: Transaction,
  plans: PlanCache,
  projectIds: readonly string[],
): Promise<ReadonlyMap<string, OpenRun>> {
  const rows = await lockRuns(trx, [...new Set(projectIds)]);
  const keys = rows.flatMap(({ id, planVersion }) =>
    planVersion === null ? [] : [{ projectId: id, version: planVersion }],
  );
  const found = await plans.find(trx as Database, keys);
  const runs = rows.map(({ id, state, planVersion, lastSequence, reviewPlan }): [string, OpenRun] => [
    id,
    {
      run: found.get(id) ?? { projectId: id, plan: noPlan, rules: { ...noRules, reviewPlan } },
      state: state ?? newRun,
      planVersion,
      lastSequence,
      isChanged: false,
    },
  ]);
  return new Map(runs);
}

const noPlan = new PlanIndex({ phases: [], tasks: [] });
const noRules: Run["rules"] = {
  parallelTasks: 1,
  attemptsPerAgent: 1,
  repairRounds: 0,
  reviewPlan: false,
  approveDeployment: false,
  approvers: [],
  environment: "",
  roles: {},
};
