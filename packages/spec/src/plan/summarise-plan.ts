import { Graph, Heap } from "../graph/graph.ts";
import { groupBy } from "../group-by.ts";
import type { CompleteSpec } from "../schema/document.ts";
import { priorities } from "../schema/work.ts";
import type { WorkPlan } from "./work-plan.ts";

export interface PlanSummary {
  readonly totalHours: number;
  /** The longest chain of tasks by hours: the minimum duration of the plan. */
  readonly criticalPath: { readonly tasks: readonly string[]; readonly hours: number };
  /** How many tasks may run at once. */
  readonly parallelTasks: number;
  /** Hours from start to end if every task starts as early as possible, by the rank of its phase. */
  readonly durationHours: number;
}

/** The duration of a plan, by its estimates. */
export function summarisePlan(plan: WorkPlan, parallelTasks: number): PlanSummary {
  const { ids, hours } = new Graph(stepsOf(plan)).criticalPath;
  return {
    totalHours: plan.tasks.reduce((sum, { estimatedHours }) => sum + estimatedHours, 0),
    criticalPath: { tasks: ids.filter(isTask).map(nameOf), hours },
    parallelTasks,
    durationHours: durationOf(plan, parallelTasks),
  };
}

/** How many tasks of a document may run at once. */
export function parallelTasksOf({ performance, resources }: CompleteSpec): number {
  return resources.optimize_for === "memory" ? 1 : performance.parallel_tasks;
}

/** A task, or the end of a phase. Ends take no time and keep the graph small: tasks depend on ends of phases. */
interface Step {
  readonly id: string;
  readonly dependsOn: readonly string[];
  readonly hours: number;
  readonly rank: number;
}

const taskStep = (id: string) => `task ${id}`;
const endStep = (phase: string) => `end ${phase}`;
const isTask = (step: string) => step.startsWith("task ");
const nameOf = (step: string) => step.slice(step.indexOf(" ") + 1);

function stepsOf({ phases, tasks }: WorkPlan): readonly Step[] {
  const tasksOf = groupBy(tasks, ({ phase }) => phase);
  return phases.flatMap(({ name, dependsOn, priority }): Step[] => {
    const before = dependsOn.map(endStep);
    const own = (tasksOf.get(name) ?? []).map((task) => ({
      id: taskStep(task.id),
      dependsOn: [...before, ...task.dependsOn.map(taskStep)],
      hours: task.estimatedHours,
      rank: priorities.indexOf(priority),
    }));
    return [...own, { id: endStep(name), dependsOn: [...before, ...own.map(({ id }) => id)], hours: 0, rank: -1 }];
  });
}

/** Simulates the plan: whenever a slot is free, the first ready task starts. */
function durationOf(plan: WorkPlan, slots: number): number {
  const steps = stepsOf(plan);
  const stepOf = new Map(steps.map((step, place) => [step.id, { ...step, place }]));
  const waitsFor = new Map(steps.map(({ id, dependsOn }) => [id, new Set(dependsOn).size]));
  const dependents = new Map<string, string[]>(steps.map(({ id }) => [id, []]));
  for (const { id, dependsOn } of steps) for (const other of new Set(dependsOn)) dependents.get(other)!.push(id);
  type Placed = typeof stepOf extends Map<string, infer S> ? S : never;
  const ready = new Heap<Placed>((a, b) => a.rank - b.rank || a.place - b.place);
  const running = new Heap<{ readonly step: Placed; readonly ends: number }>((a, b) => a.ends - b.ends);
  for (const step of stepOf.values()) if (waitsFor.get(step.id) === 0) ready.push(step);
  let now = 0;
  let free = slots;
  const finish = ({ id }: Placed) => {
    for (const other of dependents.get(id)!) {
      const left = waitsFor.get(other)! - 1;
      waitsFor.set(other, left);
      if (left === 0) ready.push(stepOf.get(other)!);
    }
  };
  for (;;) {
    // Ends of phases come first and need no slot.
    for (let step = ready.pop(); step !== undefined; step = ready.pop()) {
      if (!isTask(step.id)) {
        finish(step);
      } else if (free > 0) {
        free -= 1;
        running.push({ step, ends: now + step.hours });
      } else {
        ready.push(step);
        break;
      }
    }
    const ended = running.pop();
    if (ended === undefined) return now;
    now = ended.ends;
    free += 1;
    finish(ended.step);
  }
}
