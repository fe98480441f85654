import type { Draft } from "./draft.ts";
import type { Repair } from "./events.ts";
import type { PlannedTask } from "./plan.ts";
import type { RunError } from "./state.ts";

/** Unlike any id that a document or a planner would give. */
const prefix = "slipway-repair-";

/** Whether a task mends what the validation found. */
export function isRepair(taskId: string): boolean {
  return taskId.startsWith(prefix);
}

/** Whether the document allows a further round of repair. */
export function mayRepair({ plan, run }: Draft): boolean {
  return roundsOf(plan.plan.tasks) < run.rules.repairRounds;
}

/** Adds a task to mend what the validation found; after it, the reviews of what it changed and the validation run again. */
export function addRepair(draft: Draft, validate: PlannedTask, error: RunError, repair: Repair): void {
  const { phases, tasks } = draft.plan.plan;
  const id = `${prefix}${roundsOf(tasks) + 1}`;
  const task: PlannedTask = {
    id,
    title: "Mend what the validation found",
    description: repair.description,
    phase: validate.phase,
    role: repair.role,
    dependsOn: [],
    estimatedHours: 1,
    serves: repair.lines,
  };
  const others = tasks.flatMap((one) =>
    one.id === validate.id ? [task, { ...one, dependsOn: [...one.dependsOn, id] }] : [one],
  );
  draft.replacePlan({ phases, tasks: others });
  draft.resetTask(validate.id);
  draft.state.unmended = error;
}

/** Forgets earlier repairs: what they mended is built anew. */
export function dropRepairs(draft: Draft): void {
  const { phases, tasks } = draft.plan.plan;
  draft.state.unmended = null;
  if (roundsOf(tasks) === 0) return;
  const kept = tasks
    .filter(({ id }) => !isRepair(id))
    .map((task) => ({ ...task, dependsOn: task.dependsOn.filter((id) => !isRepair(id)) }));
  // Not forgotten: the attempts of a later repair that has its id count on.
  for (const { id } of tasks) if (isRepair(id)) draft.resetTask(id);
  draft.replacePlan({ phases, tasks: kept });
}

function roundsOf(tasks: readonly PlannedTask[]): number {
  return tasks.filter(({ id }) => isRepair(id)).length;
}
