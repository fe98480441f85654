// @module-tag soak
import { ok, deepStrictEqual as same } from "node:assert/strict";
import fc from "fast-check";
import { expect, test } from "vitest";
import type { RunEvent } from "../../../src/engine/lifecycle/events.ts";
import type { Plan } from "../../../src/engine/lifecycle/plan.ts";
import { hasEnded } from "../../../src/engine/lifecycle/state.ts";
import { type ArbitraryRun, arbitraryRun } from "../../support/lifecycle/arbitrary-run.ts";
import { checkState, checkStep } from "../../support/lifecycle/invariants.ts";
import { arbitraryMove, eventOf, type Move } from "../../support/lifecycle/moves.ts";
import { runOf } from "../../support/lifecycle/plans.ts";
import { Simulation } from "../../support/lifecycle/simulation.ts";

const times = process.env["SLIPWAY_LONG"] === undefined ? 0.5 : 10;
const moves = fc.array(arbitraryMove, { maxLength: 120, size: "max" });

test("whatever happens in whatever order, a run keeps its rules", () => {
  fc.assert(
    fc.property(arbitraryRun, moves, (arbitrary, sequence) => {
      play(arbitrary, sequence);
    }),
    { numRuns: 120 * times },
  );
});

test("from wherever it is, a run that is helped along is deployed in the end", () => {
  fc.assert(
    fc.property(arbitraryRun, moves, (arbitrary, sequence) => {
      const simulation = play(arbitrary, sequence);
      helpAlong(simulation, arbitrary.plans);
      ok(hasEnded(simulation.state));
    }),
    { numRuns: 60 * times },
  );
});

test("a run that has failed can be retried, or restarted from any phase, and is deployed in the end", () => {
  fc.assert(
    fc.property(arbitraryRun, moves, fc.nat(100), fc.boolean(), (arbitrary, sequence, pick, downstream) => {
      const simulation = play(arbitrary, sequence);
      if (!hasEnded(simulation.state)) tell(simulation, { type: "cancel" });
      const { plan } = simulation.run;
      const taskId = simulation.state.error?.task_id ?? [...plan.tasks.keys()][pick % plan.tasks.size]!;
      if (pick % 2 === 0) tell(simulation, { type: "retry", taskId, downstream });
      if (hasEnded(simulation.state)) {
        tell(simulation, { type: "restart", fromPhase: plan.plan.phases[pick % plan.plan.phases.length]!.name });
      }
      helpAlong(simulation, arbitrary.plans);
      same(simulation.state.status, "deployed");
    }),
    { numRuns: 60 * times },
  );
});

test("the sequences that are tried reach all that matters", { tags: "long" }, () => {
  const seen = new Map<string, number>();
  const count = (what: string) => seen.set(what, (seen.get(what) ?? 0) + 1);
  for (const [arbitrary, sequence] of fc.sample(fc.tuple(arbitraryRun, moves), { numRuns: 160, seed: 1 })) {
    const simulation = play(arbitrary, sequence, (event, isIgnored) => {
      count(`${event.type} ${isIgnored ? "ignored" : "taken"}`);
    });
    count(simulation.state.status);
    for (const { name } of simulation.emitted) count(name);
  }
  const rare = wanted.filter((what) => (seen.get(what) ?? 0) < 2);
  expect(rare).toEqual([]);
});

const wanted = [
  ...["planning", "implementation", "validation", "deployment", "deployed", "failed"],
  ...["task_succeeded", "task_failed", "phase_accepted", "role_filled", "gate_decided"].flatMap(takenOrNot),
  ...["other_agent_found", "no_other_agent", "restart", "retry", "pause", "resume", "cancel", "debug"].flatMap(
    takenOrNot,
  ),
  ...["phase_rejected taken", "role_unfillable taken", "assign taken", "rollback taken", "plan_edited taken"],
  ...["project.deployed", "project.failed", "project.restarted", "project.rolled_back", "project.phase_completed"],
];

function takenOrNot(type: string): string[] {
  return [`${type} taken`, `${type} ignored`];
}

/** Begins a run, and does to it what the moves say. */
function play(
  { rules, plans }: ArbitraryRun,
  sequence: readonly Move[],
  onEvent?: (event: RunEvent, isIgnored: boolean) => void,
): Simulation {
  const simulation = new Simulation(runOf(plans[0]!, rules));
  for (const move of [...sequence.slice(0, 1), { is: "begin" } as const, ...sequence.slice(1)]) {
    const event = eventOf(simulation, plans, move);
    if (event === undefined) continue;
    const { isIgnored } = tell(simulation, event);
    if (move.is.startsWith("late")) ok(isIgnored, "what comes too late changes nothing");
    onEvent?.(event, isIgnored);
  }
  return simulation;
}

function tell(simulation: Simulation, event: RunEvent) {
  const hadJob = "job" in event && event.job !== undefined && simulation.jobs.has(event.job);
  const step = simulation.tell(event);
  checkStep(simulation, step, hadJob);
  checkState(simulation);
  return step;
}

/** From now on everything works, and everybody agrees. */
function helpAlong(simulation: Simulation, plans: readonly Plan[]): void {
  const maxTasks = Math.max(...[simulation.run.plan.plan, ...plans].map(({ tasks }) => tasks.length));
  // Each task may need a search for an agent besides, each phase a verification or an approval.
  const maxSteps = 4 * (maxTasks + simulation.run.plan.plan.phases.length) + 10;
  for (let steps = 0; !hasEnded(simulation.state); steps += 1) {
    ok(steps < maxSteps, "it takes too long");
    tell(simulation, helpFor(simulation, plans, steps));
  }
}

function helpFor(simulation: Simulation, plans: readonly Plan[], pick: number): RunEvent {
  const { state } = simulation;
  if (state.status === "specification") return { type: "begin" };
  if (state.isPaused) return { type: "resume" };
  if (state.debug?.is === "stepping") return { type: "debug", command: "continue" };
  const help: Move[] = [
    { is: "finish", pick, how: pick % 3 === 0 ? "nothing_new" : "merged" },
    { is: "other_agent", pick, isFound: true },
    { is: "decide", isApproved: true, plan: pick },
  ];
  for (const move of help) {
    const event = eventOf(simulation, plans, move);
    if (event !== undefined) return event;
  }
  throw new Error("There is nothing that would help.");
}
