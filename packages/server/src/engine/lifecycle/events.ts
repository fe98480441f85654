import type { EventData, EventName, VerdictCounts } from "@slipway/contract";
import type { Plan } from "./plan.ts";
import type {
  ArtifactRef,
  Deployment,
  GateName,
  Head,
  PromotionTarget,
  RolePriority,
  RunError,
  RunState,
} from "./state.ts";

/** What a verification found that an agent could mend. */
export interface Repair {
  /** Who could: the implementer, or who finishes what was built by rule. */
  readonly role: string;
  /** What does not hold, and why. */
  readonly description: string;
  /** The lines that do not hold, as JSON Pointers. */
  readonly lines: readonly string[];
  /** Another verification of the same commit would find the same. */
  readonly isCertain: boolean;
}

/** A finding of the security scan, and what stays the same in the next scan. */
export type SecurityIssue = EventData<"security.issue_detected"> & { readonly fingerprint: string };

/** What can happen to a run. */
export type RunEvent =
  | { readonly type: "begin" }
  /** Its document cannot be read by this version of the service. */
  | { readonly type: "unreadable"; readonly message: string }
  /** A job without which the run cannot go on was lost too often. */
  | { readonly type: "lost"; readonly message: string }
  | {
      readonly type: "task_succeeded";
      readonly taskId: string;
      readonly job: number;
      readonly durationMs: number;
      /** The workspace as it is with the result, where the task made any. */
      readonly head?: Head;
      /** What the planner found. */
      readonly plan?: Plan;
      readonly deployment?: Deployment;
      readonly artifacts?: readonly ArtifactRef[];
      readonly checks?: VerdictCounts;
      readonly issues?: readonly SecurityIssue[];
    }
  | {
      readonly type: "task_failed";
      readonly taskId: string;
      readonly job: number;
      readonly durationMs: number;
      readonly error: RunError;
      /** Trying again would not help. */
      readonly isFinal?: boolean;
      /** The same agent would fail in the same way again. */
      readonly isByRule?: boolean;
      /** Identifies the failure. */
      readonly fingerprint?: string;
      readonly checks?: VerdictCounts;
      readonly issues?: readonly SecurityIssue[];
      /** What an agent could mend. */
      readonly repair?: Repair;
    }
  | {
      readonly type: "phase_accepted";
      readonly phase: string;
      readonly job: number;
      readonly artifacts?: readonly ArtifactRef[];
      readonly checks?: VerdictCounts;
    }
  | {
      readonly type: "phase_rejected";
      readonly phase: string;
      readonly job: number;
      readonly error: RunError;
      readonly checks?: VerdictCounts;
    }
  | {
      readonly type: "role_filled";
      readonly role: string;
      /** The search whose answer this is, where it was one: that of a dropped search no longer counts. */
      readonly job?: number;
      readonly agentId: string;
    }
  | {
      readonly type: "role_unfillable";
      readonly role: string;
      readonly job?: number;
      readonly capabilities: readonly string[];
    }
  | { readonly type: "other_agent_found"; readonly taskId: string; readonly agentId: string }
  | { readonly type: "no_other_agent"; readonly taskId: string; readonly error: RunError }
  /** Nobody has heard of the agent for long, or it was removed. */
  | { readonly type: "agent_gone"; readonly agentId: string }
  | {
      readonly type: "gate_decided";
      readonly gate: GateName;
      readonly round: number;
      readonly isApproved: boolean;
      /** Why not. */
      readonly reason: string;
      /** How many lines hold after what the person answered. */
      readonly checks?: VerdictCounts;
    }
  | {
      readonly type: "promotion_decided";
      readonly number: number;
      readonly isApproved: boolean;
      readonly reason: string;
    }
  | {
      readonly type: "promoted";
      readonly number: number;
      readonly job: number;
      readonly deploymentId: string;
      readonly version: string;
      readonly url: string;
      readonly usage: string;
    }
  | { readonly type: "promotion_failed"; readonly number: number; readonly job: number; readonly error: RunError }
  /** A person changed the plan that they are to approve. */
  | { readonly type: "plan_edited"; readonly plan: Plan }
  | Command;

/** What a person asks of a run. */
export type Command =
  | { readonly type: "cancel" }
  | { readonly type: "pause" }
  | { readonly type: "resume" }
  | { readonly type: "restart"; readonly fromPhase: string }
  /** With the checkpoint's state and plan. */
  | { readonly type: "rollback"; readonly checkpoint: string; readonly state: RunState; readonly plan: Plan }
  | { readonly type: "retry"; readonly taskId: string; readonly downstream: boolean }
  | {
      readonly type: "assign";
      readonly role: string;
      readonly agentId: string;
      readonly priority: RolePriority;
      /** Jobs of the role that stay with who has begun them; the others move. */
      readonly begun: readonly number[];
    }
  /** The result goes to a further environment. */
  | { readonly type: "promote"; readonly target: PromotionTarget }
  | { readonly type: "debug"; readonly command: "start" | "step" | "continue" | "stop" };

/** What follows from it, to be carried out together with saving the state. */
export type Effect =
  | EmitEffect
  | {
      readonly type: "start_task";
      readonly taskId: string;
      readonly job: number;
      readonly attempt: number;
      readonly agentId: string;
      readonly priority: RolePriority;
      /** How many attempts have failed just before: the more, the longer the wait. */
      readonly failures: number;
    }
  | { readonly type: "verify_phase"; readonly phase: string; readonly job: number }
  /** Whoever is at these jobs stops; what they find no longer counts. */
  | { readonly type: "drop_jobs"; readonly jobs: readonly number[] | "all" }
  /** Nothing of the run is begun, or it may be again. */
  | { readonly type: "hold_jobs" }
  | { readonly type: "release_jobs" }
  | { readonly type: "fill_role"; readonly role: string; readonly job: number }
  | {
      readonly type: "find_other_agent";
      readonly taskId: string;
      readonly role: string;
      readonly besides: readonly string[];
      /** Why the others gave up. */
      readonly error: RunError;
    }
  | { readonly type: "ask_approval"; readonly gate: GateName; readonly round: number; readonly phase: string }
  | {
      readonly type: "ask_promotion";
      readonly number: number;
      readonly environment: string;
      readonly approvers: readonly string[];
    }
  | {
      readonly type: "start_promotion";
      readonly environment: string;
      readonly number: number;
      readonly job: number;
      /** The data folder with the files; left out: any. */
      readonly host?: string;
    }
  | { readonly type: "withdraw_approvals" }
  | { readonly type: "make_checkpoint"; readonly phase: string; readonly state: RunState }
  | { readonly type: "save_plan"; readonly plan: Plan };

export type EmitEffect = {
  [N in EventName]: { readonly type: "emit"; readonly name: N; readonly data: EventData<N> };
}[EventName];
