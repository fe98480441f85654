import type { VerdictCounts } from "@slipway/contract";
import type { Database, Transaction } from "../../platform/database/index.ts";
import type { Run } from "./draft.ts";
import type { Repair, SecurityIssue } from "./events.ts";
import type { Plan, PlannedTask, RoleRequirement } from "./plan.ts";
import type { ArtifactRef, Deployment, GateName, Head, RunError, RunState } from "./state.ts";
import type { PlanContent } from "./store.ts";

/** The work itself. Each may be carried out again after a crash, and must bear it. */
export interface Steps {
  /** Reads a project's document: the plan as far as it is known without a planner, and the rules. */
  prepare(projectId: string, reviewPlan: boolean): Promise<PlanContent>;
  /** Carries out an attempt at a task, and ends it with `attempt.finish`. */
  runTask(attempt: Attempt): Promise<void>;
  /** Verifies a phase's own acceptance. */
  verifyPhase(verification: Verification): Promise<PhaseVerdict>;
  /** Takes the result to a further environment. */
  promote(promotion: PromotionAttempt): Promise<PromotionOutcome>;
}

/** The result on its way to a further environment. */
export interface PromotionAttempt {
  readonly projectId: string;
  /** Empty for the top level. */
  readonly environment: string;
  /** Counts the promotions of the run; the same when one is repeated after a crash. */
  readonly number: number;
  /** As an attempt's. */
  readonly id: string;
  readonly signal: AbortSignal;
  readonly leaseSignal: () => AbortSignal;
  load(): Promise<{ run: Run; planVersion: number; state: RunState }>;
}

export type PromotionOutcome = { readonly artifacts?: readonly NewArtifact[] } & (
  | { readonly deployment: Deployment & { readonly deploymentId: string } }
  | { readonly error: RunError }
);

/** An attempt at a task, by the agent that fills its role. */
export interface Attempt {
  readonly projectId: string;
  readonly taskId: string;
  /** Counts the attempts at the task. */
  readonly number: number;
  /** Unique among all attempts, also among those that begin again after a crash. */
  readonly id: string;
  readonly agentId: string;
  /** Aborted when the result is no longer wanted: cancelled, moved to another node, or the service stops. */
  readonly signal: AbortSignal;
  /** Aborted when another node may be at the same attempt: whatever acts on the world outside must stop then. */
  readonly leaseSignal: () => AbortSignal;
  /** Where the run stands now. */
  load(): Promise<AttemptContext>;
  /** Leaves the attempt to the nodes of another data folder; false if none of them lives. */
  handOver(host: string): Promise<boolean>;
  /** Settles the attempt. Stale: somebody has merged since `base`; merge again and finish again. Lost: it no longer counts. */
  finish(outcome: TaskOutcome): Promise<"settled" | "stale" | "lost">;
}

export interface AttemptContext {
  readonly run: Run;
  readonly planVersion: number;
  readonly state: RunState;
  readonly task: PlannedTask;
}

export type TaskOutcome =
  | {
      readonly is: "succeeded";
      /** The workspace's new head, and the one that it was made from. */
      readonly head?: Head;
      readonly base?: string | null;
      readonly plan?: Plan;
      readonly deployment?: Deployment;
      readonly artifacts?: readonly NewArtifact[];
      /** How many lines of the document hold, where the attempt has checked them. */
      readonly checks?: VerdictCounts;
      readonly issues?: readonly SecurityIssue[];
    }
  | {
      readonly is: "failed";
      readonly error: RunError;
      /** No further attempt would fare better. */
      readonly isFinal?: boolean;
      /** The agent follows rules, and would fail in the same way again. */
      readonly isByRule?: boolean;
      /** Identifies what was found wrong with which commit: if the next attempt finds the same, there is no third. */
      readonly fingerprint?: string;
      readonly artifacts?: readonly NewArtifact[];
      readonly checks?: VerdictCounts;
      readonly issues?: readonly SecurityIssue[];
      readonly repair?: Repair;
    };

/** Something that was made and stored already; it is listed when the attempt counts. */
export interface NewArtifact extends ArtifactRef {
  readonly digest: string;
  readonly size: number;
  readonly mediaType: string;
}

export interface Verification {
  readonly projectId: string;
  readonly phase: string;
  /** As an attempt's. */
  readonly id: string;
  readonly signal: AbortSignal;
  load(): Promise<{ run: Run; planVersion: number; state: RunState }>;
}

export type PhaseVerdict = {
  readonly artifacts?: readonly NewArtifact[];
  readonly checks?: VerdictCounts;
} & ({ readonly isAccepted: true } | { readonly isAccepted: false; readonly error: RunError });

/** Knows the agents, and who of them is free. */
export interface AgentDirectory {
  /** The best free agent for each request, or why there is none. */
  choose(db: Database | Transaction, requests: readonly AgentRequest[]): Promise<AgentChoice[]>;
}

export interface AgentRequest extends RoleRequirement {
  readonly role: string;
  /** Agents that are out of the question. */
  readonly besides: readonly string[];
  /** A busy one will do. */
  readonly mayBeBusy: boolean;
  /** One that is offline will not do, and is not waited for. */
  readonly mustBeOnline?: boolean;
  /** Where judgement is wanted: who built, and should not judge. If anybody else can, even a busy one is chosen. */
  readonly builders?: readonly string[];
}

export type AgentChoice =
  /** A judge: judgement is wanted, and this one has it and built nothing. */
  | { readonly is: "found"; readonly agentId: string; readonly isJudge?: boolean }
  | { readonly is: "busy" }
  | { readonly is: "unknown" };

/** Where people are asked. */
export interface GateApprovals {
  ask(trx: Transaction, question: Question): Promise<{ approvalId: string; deadline: Date; waitMs: number }>;
  withdraw(trx: Transaction, projectId: string): Promise<void>;
  expire(trx: Transaction, question: Pick<Question, "projectId" | "gate" | "round">): Promise<void>;
}

export interface Question {
  readonly projectId: string;
  readonly gate: GateName | "promotion";
  readonly round: number;
  readonly phase: string;
  readonly environment: string;
  readonly approvers: readonly string[];
}

/** Lists artifacts, in the transaction that makes them count. */
export interface ArtifactRecorder {
  record(trx: Transaction, projectId: string, artifacts: readonly NewArtifact[]): Promise<void>;
  /** Keeps the projects' artifacts as they are now, each for a checkpoint. */
  keep(trx: Transaction, checkpoints: readonly { id: string; projectId: string }[]): Promise<void>;
}
