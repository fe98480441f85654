import type { WorkPlan } from "@slipway/spec";

/** What the built-in agent takes for a task, measured on the examples; verification runs the tests and the software. */
const seconds = { planning: 1, work: 1, validation: 10, deployment: 2 };

/** The plan with what its tasks take where the built-in agent does them: it needs seconds, whatever the work is estimated at. */
export function withTimeByRule(plan: WorkPlan, byRule: readonly string[]): WorkPlan {
  const kinds = new Map(plan.phases.map(({ name, kind }) => [name, kind]));
  const tasks = plan.tasks.map((task) => {
    if (!byRule.includes(task.role)) return task;
    return { ...task, estimatedHours: seconds[kinds.get(task.phase) ?? "work"] / 3_600 };
  });
  return { ...plan, tasks };
}
