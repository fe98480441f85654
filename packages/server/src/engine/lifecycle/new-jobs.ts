import type { RoleNeeds } from "../../agents/index.ts";
import { agentQueue, engineQueue, hostQueue, type NewJob, offerQueue, stepsQueue } from "../jobs/index.ts";
import type { Effect } from "./events.ts";
import { type GateName, rolePriorities } from "./state.ts";

/** A job without what all jobs of a run have in common. */
export type JobOfRun = Pick<NewJob, "queue" | "kind" | "number" | "payload"> & Partial<NewJob>;

/** Reads the document and makes the first plan. */
export function beginJob(number: number, reviewPlan: boolean): JobOfRun {
  return { queue: engineQueue, kind: "begin", number, payload: { reviewPlan } };
}

/** An attempt at a task, after a delay if attempts have failed. */
export function taskJob(effect: Extract<Effect, { type: "start_task" }>, delayMs: number): JobOfRun {
  const { taskId, attempt, agentId, priority, job: number } = effect;
  const payload = { taskId, attempt, agentId };
  const level = rolePriorities.indexOf(priority);
  return { queue: agentQueue(agentId), kind: "task", number, priority: level, delayMs, payload };
}

export function verifyJob({ job: number, phase }: Extract<Effect, { type: "verify_phase" }>): JobOfRun {
  return { queue: stepsQueue, kind: "verify", number, payload: { phase } };
}

/** Waits until an agent that offers the role has a free slot. */
export function roleJob(number: number, needs: RoleNeeds): JobOfRun {
  return { queue: offerQueue(needs), kind: "fill", number, payload: { role: needs.role } };
}

/** Takes the result to a further environment, on a node that has its files. */
export function promotionJob(effect: Extract<Effect, { type: "start_promotion" }>): JobOfRun {
  const { environment, number: promotion, job: number, host } = effect;
  const queue = host === undefined ? stepsQueue : hostQueue(host);
  return { queue, kind: "promote", number, payload: { environment, promotion } };
}

const firstOfPromotions = 2 ** 30;

/** Denies an approval that nobody gave in time. */
export function deadlineJob(gate: GateName | "promotion", round: number, delayMs: number): JobOfRun {
  // Negative: the run counts its own jobs from 1. Those of promotions begin far from the others.
  const number = gate === "promotion" ? -(firstOfPromotions + round) : -(round * 2 + (gate === "plan" ? 0 : 1));
  return { queue: engineQueue, kind: "deadline", number, delayMs, payload: { gate, round } };
}
