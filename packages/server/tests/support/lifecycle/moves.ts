import fc from "fast-check";
import type { Command, RunEvent } from "../../../src/engine/lifecycle/events.ts";
import type { Plan } from "../../../src/engine/lifecycle/plan.ts";
import type { GateName } from "../../../src/engine/lifecycle/state.ts";
import { roleNames } from "./arbitrary-run.ts";
import type { Job, Simulation } from "./simulation.ts";

/** Something that may happen to any run; which job, task or phase it is about, its numbers pick among those there are. */
export type Move =
  | { readonly is: "finish"; readonly pick: number; readonly how: Outcome }
  | { readonly is: "late"; readonly pick: number; readonly how: Outcome }
  | { readonly is: "other_agent"; readonly pick: number; readonly isFound: boolean }
  | { readonly is: "late_agent"; readonly pick: number; readonly isFound: boolean }
  | { readonly is: "decide"; readonly isApproved: boolean; readonly plan: number }
  | { readonly is: "late_decision"; readonly gate: GateName; readonly isApproved: boolean }
  | { readonly is: "begin" }
  | { readonly is: "rollback" | "restart"; readonly pick: number }
  | { readonly is: "retry"; readonly pick: number; readonly downstream: boolean }
  | { readonly is: "assign"; readonly pick: number; readonly agent: number; readonly reassignRunning: boolean }
  | { readonly is: "agent_gone"; readonly pick: number }
  | { readonly is: "pause" | "resume" | "cancel" }
  | { readonly is: "debug"; readonly command: "start" | "step" | "continue" | "stop" };

type Outcome = "merged" | "nothing_new" | "failed" | "failed_for_good";

const pick = fc.nat(1000);
const how = fc.oneof(
  { weight: 12, arbitrary: fc.constant<Outcome>("merged") },
  { weight: 4, arbitrary: fc.constant<Outcome>("nothing_new") },
  { weight: 4, arbitrary: fc.constant<Outcome>("failed") },
  { weight: 1, arbitrary: fc.constant<Outcome>("failed_for_good") },
);
const mostly = fc.nat(7).map((number) => number > 0);
const is = <const T extends string>(name: T) => fc.constant(name);

export const arbitraryMove: fc.Arbitrary<Move> = fc.oneof(
  { weight: 40, arbitrary: fc.record({ is: is("finish"), pick, how }) },
  { weight: 5, arbitrary: fc.record({ is: is("late"), pick, how }) },
  { weight: 4, arbitrary: fc.record({ is: is("other_agent"), pick, isFound: fc.boolean() }) },
  { weight: 1, arbitrary: fc.record({ is: is("late_agent"), pick, isFound: fc.boolean() }) },
  { weight: 6, arbitrary: fc.record({ is: is("decide"), isApproved: mostly, plan: pick }) },
  { weight: 1, arbitrary: fc.record({ is: is("late_decision"), gate: gateName(), isApproved: fc.boolean() }) },
  { weight: 1, arbitrary: fc.record({ is: is("begin") }) },
  { weight: 2, arbitrary: fc.record({ is: fc.constantFrom("rollback", "restart"), pick }) },
  { weight: 3, arbitrary: fc.record({ is: is("retry"), pick, downstream: fc.boolean() }) },
  { weight: 2, arbitrary: fc.record({ is: is("assign"), pick, agent: fc.nat(3), reassignRunning: fc.boolean() }) },
  { weight: 2, arbitrary: fc.record({ is: is("agent_gone"), pick }) },
  { weight: 4, arbitrary: fc.record({ is: fc.constantFrom("pause", "resume", "resume") }) },
  { weight: 1, arbitrary: fc.record({ is: is("cancel") }) },
  {
    weight: 3,
    arbitrary: fc.record({ is: is("debug"), command: fc.constantFrom("start", "step", "step", "continue", "stop") }),
  },
);

function gateName(): fc.Arbitrary<GateName> {
  return fc.constantFrom("plan", "deployment");
}

/** The event that the move is here; nothing where there is nothing of the kind. */
export function eventOf(simulation: Simulation, plans: readonly Plan[], move: Move): RunEvent | undefined {
  const { run, jobs, allJobs, searches, questions, state, checkpoints } = simulation;
  switch (move.is) {
    case "finish": {
      const job = at(
        [...jobs.values()].filter(({ isMadeOnHold }) => !isMadeOnHold),
        move.pick,
      );
      return job && resultOf(simulation, plans, job, move);
    }
    case "late": {
      const job = at(
        allJobs.filter(({ number }) => !jobs.has(number)),
        move.pick,
      );
      return job && resultOf(simulation, plans, job, move);
    }
    case "other_agent":
    case "late_agent": {
      const tasks =
        move.is === "other_agent" ? [...searches.keys()] : [...run.plan.tasks.keys()].filter((id) => !searches.has(id));
      const taskId = at(tasks, move.pick);
      if (taskId === undefined) return undefined;
      if (move.isFound) return { type: "other_agent_found", taskId, agentId: "agent_other" };
      const error = searches.get(taskId)?.error ?? { code: "task_failed", message: "It went wrong." };
      return { type: "no_other_agent", taskId, error };
    }
    case "decide": {
      const [gate, round] = [...questions][0] ?? [];
      if (gate === undefined || round === undefined) return undefined;
      const plan = gate === "plan" && move.plan % 2 === 0 ? at(plans, move.plan) : undefined;
      if (plan !== undefined) return { type: "plan_edited", plan };
      const { isApproved } = move;
      return { type: "gate_decided", gate, round, isApproved, reason: "Not like this." };
    }
    case "late_decision": {
      const { gate, isApproved } = move;
      const round = (state.gates[gate]?.round ?? 0) - (questions.has(gate) ? 1 : 0);
      return { type: "gate_decided", gate, round, isApproved, reason: "Too late." };
    }
    case "begin":
      return { type: "begin" };
    case "rollback": {
      const found = at(checkpoints, move.pick);
      return found && { type: "rollback", checkpoint: found.id, state: found.state, plan: found.plan };
    }
    case "restart":
      return { type: "restart", fromPhase: at([...run.plan.phases.keys(), "nowhere"], move.pick)! };
    case "retry": {
      // Half of the time the one that failed.
      const ids = [...run.plan.tasks.keys(), "nothing"];
      const failed = move.pick % 2 === 0 ? state.error?.task_id : undefined;
      return { type: "retry", taskId: failed ?? at(ids, move.pick)!, downstream: move.downstream };
    }
    case "assign": {
      const role = at(["planner", ...roleNames, "reviewer", "deployer"], move.pick)!;
      const { agent, reassignRunning } = move;
      const begun = reassignRunning ? [] : [...jobs.keys()].filter((number) => (number + move.pick) % 2 === 0);
      return { type: "assign", role, agentId: `agent_${agent}`, priority: "high", begun };
    }
    case "agent_gone": {
      const agents = [...Object.values(state.roles), ...Object.values(state.tasks)].map(({ agent }) => agent);
      return { type: "agent_gone", agentId: at([...agents, "agent_unknown"], move.pick)! };
    }
    case "pause":
    case "resume":
    case "cancel":
      return { type: move.is };
    case "debug":
      return { type: "debug", command: move.command };
  }
}

/** What whoever is at the job tells in the end. */
function resultOf(
  { state }: Simulation,
  plans: readonly Plan[],
  { number: job, ...about }: Job,
  { pick, how }: { pick: number; how: Outcome },
): RunEvent {
  const error = { code: "task_failed", message: "It went wrong." };
  const hasFailed = how === "failed" || how === "failed_for_good";
  switch (about.is) {
    case "role": {
      const { role } = about;
      if (how === "failed_for_good") return { type: "role_unfillable", role, job, capabilities: ["go"] };
      return { type: "role_filled", role, job, agentId: `agent_${pick % 3}` };
    }
    case "phase": {
      const { phase } = about;
      return hasFailed ? { type: "phase_rejected", phase, job, error } : { type: "phase_accepted", phase, job };
    }
    case "task": {
      const { taskId } = about;
      const of = { taskId, job, durationMs: pick };
      if (hasFailed) return { type: "task_failed", ...of, error, isFinal: how === "failed_for_good" };
      // The commit tells which results it holds.
      const commit = `${state.head?.commit ?? ""}${markOf(job)}`;
      const plan = taskId === "plan" && pick % 4 > 0 ? at(plans, pick) : undefined;
      return {
        type: "task_succeeded",
        ...of,
        // Of what a reviewer changes, nothing is kept.
        ...(how === "merged" && !taskId.startsWith("review-as-") && { head: { commit, bundle: `bundle-${job}` } }),
        ...(plan && { plan }),
        ...(taskId === "deploy" && { deployment: { version: `v${job}`, url: "http://localhost:5000" } }),
        ...(pick % 3 === 0 && { artifacts: [{ type: "source_code", path: `${taskId}/${pick % 2}` }] }),
      };
    }
  }
}

export function markOf(job: number): string {
  return `(${job})`;
}

export function isCommand(event: RunEvent): event is Command {
  return commandTypes.has(event.type);
}

const commandTypes = new Set<string>(["cancel", "pause", "resume", "restart", "rollback", "retry", "assign", "debug"]);

function at<T>(items: readonly T[], pick: number): T | undefined {
  return items[pick % items.length];
}
