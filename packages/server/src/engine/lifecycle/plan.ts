import type { PlannedPhase, PlannedTask, Priority, WorkPlan } from "@slipway/spec";
import type { PromotionTarget } from "./state.ts";

export type { PlannedPhase, PlannedTask, WorkPlan as Plan } from "@slipway/spec";

/** What the document demands of the way in which its plan is carried out. */
export interface Rules {
  /** How many tasks may run at once. */
  readonly parallelTasks: number;
  /** How often an agent may fail at a task before another one is asked. */
  readonly attemptsPerAgent: number;
  /** How often an implementer may mend what the validation found. */
  readonly repairRounds: number;
  /** A person approves the plan before any work starts. */
  readonly reviewPlan: boolean;
  /** A person lets the result go live. */
  readonly approveDeployment: boolean;
  /** A person also lets a result go live of which some lines were not checked. */
  readonly asksIfUnverified?: boolean;
  /** How many lines only the deployment itself can show: they are open before it. */
  readonly linesOfDeployment?: number;
  /** Lines of the document wait for somebody's judgement: the reviewer should be an agent that built nothing. */
  readonly needsJudgement?: boolean;
  /** Who may approve a deployment; administrators if empty. */
  readonly approvers: readonly string[];
  /** Where the result goes: the environment's name, or empty for the top level. */
  readonly environment: string;
  readonly roles: Readonly<Record<string, RoleRequirement>>;
  /** The environments that get the result by themselves once it is live, in this order. */
  readonly following?: readonly PromotionTarget[];
}

export interface RoleRequirement {
  readonly capabilities: readonly string[];
  readonly preferred: readonly string[];
}

/** A plan with what is asked of it again and again worked out once. */
export class PlanIndex {
  readonly plan: WorkPlan;
  readonly phases: ReadonlyMap<string, PlannedPhase>;
  readonly tasks: ReadonlyMap<string, PlannedTask>;
  readonly totalHours: number;
  /** Phases, those that go first when several could start first. */
  readonly byPriority: readonly PlannedPhase[];
  readonly #tasksOf = new Map<string, PlannedTask[]>();

  constructor(plan: WorkPlan) {
    this.plan = plan;
    this.phases = new Map(plan.phases.map((phase) => [phase.name, phase]));
    this.tasks = new Map(plan.tasks.map((task) => [task.id, task]));
    this.totalHours = plan.tasks.reduce((sum, { estimatedHours }) => sum + estimatedHours, 0);
    this.byPriority = plan.phases.toSorted((a, b) => urgency[b.priority] - urgency[a.priority]);
    for (const phase of plan.phases) this.#tasksOf.set(phase.name, []);
    for (const task of plan.tasks) this.#tasksOf.get(task.phase)?.push(task);
  }

  tasksOf(phase: string): readonly PlannedTask[] {
    return this.#tasksOf.get(phase) ?? [];
  }

  /** The phase and all that wait for it, directly or not. */
  withDependents(name: string): ReadonlySet<string> {
    const found = new Set([name]);
    for (let before = 0; before !== found.size; ) {
      before = found.size;
      for (const phase of this.plan.phases) {
        if (phase.dependsOn.some((other) => found.has(other))) found.add(phase.name);
      }
    }
    return found;
  }

  /** The task and those of its phase that wait for it, directly or not. */
  withFollowers(id: string): ReadonlySet<string> {
    const found = new Set([id]);
    const phase = this.tasks.get(id)?.phase ?? "";
    for (let before = 0; before !== found.size; ) {
      before = found.size;
      for (const task of this.tasksOf(phase)) {
        if (task.dependsOn.some((other) => found.has(other))) found.add(task.id);
      }
    }
    return found;
  }
}

const urgency: Readonly<Record<Priority, number>> = { critical: 3, high: 2, medium: 1, low: 0 };
