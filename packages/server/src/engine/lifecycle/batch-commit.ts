import { defaultRoles } from "@slipway/spec";
import { lackingOf } from "../../agents/index.ts";
import type { Clock } from "../../platform/clock.ts";
import { Answers, type Transaction } from "../../platform/database/index.ts";
import { newId } from "../../platform/ids.ts";
import { boundedData } from "../events/index.ts";
import { deleteJobs, enqueueJobs, type NewJob, pauseJobs } from "../jobs/index.ts";
import { buildersOf } from "./builders.ts";
import type { Run } from "./draft.ts";
import type { Effect, RunEvent } from "./events.ts";
import { beginJob, deadlineJob, type JobOfRun, promotionJob, roleJob, taskJob, verifyJob } from "./new-jobs.ts";
import { type OpenRun, openRuns } from "./open-run.ts";
import { type PlanCache, runOf } from "./plan-cache.ts";
import type { AgentDirectory, AgentRequest, ArtifactRecorder, GateApprovals, NewArtifact, Question } from "./ports.ts";
import { viewOf } from "./progress.ts";
import { findPromotionInFlight } from "./promotions.ts";
import { type GateName, newRun, type RunState } from "./state.ts";
import {
  type CheckpointRow,
  insertPlans,
  type PlanContent,
  type PlanKey,
  type SavedAttempt,
  type SavedBatch,
  type SavedEvent,
  saveRuns,
} from "./store.ts";
import { transition } from "./transitions.ts";

export interface CommitDeps {
  readonly clock: Clock;
  readonly plans: PlanCache;
  readonly agents: AgentDirectory;
  readonly approvals: GateApprovals;
  readonly artifacts: ArtifactRecorder;
  /** How long to wait before the next attempt after so many failures. */
  readonly retryDelayMs: (failures: number) => number;
}

type AgentEffect = Extract<Effect, { type: "fill_role" | "find_other_agent" }>;

/**
 * Applies events to any number of runs in one transaction: each run's new state, its events, its jobs and everything else
 * that follows is saved together, or nothing is.
 */
export class BatchCommit {
  readonly #trx: Transaction;
  readonly #deps: CommitDeps;
  readonly #runs: ReadonlyMap<string, OpenRun>;
  readonly #now: Date;
  #unanswered: { projectId: string; effect: AgentEffect }[] = [];
  readonly #events: SavedEvent[] = [];
  readonly #attempts: SavedAttempt[] = [];
  readonly #plans: (PlanKey & { content: PlanContent })[] = [];
  readonly #checkpoints: CheckpointRow[] = [];
  readonly #artifacts: { projectId: string; artifacts: readonly NewArtifact[] }[] = [];
  readonly #jobs: NewJob[] = [];
  readonly #dropped = new Set<string>();
  /** Statements that cannot be put together with the rest. */
  readonly #changes: (() => Promise<void>)[] = [];

  private constructor(trx: Transaction, deps: CommitDeps, runs: ReadonlyMap<string, OpenRun>) {
    this.#trx = trx;
    this.#deps = deps;
    this.#runs = runs;
    this.#now = deps.clock.now();
  }

  /** Locks the runs; one that is not there is left out. */
  static async open(trx: Transaction, deps: CommitDeps, projectIds: readonly string[]): Promise<BatchCommit> {
    return new BatchCommit(trx, deps, await openRuns(trx, deps.plans, projectIds));
  }

  /** The run as it is by now. */
  find(projectId: string): { readonly run: Run; readonly state: RunState } | undefined {
    return this.#runs.get(projectId);
  }

  /** Restarts a run that ended before it had a plan. */
  beginAnew(projectId: string): void {
    const open = this.#runs.get(projectId);
    if (open === undefined) return;
    const number = open.state.lastJob + 1;
    const { roles } = open.state;
    open.state = { ...newRun, roles, lastJob: number };
    open.isChanged = true;
    this.#enqueue(open, beginJob(number, open.run.rules.reviewPlan));
    this.#emit(open, "project.restarted", { from_phase: "planning" });
  }

  /** The run has its first plan. */
  begin(projectId: string, content: PlanContent): void {
    const open = this.#runs.get(projectId);
    if (open === undefined || open.state.status !== "specification") return;
    open.run = runOf(projectId, content);
    this.#savePlan(open, content);
    this.apply(projectId, { type: "begin" });
  }

  apply(projectId: string, event: RunEvent): void {
    const open = this.#runs.get(projectId);
    if (open === undefined) return;
    const { run, state, effects } = transition(open.run, open.state, event);
    // An event that comes too late changes nothing, and is not worth a new version.
    open.isChanged ||= effects.length > 0 || JSON.stringify(state) !== JSON.stringify(open.state);
    open.run = run;
    open.state = state;
    for (const effect of effects) this.#carryOut(open, effect);
  }

  /** Nobody has decided in time. */
  expire(projectId: string, gate: GateName | "promotion", round: number): void {
    this.#changes.push(() => this.#deps.approvals.expire(this.#trx, { projectId, gate, round }));
    const reason = "Nobody approved it in time.";
    if (gate === "promotion") {
      this.apply(projectId, { type: "promotion_decided", number: round, isApproved: false, reason });
      return;
    }
    this.apply(projectId, { type: "gate_decided", gate, round, isApproved: false, reason });
  }

  recordAttempt(attempt: SavedAttempt): void {
    this.#attempts.push(attempt);
  }

  addArtifacts(projectId: string, artifacts: readonly NewArtifact[]): void {
    if (artifacts.length > 0) this.#artifacts.push({ projectId, artifacts });
  }

  /** Writes everything; the caller commits, and then wakes the queues that got jobs. */
  async save(): Promise<CommitResult> {
    const answers = new Answers();
    const result = await this.send(answers, async (jobs) => answers.add(enqueueJobs(this.#trx, jobs)));
    await Promise.all(answers.all);
    return result;
  }

  /** Sends every statement; the caller waits for the answers. */
  async send(answers: Answers, enqueue: (jobs: readonly NewJob[]) => Promise<void>): Promise<CommitResult> {
    const trx = this.#trx;
    await this.#askForAgents();
    for (const change of this.#changes) await change();
    const changed = [...this.#runs.values()].filter(({ isChanged }) => isChanged);
    if (this.#plans.length > 0) answers.add(insertPlans(trx, this.#plans));
    if (changed.length > 0) answers.add(saveRuns(trx, this.#now, this.#saved(changed)));
    for (const { projectId, artifacts } of this.#artifacts)
      await this.#deps.artifacts.record(trx, projectId, artifacts);
    if (this.#checkpoints.length > 0) answers.add(this.#deps.artifacts.keep(trx, this.#checkpoints));
    await enqueue(this.#jobs.map((job) => this.#pausedWithRun(job)));
    return {
      changed: changed.map(({ run }) => run.projectId),
      queues: new Set(this.#jobs.map(({ queue }) => queue)),
      dropped: this.#dropped,
    };
  }

  #saved(changed: readonly OpenRun[]): SavedBatch {
    return {
      runs: changed.map(({ run, state, planVersion, lastSequence }) => ({
        id: run.projectId,
        ...viewOf({ plan: run.plan, state }),
        state,
        planVersion,
        lastSequence,
      })),
      events: this.#events,
      attempts: this.#attempts,
      checkpoints: this.#checkpoints,
    };
  }

  /** Caches the plans, once the transaction has committed. */
  remember(): void {
    for (const { run, planVersion } of this.#runs.values()) {
      if (planVersion !== null) this.#deps.plans.add({ projectId: run.projectId, version: planVersion }, run);
    }
  }

  #carryOut(open: OpenRun, effect: Effect): void {
    const { projectId } = open.run;
    switch (effect.type) {
      case "emit":
        this.#emit(open, effect.name, effect.data);
        return;
      case "start_task": {
        const { failures } = effect;
        this.#enqueue(open, taskJob(effect, failures === 0 ? 0 : this.#deps.retryDelayMs(failures)));
        return;
      }
      case "verify_phase":
        this.#enqueue(open, verifyJob(effect));
        return;
      case "drop_jobs": {
        const numbers = effect.jobs === "all" ? undefined : effect.jobs;
        this.#dropped.add(projectId);
        // Also those that this very batch was about to make.
        const isDropped = (job: NewJob) => job.groupId === projectId && (numbers?.includes(job.number) ?? true);
        for (let at = this.#jobs.length - 1; at >= 0; at -= 1) if (isDropped(this.#jobs[at]!)) this.#jobs.splice(at, 1);
        this.#changes.push(() => deleteJobs(this.#trx, projectId, numbers));
        return;
      }
      case "hold_jobs":
        this.#changes.push(() => pauseJobs(this.#trx, projectId, true));
        return;
      case "release_jobs":
        this.#changes.push(() => pauseJobs(this.#trx, projectId, false));
        return;
      case "fill_role":
      case "find_other_agent":
        this.#unanswered.push({ projectId, effect });
        return;
      case "ask_approval":
        this.#changes.push(() => this.#askAtGate(open, effect));
        return;
      case "ask_promotion":
        this.#changes.push(() => this.#askPromotion(open, effect));
        return;
      case "start_promotion":
        this.#enqueue(open, promotionJob(effect));
        return;
      case "withdraw_approvals":
        this.#changes.push(() => this.#deps.approvals.withdraw(this.#trx, projectId));
        return;
      case "make_checkpoint":
        this.#checkpoints.push({
          id: newId("checkpoint", this.#now.getTime()),
          projectId,
          phase: effect.phase,
          planVersion: open.planVersion ?? 0,
          state: effect.state,
          createdAt: this.#now,
        });
        return;
      case "save_plan":
        this.#savePlan(open, { plan: effect.plan, rules: open.run.rules });
        return;
    }
  }

  /** Whether the run is paused is known only at the end of the batch. */
  #pausedWithRun(job: NewJob): NewJob {
    return this.#runs.get(job.groupId)!.state.isPaused ? { ...job, isPaused: true } : job;
  }

  #emit(open: OpenRun, name: SavedEvent["name"], data: object): void {
    open.lastSequence += 1;
    const id = newId("event", this.#now.getTime());
    this.#events.push({
      projectId: open.run.projectId,
      sequence: open.lastSequence,
      id,
      name,
      data: boundedData(data),
    });
  }

  #savePlan(open: OpenRun, content: PlanContent): void {
    open.planVersion = (open.planVersion ?? 0) + 1;
    this.#plans.push({ projectId: open.run.projectId, version: open.planVersion, content });
  }

  #enqueue(open: OpenRun, job: JobOfRun): void {
    this.#jobs.push({ priority: 2, delayMs: 0, isPaused: false, groupId: open.run.projectId, ...job });
  }

  /** Asks the directory for agents until no request is open: an answer may lead to the next request. */
  async #askForAgents(): Promise<void> {
    while (this.#unanswered.length > 0) {
      const asked = this.#unanswered;
      this.#unanswered = [];
      const requests = asked.map(({ projectId, effect }) => this.#requestFor(projectId, effect));
      const choices = await this.#deps.agents.choose(this.#trx, requests);
      for (const [at, { projectId, effect }] of asked.entries()) {
        const open = this.#runs.get(projectId)!;
        const choice = choices[at]!;
        if (effect.type === "find_other_agent") {
          const { taskId, error } = effect;
          this.apply(
            projectId,
            choice.is === "found"
              ? { type: "other_agent_found", taskId, agentId: choice.agentId }
              : { type: "no_other_agent", taskId, error },
          );
        } else if (choice.is === "found") {
          this.apply(projectId, { type: "role_filled", role: effect.role, job: effect.job, agentId: choice.agentId });
        } else if (choice.is === "unknown") {
          const capabilities = lackingOf(requests[at]!);
          this.apply(projectId, { type: "role_unfillable", role: effect.role, job: effect.job, capabilities });
        } else if (open.state.vacant[effect.role] === effect.job) {
          this.#enqueue(open, roleJob(effect.job, requests[at]!));
        }
      }
    }
  }

  #requestFor(projectId: string, effect: AgentEffect): AgentRequest {
    const { run, state } = this.#runs.get(projectId)!;
    const { rules } = run;
    const requirement = (Object.hasOwn(rules.roles, effect.role) && rules.roles[effect.role]) || {
      capabilities: [],
      preferred: [],
    };
    const judges = rules.needsJudgement === true && effect.role === defaultRoles.validation;
    return effect.type === "fill_role"
      ? {
          ...requirement,
          role: effect.role,
          besides: [],
          mayBeBusy: false,
          ...(judges && { builders: buildersOf(run, state) }),
        }
      : { ...requirement, role: effect.role, besides: effect.besides, mayBeBusy: true };
  }

  async #askAtGate(open: OpenRun, { gate, round, phase }: Extract<Effect, { type: "ask_approval" }>): Promise<void> {
    const { environment, approvers } = open.run.rules;
    // Withdrawn or answered later in the same batch.
    const now = open.state.gates[gate];
    if (now?.is !== "pending" || now.round !== round) return;
    await this.#ask(open, { gate, round, phase, environment, approvers: gate === "deployment" ? approvers : [] });
  }

  async #askPromotion(open: OpenRun, effect: Extract<Effect, { type: "ask_promotion" }>): Promise<void> {
    const { number: round, environment, approvers } = effect;
    const now = findPromotionInFlight(open.state, environment);
    if (now?.is !== "asking" || now.number !== round) return;
    await this.#ask(open, { gate: "promotion", round, phase: "deployment", environment, approvers });
  }

  async #ask(open: OpenRun, question: Omit<Question, "projectId">): Promise<void> {
    const { projectId } = open.run;
    const { gate, round, phase, environment, approvers } = question;
    const { approvalId, deadline, waitMs } = await this.#deps.approvals.ask(this.#trx, { ...question, projectId });
    const data = {
      approval_id: approvalId,
      phase,
      environment,
      approvers: [...approvers],
      deadline: deadline.toISOString(),
    };
    this.#emit(open, "project.approval_required", data);
    this.#enqueue(open, deadlineJob(gate, round, waitMs));
  }
}

export interface CommitResult {
  /** Projects that differ from before. */
  readonly changed: readonly string[];
  /** Queues that got jobs. */
  readonly queues: ReadonlySet<string>;
  /** Projects that had jobs revoked. */
  readonly dropped: ReadonlySet<string>;
}
