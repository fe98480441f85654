import fc from "fast-check";
import type { Plan, PlannedPhase, PlannedTask, Rules } from "../../../src/engine/lifecycle/plan.ts";
import { phaseOf, taskOf } from "./plans.ts";

/** What a run is about, and other plans of the same phases: what a planner may find, what a person makes of it. */
export interface ArbitraryRun {
  readonly rules: Partial<Rules>;
  /** The first is the one that it begins with. */
  readonly plans: readonly Plan[];
}

/** Names that objects have by themselves are names like any other. */
const phaseNames = ["a", "toString", "c", "__proto__", "e", "f"];
const taskNames = ["constructor", "two", "three"];
export const roleNames = ["implementer", "valueOf"];
const priorities = ["critical", "high", "medium", "low"] as const;

export const arbitraryRun: fc.Arbitrary<ArbitraryRun> = fc
  .tuple(arbitraryPhases(), fc.boolean(), fc.boolean())
  .chain(([work, hasAcceptanceAtEnd, isInOrder]) => {
    const phases = framed(isInOrder ? work : work.toReversed(), hasAcceptanceAtEnd);
    const ends = fc.record({ tasks: arbitraryTasks(work), isReviewed: fc.boolean(), hasLateWork: fc.boolean() });
    const plan = ends.map(
      ({ tasks, ...end }): Plan => ({ phases, tasks: withBuiltIn([...tasks, ...tasksAtEnd(end)]) }),
    );
    return fc.record({
      plans: fc.array(plan, { minLength: 1, maxLength: 3 }),
      parallelTasks: fc.integer({ min: 1, max: 4 }),
      attemptsPerAgent: fc.integer({ min: 1, max: 3 }),
      reviewPlan: fc.boolean(),
      approveDeployment: fc.boolean(),
    });
  })
  .map(({ plans, ...rules }) => ({ rules, plans }));

/** Each may wait for any that come before it. */
function arbitraryPhases(): fc.Arbitrary<PlannedPhase[]> {
  const phase = fc.record({
    waitsFor: fc.array(fc.boolean(), { minLength: 6, maxLength: 6 }),
    priority: fc.constantFrom(...priorities),
    hasAcceptance: fc.boolean(),
  });
  return fc.array(phase, { minLength: 1, maxLength: 6 }).map((drafts) =>
    drafts.map(({ waitsFor, ...rest }, index) => {
      const dependsOn = ["planning", ...phaseNames.slice(0, index).filter((_, other) => waitsFor[other])];
      return phaseOf(phaseNames[index]!, "work", { ...rest, dependsOn });
    }),
  );
}

function framed(work: readonly PlannedPhase[], hasAcceptance: boolean): PlannedPhase[] {
  return [
    phaseOf("planning", "planning", {}),
    ...work,
    phaseOf("validation", "validation", { dependsOn: work.map(({ name }) => name), hasAcceptance }),
    phaseOf("deployment", "deployment", { dependsOn: ["validation"], hasAcceptance }),
  ];
}

/** None to three tasks in each phase; each may wait for any of its phase or of those before that come before it. */
function arbitraryTasks(phases: readonly PlannedPhase[]): fc.Arbitrary<PlannedTask[]> {
  const task = fc.record({
    waitsFor: fc.array(fc.nat(12), { maxLength: 2 }),
    role: fc.constantFrom(...roleNames),
    estimatedHours: fc.constantFrom(0.01, 1, 2.5, 100),
  });
  return fc.tuple(...phases.map(() => fc.array(task, { maxLength: taskNames.length }))).map((drafts) => {
    const tasks: PlannedTask[] = [];
    for (const [at, phase] of phases.entries()) {
      for (const [index, { waitsFor, ...rest }] of drafts[at]!.entries()) {
        const allowed = tasks.filter((other) => other.phase === phase.name || phase.dependsOn.includes(other.phase));
        const dependsOn = [...new Set(waitsFor.flatMap((other) => allowed[other]?.id ?? []))];
        const id = at === 0 ? taskNames[index]! : `${phase.name}-${index}`;
        tasks.push(taskOf(id, { ...rest, phase: phase.name, dependsOn }));
      }
    }
    return tasks;
  });
}

/** A review, and work beside it. */
function tasksAtEnd({ isReviewed, hasLateWork }: { isReviewed: boolean; hasLateWork: boolean }): PlannedTask[] {
  const phase = "validation";
  return [
    ...(isReviewed ? [taskOf("review-as-auditor", { phase, role: "auditor" })] : []),
    ...(hasLateWork ? [taskOf("late", { phase })] : []),
  ];
}

function withBuiltIn(tasks: readonly PlannedTask[]): PlannedTask[] {
  return [
    taskOf("plan", { phase: "planning", role: "planner" }),
    ...tasks,
    taskOf("validate", { phase: "validation", role: "reviewer" }),
    taskOf("deploy", { phase: "deployment", role: "deployer" }),
  ];
}
