import { Graph } from "../graph/graph.ts";
import { groupBy } from "../group-by.ts";
import type { Priority } from "../schema/work.ts";

/** Phases with dependencies, and the tasks in them. */
export interface WorkPlan {
  /** Planning, work phases, validation and deployment, in topological order. */
  readonly phases: readonly PlannedPhase[];
  /** In topological order. */
  readonly tasks: readonly PlannedTask[];
}

export interface PlannedPhase {
  readonly name: string;
  readonly kind: "planning" | "work" | "validation" | "deployment";
  /** Phases that are complete before it starts. */
  readonly dependsOn: readonly string[];
  readonly priority: Priority;
  /** Whether it has its own acceptance, which is verified when its tasks are done. */
  readonly hasAcceptance: boolean;
}

export interface PlannedTask {
  readonly id: string;
  readonly title: string;
  readonly description?: string;
  readonly phase: string;
  readonly role: string;
  /** Tasks of the same phase, or of phases that complete before it. */
  readonly dependsOn: readonly string[];
  readonly estimatedHours: number;
  /** The acceptance lines it serves, as JSON Pointers into the resolved document. */
  readonly serves: readonly string[];
}

/** Tasks of every plan, by the kind of their phase. Each is the last of its phase, and its id is reserved. */
export const builtInTasks = {
  planning: { id: "plan", title: "Plan the work" },
  validation: { id: "validate", title: "Validate the result" },
  deployment: { id: "deploy", title: "Deploy the result" },
} as const;

export const builtInTaskIds: readonly string[] = Object.values(builtInTasks).map(({ id }) => id);

/** The default role for the tasks of a phase. */
export const defaultRoles = {
  planning: "planner",
  work: "implementer",
  validation: "reviewer",
  deployment: "deployer",
} as const satisfies Record<PlannedPhase["kind"], string>;

/** The role that does what an agent which builds by rule leaves of a document; such an agent never fills it. */
export const restRole = "finisher";

/** Assembles a plan: adds the built-in tasks and sorts all tasks topologically. */
export function assemblePlan(
  phases: readonly PlannedPhase[],
  tasks: readonly PlannedTask[],
  builtInServes: (id: string) => readonly string[],
): WorkPlan {
  const tasksOf = groupBy(tasks, ({ phase }) => phase);
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

/** A plan with the field names of `tasks.yaml`, HTTP and the command line. */
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
