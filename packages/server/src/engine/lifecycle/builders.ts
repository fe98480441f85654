import { builtInTaskIds, isReview } from "@slipway/spec";
import type { Run } from "./draft.ts";
import type { RunState } from "./state.ts";

/** The agents whose work may be part of the result: whoever did a task that can change files, the plan among them. */
export function buildersOf({ plan }: Run, { tasks }: Pick<RunState, "tasks">): readonly string[] {
  const found = new Set<string>();
  for (const [id, { agent }] of Object.entries(tasks)) {
    const task = plan.tasks.get(id);
    const kind = task && plan.phases.get(task.phase)?.kind;
    const onlyLooks = (builtInTaskIds.includes(id) && kind !== "planning") || (task !== undefined && isReview(task));
    if (agent !== "" && !onlyLooks) found.add(agent);
  }
  return [...found];
}
