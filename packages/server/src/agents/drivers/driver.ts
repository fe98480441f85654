import type { Readable, Writable } from "node:stream";
import type { CompleteSpec, PlannedTask } from "@slipway/spec";

/** Drives one kind of agent. It translates; time, limits, sandbox, masking and the end are the supervisor's. */
export interface AgentDriver {
  readonly kind: string;
  /** Whether it can be used here; if not, why. */
  probe(signal: AbortSignal): Promise<Probe>;
  start(work: AgentWork, host: AgentHost): AgentRun;
  /** Goes on with what an earlier process had begun, by the handle that it kept. */
  resume?(handle: string, work: AgentWork, host: AgentHost): AgentRun;
  /**
   * Only of what builds by rule: writes all that it makes of these tasks into an empty folder, the same bytes every time.
   * What people have changed in an earlier result is merged with it.
   */
  generate?(
    work: Pick<AgentWork, "document" | "folder">,
    tasks: readonly PlannedTask[],
    signal: AbortSignal,
  ): Promise<AgentReport>;
}

export type Probe =
  | { readonly isUsable: true; readonly version: string }
  | { readonly isUsable: false; readonly reason: string };

/** What an agent is given to do. */
export interface AgentWork {
  readonly projectId: string;
  readonly agentId: string;
  readonly attempt: number;
  readonly task: PlannedTask;
  readonly document: CompleteSpec;
  /** What the agent is asked to do, in words. */
  readonly prompt: string;
  /** The folder with the project's files, in which it works. */
  readonly folder: string;
}

/** What the supervisor lets a driver use. */
export interface AgentHost {
  /** Aborted when it must stop: its time is over, or its result is no longer wanted. */
  readonly signal: AbortSignal;
  /** Starts a program in the sandbox, within the limits; all that it starts ends with the attempt. */
  start(program: Program): AgentProcess;
  /** Goes to an address as the operator allows. */
  fetch(url: string, init?: RequestInit): Promise<Response>;
  /** Kept before the prompt is sent: after a crash the run is resumed from it. */
  keepHandle(handle: string): Promise<void>;
}

export interface Program {
  readonly command: string;
  readonly args: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
}

export interface AgentProcess {
  readonly stdin: Writable;
  readonly stdout: Readable;
  readonly stderr: Readable;
  /** Never fails. */
  readonly ended: Promise<{ readonly exitCode: number | null }>;
  kill(): void;
}

/** An agent at work. */
export interface AgentRun {
  readonly events: AsyncIterable<AgentEvent>;
  /** What it says itself at the end; what counts is what it changed. Never fails. */
  readonly result: Promise<AgentReport>;
  /** Asks it to stop, as its protocol does. */
  cancel(): void;
  /** Answers a question of its. */
  respond?(permissionId: string, isAllowed: boolean): void;
}

export type AgentReport =
  | {
      readonly is: "done";
      /** A planner's task breakdown; nothing: the one that follows from the document. */
      readonly breakdown?: string;
    }
  | { readonly is: "failed"; readonly code: string; readonly message: string };

/** What an agent lets know while it works. */
export type AgentEvent =
  | { readonly type: "status"; readonly text: string }
  | { readonly type: "log"; readonly stream: "stdout" | "stderr"; readonly text: string }
  | { readonly type: "message"; readonly text: string }
  | { readonly type: "plan"; readonly entries: readonly string[] }
  | { readonly type: "tool"; readonly name: string; readonly detail: string; readonly isDone: boolean }
  | { readonly type: "file"; readonly path: string; readonly change: "read" | "written" | "removed" }
  | { readonly type: "permission"; readonly id: string; readonly title: string; readonly tool: string }
  | { readonly type: "usage"; readonly inputTokens: number; readonly outputTokens: number; readonly costUsd?: number }
  | { readonly type: "resource"; readonly memoryBytes: number; readonly cpuSeconds: number }
  | { readonly type: "checkpoint"; readonly text: string };
