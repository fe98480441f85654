import type { EventData, EventName } from "@slipway/contract";
import type { Effect, EmitEffect } from "./events.ts";
import { type Plan, PlanIndex, type Rules } from "./plan.ts";
import { dropPromotions } from "./promotions.ts";
import {
  type GateState,
  noJob,
  type PhaseState,
  type RoleState,
  type RunError,
  type RunState,
  type TaskState,
} from "./state.ts";

/** What a run is about: it stays while the state changes. */
export interface Run {
  readonly projectId: string;
  readonly plan: PlanIndex;
  readonly rules: Rules;
}

type Mutable<T> = { -readonly [K in keyof T]: T[K] };

/** A state that is being changed, and what follows from it. The state it was made of stays as it was. */
export class Draft {
  run: Run;
  readonly effects: Effect[] = [];
  readonly state: Mutable<RunState> & {
    phases: Record<string, PhaseState>;
    tasks: Record<string, TaskState>;
    roles: Record<string, RoleState>;
    gates: Record<string, GateState>;
    vacant: Record<string, number>;
  };

  constructor(run: Run, state: RunState) {
    this.run = run;
    this.state = copyOf(state);
  }

  get plan(): PlanIndex {
    return this.run.plan;
  }

  emit<N extends EventName>(name: N, data: EventData<N>): void {
    this.effects.push({ type: "emit", name, data } as unknown as EmitEffect);
  }

  nextJob(): number {
    this.state.lastJob += 1;
    return this.state.lastJob;
  }

  taskState(id: string): TaskState {
    return this.state.tasks[id] ?? unbegun;
  }

  isDone(taskId: string): boolean {
    return this.state.tasks[taskId]?.is === "done";
  }

  isPhaseDone(name: string): boolean {
    return this.state.phases[name]?.is === "done";
  }

  /** The task waits again for an attempt; its earlier attempts stay recorded. */
  resetTask(id: string): void {
    const known = this.state.tasks[id];
    if (known === undefined) return;
    this.state.tasks[id] = { ...unbegun, attempt: known.attempt };
  }

  /** Drops all running jobs; their tasks wait again. */
  dropEverything(): void {
    this.effects.push({ type: "drop_jobs", jobs: "all" });
    for (const [id, task] of Object.entries(this.state.tasks)) if (task.is === "active") this.resetTask(id);
    for (const [name, phase] of Object.entries(this.state.phases)) {
      if (phase.is === "closing") {
        const { start, artifacts } = phase;
        this.state.phases[name] = { is: "running", start, artifacts };
      }
    }
    this.state.vacant = copyOfRecord({});
    dropPromotions(this);
    this.withdrawApprovals();
  }

  withdrawApprovals(): void {
    const pending = Object.entries(this.state.gates).filter(([, gate]) => gate.is === "pending");
    if (pending.length === 0) return;
    this.effects.push({ type: "withdraw_approvals" });
    // Asked anew when it comes to it, under another number.
    for (const [name, { round }] of pending) this.state.gates[name] = { is: "closed", round };
  }

  /** The phases and tasks that are done stay so: a new plan is about what is still to come. */
  replacePlan(plan: Plan): void {
    this.run = { ...this.run, plan: new PlanIndex(plan) };
    this.effects.push({ type: "save_plan", plan });
  }

  /** The state as it is now, safe from what comes after. */
  snapshot(): RunState {
    return copyOf(this.state);
  }

  fail(error: RunError): void {
    this.dropEverything();
    this.state.status = "failed";
    this.state.error = error;
    const { checks } = this.state;
    this.emit("project.failed", { error, phase: error.phase ?? "", ...(checks && { checks }) });
  }
}

const unbegun: TaskState = { is: "waiting", job: noJob, attempt: 0, failures: 0, agent: "", gaveUp: [] };

export function copyOf(state: RunState): Draft["state"] {
  return {
    ...state,
    phases: copyOfRecord(state.phases),
    tasks: copyOfRecord(state.tasks),
    roles: copyOfRecord(state.roles),
    gates: copyOfRecord(state.gates),
    vacant: copyOfRecord(state.vacant),
  };
}

/** Without a prototype: a task may well be called `constructor`. */
function copyOfRecord<T>(record: Readonly<Record<string, T>>): Record<string, T> {
  return Object.assign(Object.create(null) as Record<string, T>, record);
}
