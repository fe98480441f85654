import type { Run } from "../../../src/engine/lifecycle/draft.ts";
import {
  type Plan,
  PlanIndex,
  type PlannedPhase,
  type PlannedTask,
  type Rules,
} from "../../../src/engine/lifecycle/plan.ts";

type Phase = Partial<Omit<PlannedPhase, "name" | "kind">>;
type Task = Partial<Omit<PlannedTask, "id">> & { readonly phase: string };

/** The phases of a document between those that every plan has, and its tasks besides those that every plan has. */
export function planOf(work: Readonly<Record<string, Phase>>, tasks: Readonly<Record<string, Task>>): Plan {
  const phases = Object.entries(work).map(([name, phase]) => {
    const dependsOn = ["planning", ...(phase.dependsOn ?? [])];
    return phaseOf(name, "work", { ...phase, dependsOn });
  });
  const workTasks = Object.entries(tasks).map(([id, task]) => taskOf(id, task));
  return {
    phases: [
      phaseOf("planning", "planning", {}),
      ...phases,
      phaseOf("validation", "validation", { dependsOn: ["planning", ...Object.keys(work)] }),
      phaseOf("deployment", "deployment", { dependsOn: ["validation"] }),
    ],
    tasks: [
      taskOf("plan", { phase: "planning", role: "planner" }),
      ...workTasks,
      taskOf("validate", { phase: "validation", role: "reviewer" }),
      taskOf("deploy", { phase: "deployment", role: "deployer" }),
    ],
  };
}

export function phaseOf(name: string, kind: PlannedPhase["kind"], phase: Phase): PlannedPhase {
  return { name, kind, dependsOn: [], priority: "medium", hasAcceptance: false, ...phase };
}

export function taskOf(id: string, task: Task): PlannedTask {
  return { id, title: id, role: "implementer", dependsOn: [], estimatedHours: 1, serves: [], ...task };
}

export function runOf(plan: Plan, rules: Partial<Rules> = {}): Run {
  return { projectId: "proj_1", plan: new PlanIndex(plan), rules: { ...usualRules, ...rules } };
}

const usualRules: Rules = {
  parallelTasks: 4,
  attemptsPerAgent: 3,
  repairRounds: 0,
  reviewPlan: false,
  approveDeployment: false,
  approvers: [],
  environment: "",
  roles: {},
};
