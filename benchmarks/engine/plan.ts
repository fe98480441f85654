import type { PlanContent } from "../../packages/server/src/engine/lifecycle/index.ts";
import { phases, tasksPerPhase } from "./work.ts";

/** The work as a plan of ours; made anew for each project, as it is when documents are read. */
export function workPlan(rules: Partial<PlanContent["rules"]> = {}): PlanContent {
  return {
    plan: {
      phases: Array.from({ length: phases }, (_, at) => ({
        name: `phase-${at}`,
        kind: "work",
        dependsOn: at === 0 ? [] : [`phase-${at - 1}`],
        priority: "medium",
        hasAcceptance: false,
      })),
      tasks: Array.from({ length: phases * tasksPerPhase }, (_, at) => ({
        id: `task-${at}`,
        title: `Task ${at}`,
        phase: `phase-${Math.floor(at / tasksPerPhase)}`,
        role: "implementer",
        dependsOn: [],
        estimatedHours: 1,
        serves: [],
      })),
    },
    rules: {
      parallelTasks: 4,
      attemptsPerAgent: 3,
      repairRounds: 0,
      reviewPlan: false,
      approveDeployment: false,
      approvers: [],
      environment: "",
      roles: {},
      ...rules,
    },
  };
}
