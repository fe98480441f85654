import { summarisePlan } from "@slipway/spec";
import type { PlanContent } from "../../engine/lifecycle/index.ts";
import type { TaskDurations } from "./durations-store.ts";

interface Planned {
  readonly plan: PlanContent["plan"];
  readonly parallelTasks: number;
  readonly roles: readonly { readonly role: string; readonly agent_id: string | null }[];
}

const msInHour = 3_600_000;

/** How long a run would take if its tasks took what earlier ones did, of the same role and by the same agent. */
export function estimateRun({ plan, parallelTasks, roles }: Planned, durations: readonly TaskDurations[]) {
  const known = roles.flatMap(({ role, agent_id }) => {
    const found = durations.find((one) => one.role === role && one.agentId === agent_id);
    return found === undefined ? [] : [found];
  });
  const medianOf = new Map(known.map(({ role, medianMs }) => [role, medianMs]));
  const isWhole = plan.tasks.every(({ role }) => medianOf.has(role));
  const tasks = plan.tasks.map((task) => ({ ...task, estimatedHours: (medianOf.get(task.role) ?? 0) / msInHour }));
  const { durationHours } = summarisePlan({ ...plan, tasks }, parallelTasks);
  return {
    roles: known.map(({ role, agentId, finishedTasks, medianMs }) => ({
      ...{ role, agent_id: agentId, finished_tasks: finishedTasks, median_ms: medianMs },
    })),
    duration_ms: isWhole ? Math.round(durationHours * msInHour) : null,
  };
}
