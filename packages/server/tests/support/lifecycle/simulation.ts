import { strictEqual } from "node:assert/strict";
import type { EventData, EventName } from "@slipway/contract";
import type { Draft, Run } from "../../../src/engine/lifecycle/draft.ts";
import type { Effect, RunEvent } from "../../../src/engine/lifecycle/events.ts";
import { type Plan, PlanIndex } from "../../../src/engine/lifecycle/plan.ts";
import { type RunView, viewOf } from "../../../src/engine/lifecycle/progress.ts";
import { type GateName, newRun, type RunError, type RunState } from "../../../src/engine/lifecycle/state.ts";
import { transition } from "../../../src/engine/lifecycle/transitions.ts";

export type Job = { readonly number: number; readonly isMadeOnHold: boolean } & (
  | { readonly is: "task"; readonly taskId: string; readonly attempt: number; readonly agentId: string }
  | { readonly is: "phase"; readonly phase: string }
  | { readonly is: "role"; readonly role: string }
);

export interface Checkpoint {
  readonly id: string;
  readonly phase: string;
  readonly state: RunState;
  readonly plan: Plan;
}

export interface Step {
  readonly event: RunEvent;
  readonly before: RunState;
  readonly planBefore: PlanIndex;
  readonly planAfter: PlanIndex;
  readonly effects: readonly Effect[];
  /** Nothing has changed, and nothing follows. */
  readonly isIgnored: boolean;
}

/** A run and all that its effects ask for, as the runner would keep it; nothing happens by itself. */
export class Simulation {
  run: Run;
  state: RunState = frozen(newRun);
  readonly jobs = new Map<number, Job>();
  /** All that ever were, also those that were dropped or are finished. */
  readonly allJobs: Job[] = [];
  /** Tasks for which another agent is looked for, with those that gave up. */
  readonly searches = new Map<string, { readonly besides: readonly string[]; readonly error: RunError }>();
  /** What the workspace held when a job was made. */
  readonly headAt = new Map<number, string | undefined>();
  /** The jobs whose results went into the workspace. */
  readonly merged = new Set<number>();
  readonly questions = new Map<GateName, number>();
  readonly checkpoints: Checkpoint[] = [];
  readonly emitted: { readonly name: EventName; readonly data: unknown }[] = [];
  isOnHold = false;
  /** The plan as another process has read it. */
  #reread: PlanIndex | undefined;
  #saved = written(newRun);

  constructor(run: Run) {
    this.run = run;
  }

  /**
   * Tells the run something, twice: what the first process made of it is lost in a crash; the second one has read the
   * state anew. Both must come to the same.
   */
  tell(event: RunEvent): Step {
    const { run, state: before } = this;
    const { state, effects, run: runAfter } = transition(run, before, frozen(event));
    this.#reread ??= new PlanIndex(asRead(run.plan.plan));
    const second = transition({ ...run, plan: this.#reread }, frozen(JSON.parse(this.#saved)), frozen(asRead(event)));
    const saved = written(state);
    strictEqual(written(second.state), saved);
    strictEqual(written(second.effects), written(effects));
    if (runAfter.plan !== run.plan) {
      strictEqual(written(second.run.plan.plan), written(runAfter.plan.plan));
      this.#reread = undefined;
    }

    this.#settle(event);
    this.run = runAfter;
    this.state = frozen(state);
    for (const effect of effects) this.#carryOut(effect);
    const isIgnored = effects.length === 0 && this.#saved === saved;
    this.#saved = saved;
    if (event.type === "task_succeeded" && event.head !== undefined && !isIgnored) this.merged.add(event.job);
    return { event, before, planBefore: run.plan, planAfter: runAfter.plan, effects, isIgnored };
  }

  get view(): RunView {
    return viewOf({ plan: this.run.plan, state: this.state as Draft["state"] });
  }

  emittedAs<N extends EventName>(wanted: N): EventData<N>[] {
    return this.emitted.filter(({ name }) => name === wanted).map(({ data }) => data as EventData<N>);
  }

  /** What is answered is no longer asked. */
  #settle(event: RunEvent): void {
    if ("job" in event && event.job !== undefined) this.jobs.delete(event.job);
    if (event.type === "other_agent_found" || event.type === "no_other_agent") this.searches.delete(event.taskId);
    if (event.type === "gate_decided" && this.questions.get(event.gate) === event.round) {
      this.questions.delete(event.gate);
    }
  }

  #carryOut(effect: Effect): void {
    switch (effect.type) {
      case "emit":
        this.emitted.push(effect);
        return;
      case "start_task": {
        const { taskId, attempt, agentId } = effect;
        // Somebody else was assigned while another agent was looked for.
        this.searches.delete(taskId);
        this.#addJob({ ...this.#jobOf(effect.job), is: "task", taskId, attempt, agentId });
        return;
      }
      case "verify_phase":
        this.#addJob({ ...this.#jobOf(effect.job), is: "phase", phase: effect.phase });
        return;
      case "fill_role":
        this.#addJob({ ...this.#jobOf(effect.job), is: "role", role: effect.role });
        return;
      case "drop_jobs":
        this.#drop(effect.jobs);
        return;
      case "find_other_agent":
        this.searches.set(effect.taskId, effect);
        return;
      case "ask_approval":
        strictEqual(this.questions.has(effect.gate), false);
        this.questions.set(effect.gate, effect.round);
        return;
      case "withdraw_approvals":
        this.questions.clear();
        return;
      case "hold_jobs":
        this.isOnHold = true;
        return;
      case "release_jobs":
        this.isOnHold = false;
        for (const [number, job] of this.jobs) this.jobs.set(number, { ...job, isMadeOnHold: false });
        return;
      case "make_checkpoint": {
        const { phase, state } = effect;
        const id = `ckpt_${this.checkpoints.length + 1}`;
        this.checkpoints.push({ id, phase, state: asRead(state), plan: this.run.plan.plan });
        return;
      }
      case "save_plan":
        return;
    }
  }

  #jobOf(number: number): Pick<Job, "number" | "isMadeOnHold"> {
    return { number, isMadeOnHold: this.isOnHold };
  }

  #addJob(job: Job): void {
    strictEqual(job.number > (this.allJobs.at(-1)?.number ?? 0), true, "job numbers only grow");
    this.jobs.set(job.number, job);
    this.headAt.set(job.number, this.state.head?.commit);
    this.allJobs.push(job);
  }

  #drop(jobs: readonly number[] | "all"): void {
    if (jobs !== "all") {
      for (const number of jobs) strictEqual(this.jobs.delete(number), true, "only jobs that there are get dropped");
      return;
    }
    this.jobs.clear();
    this.searches.clear();
  }
}

/** As the database gives it back: another object, its keys in another order. */
function asRead<T>(value: T): T {
  return JSON.parse(written(value)) as T;
}

/** As JSON, always in the same order; refuses what JSON would lose. */
export function written(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(written).join(",")}]`;
  if (typeof value === "object" && value !== null) {
    const members = Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1));
    return `{${members.map(([key, member]) => `${JSON.stringify(key)}:${written(member)}`).join(",")}}`;
  }
  if (value === undefined || (typeof value === "number" && !Number.isFinite(value))) {
    throw new Error(`${value} is no JSON.`);
  }
  return JSON.stringify(value);
}

function frozen<T>(value: T): T {
  if (typeof value === "object" && value !== null && !Object.isFrozen(value)) {
    Object.freeze(value);
    for (const member of Object.values(value)) frozen(member);
  }
  return value;
}
