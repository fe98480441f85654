import { Graph } from "../graph/graph.ts";
import type { Priority } from "../schema/work.ts";

/** What is to be done: phases that wait for each other, and the tasks in them. */
export interface WorkPlan {
  /** Planning, the phases of the work, validation, deployment; each after all that it waits for. */
  readonly phases: readonly PlannedPhase[];
  /** In an order in which they can be done. */
  readonly tasks: readonly PlannedTask[];
}

export interface PlannedPhase {
  readonly name: string;
  readonly kind: "planning" | "work" | "validation" | "deployment";
  /** Phases that are complete before it starts. */
  readonly dependsOn: readonly string[];
  readonly priority: Priority;
  /** It has acceptance of its own, which is verified when its tasks are done. */
  readonly hasAcceptance: boolean;
}

export interface PlannedTask {
  readonly id: string;
  readonly title: string;
  readonly description?: string;
  readonly phase: string;
  readonly role: string;
  /** Tasks of the same phase, or of phases that are complete before it. */
  readonly dependsOn: readonly string[];
  readonly estimatedHours: number;
  /** The acceptance lines it serves, as JSON Pointers into the resolved document. */
  readonly serves: readonly string[];
}

/** Tasks that every plan has, by the kind of their phase. They are the last of it, and nobody else may have their ids. */
export const builtInTasks = {
  planning: { id: "plan", title: "Plan the work" },
  validation: { id: "validate", title: "Validate the result" },
  deployment: { id: "deploy", title: "Deploy the result" },
} as const;

export const builtInTaskIds: readonly string[] = Object.values(builtInTasks).map(({ id }) => id);

/** Who does the tasks of a phase, where nothing else is said. */
export const defaultRoles = {
  planning: "planner",
  work: "implementer",
  validation: "reviewer",
  deployment: "deployer",
} as const satisfies Record<PlannedPhase["kind"], string>;

/** Puts a plan together: adds the built-in tasks, and brings all into an order in which they can be done. */
export function assemblePlan(
  phases: readonly PlannedPhase[],
  tasks: readonly PlannedTask[],
  builtInServes: (id: string) => readonly string[],
): WorkPlan {
  const tasksOf = Map.groupBy(tasks, ({ phase }) => phase);
  return {
    phases,
    tasks: phases.flatMap((phase) => {
      const own = inOrder(tasksOf.get(phase.name) ?? []);
      return phase.kind === "work" ? own : [...own, builtInTask(phase, phase.kind, own, builtInServes)];
    }),
  };
}

function inOrder(tasks: readonly PlannedTask[]): readonly PlannedTask[] {
  const byId = new Map(tasks.map((task) => [task.id, task]));
  const graph = new Graph(tasks.map(({ id, dependsOn }) => ({ id, dependsOn, hours: 1, rank: 0 })));
  return graph.order.map((id) => byId.get(id)!);
}

function builtInTask(
  { name }: PlannedPhase,
  kind: keyof typeof builtInTasks,
  before: readonly PlannedTask[],
  serves: (id: string) => readonly string[],
): PlannedTask {
  const { id, title } = builtInTasks[kind];
  return {
    id,
    title,
    phase: name,
    role: defaultRoles[kind],
    dependsOn: before.map((task) => task.id),
    estimatedHours: 1,
    serves: serves(id),
  };
}

/** A plan in the names that travel: in `tasks.yaml`, over HTTP, out of the command line. */
export function planAsData({ phases, tasks }: WorkPlan) {
  return {
    phases: phases.map(({ name, kind, dependsOn, priority, hasAcceptance }) => ({
      name,
      kind,
      depends_on: dependsOn,
      priority,
      has_acceptance: hasAcceptance,
    })),
    tasks: tasks.map(taskAsData),
  };
}

export function taskAsData({ id, title, description, phase, role, dependsOn, estimatedHours, serves }: PlannedTask) {
  return {
    id,
    title,
    ...(description !== undefined && { description }),
    phase,
    role,
    depends_on: dependsOn,
    estimated_hours: estimatedHours,
    serves,
  };
}
