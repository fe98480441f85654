import type { ProjectStatus, VerdictCounts } from "@slipway/contract";
import type { Failure } from "../../platform/errors/index.ts";

/** Where a run stands: everything that decides what happens next, and nothing else. */
export interface RunState {
  readonly status: ProjectStatus;
  readonly phases: Readonly<Record<string, PhaseState>>;
  /** Tasks that were begun; one that is not here waits for its first attempt. */
  readonly tasks: Readonly<Record<string, TaskState>>;
  /** Who fills which role. */
  readonly roles: Readonly<Record<string, RoleState>>;
  /** Roles without an agent, each with the job that waits for one. */
  readonly vacant: Readonly<Record<string, number>>;
  readonly isPaused: boolean;
  readonly debug: DebugState | null;
  readonly gates: Readonly<Record<string, GateState>>;
  /** The workspace's commit that the finished tasks made; nothing before the first. */
  readonly head: Head | null;
  /** How many results have been merged so far: shows which phases a commit holds. */
  readonly merges: number;
  readonly deployment: Deployment | null;
  /** Where else the result goes, once it is live; left out: nowhere so far. */
  readonly promotions?: Promotions;
  /** How many lines of the document hold, as last checked. */
  readonly checks: VerdictCounts | null;
  /** The security issues that were told of, by their fingerprints: each is told of once. */
  readonly issues: readonly string[];
  readonly error: RunError | null;
  /** What an implementer is to mend: the project fails with it if they cannot. */
  readonly unmended: RunError | null;
  /** As last reported; it falls only with a rollback or restart. */
  readonly progress: number;
  /** The number of the last job that was made. */
  readonly lastJob: number;
}

export type PhaseState =
  /** Its tasks may be worked on. */
  | { readonly is: "running"; readonly start: PhaseStart; readonly artifacts: readonly ArtifactRef[] }
  /** Its tasks are done; its own acceptance is being verified by a job. */
  | {
      readonly is: "closing";
      readonly start: PhaseStart;
      readonly artifacts: readonly ArtifactRef[];
      readonly job: number;
    }
  | { readonly is: "done"; readonly start: PhaseStart; readonly merges: number };

/** What there was when a phase began. */
interface PhaseStart {
  readonly head: Head | null;
  readonly merges: number;
  /** What the checks had found of the head; states of earlier versions do not say. */
  readonly checks?: VerdictCounts | null;
}

export interface TaskState {
  readonly is: "waiting" | "active" | "done" | "failed";
  /** The job of its attempt; none while it waits for another agent. */
  readonly job: number;
  /** How many attempts were begun; never starts over. */
  readonly attempt: number;
  /** Failed attempts of its current agent. */
  readonly failures: number;
  readonly agent: string;
  /** Set if its agent has changed the project. */
  readonly hasChanged?: true;
  /** Identifies its last failure, where that says more than that it failed. */
  readonly fingerprint?: string;
  /** Agents that have given up on it. */
  readonly gaveUp: readonly string[];
}

/** Where no job is at a task; real ones count from 1. */
export const noJob = 0;

export interface RoleState {
  readonly agent: string;
  readonly priority: RolePriority;
}

/** Orders an agent's queue. */
export const rolePriorities = ["critical", "high", "medium", "low"] as const;
export type RolePriority = (typeof rolePriorities)[number];

interface DebugState {
  /** Running: no breakpoint until debugging starts again. */
  readonly is: "stepping" | "running";
  /** How many tasks may still start. */
  readonly steps: number;
}

/** Where a person decides: `plan` before the work, `deployment` before the result goes live. */
export type GateName = "plan" | "deployment";

export interface GateState {
  readonly is: "closed" | "pending" | "open";
  /** Counts the times it was asked. */
  readonly round: number;
}

export interface Head {
  readonly commit: string;
  /** The blob with the commit's history, for other nodes. */
  readonly bundle: string;
}

export interface ArtifactRef {
  readonly type: string;
  readonly path: string;
}

export interface Deployment {
  readonly version: string;
  readonly url: string;
  /** How to use it, in one line. */
  readonly usage?: string;
  /** The data folder that it lives in: only nodes of that folder can copy it from there. */
  readonly host?: string;
}

interface Promotions {
  /** The number of the latest; it never starts over. */
  readonly last: number;
  /** The latest one by environment; the top level's name is empty. */
  readonly of: Readonly<Record<string, Promotion>>;
}

/** A further environment that the result goes to, and who lets it. */
export interface PromotionTarget {
  readonly environment: string;
  readonly needsApproval: boolean;
  /** A person also lets a result go there of which some lines were not checked. */
  readonly asksIfUnverified: boolean;
  readonly linesOfDeployment: number;
  readonly approvers: readonly string[];
}

/** The result's way to a further environment. */
export interface Promotion extends Omit<PromotionTarget, "environment"> {
  readonly is: "queued" | "asking" | "running" | "live" | "failed";
  /** Counts the promotions of the run. */
  readonly number: number;
  /** The document asks for it, not a person: it waits for those before it. */
  readonly isAutomatic: boolean;
  readonly job: number;
  /** Empty until it is live, and for what is not reached over HTTP. */
  readonly url: string;
  readonly error: RunError | null;
}

export interface RunError extends Failure {
  readonly phase?: string;
  readonly task_id?: string;
  readonly agent_id?: string;
}

export const newRun: RunState = {
  status: "specification",
  phases: {},
  tasks: {},
  roles: {},
  vacant: {},
  isPaused: false,
  debug: null,
  gates: {},
  head: null,
  merges: 0,
  deployment: null,
  checks: null,
  issues: [],
  error: null,
  unmended: null,
  progress: 0,
  lastJob: 0,
};

export function hasEnded({ status }: Pick<RunState, "status">): boolean {
  return status === "deployed" || status === "failed";
}
