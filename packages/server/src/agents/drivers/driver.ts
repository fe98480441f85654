import type { Readable, Writable } from "node:stream";
import type { CompleteSpec, PlannedTask } from "@slipway/spec";

/** Drives one kind of agent: it translates. Time, limits, sandbox, masking and the end are the supervisor's. */
export interface AgentDriver {
  readonly kind: string;
  /** Whether the agent can be used here, or why not. */
  probe(signal: AbortSignal): Promise<Probe>;
  start(work: AgentWork, host: AgentHost): AgentRun;
  /** Resumes the run of an earlier process, by the handle that the process saved. */
  resume?(handle: string, work: AgentWork, host: AgentHost): AgentRun;
  /**
   * Only for drivers that build by rule: writes the whole result of these tasks into an empty folder, the same bytes every
   * time. The engine merges it with what people changed in an earlier result.
   */
  generate?(
    work: Pick<AgentWork, "document" | "folder">,
    tasks: readonly PlannedTask[],
    signal: AbortSignal,
  ): Promise<AgentReport>;
  /** Only for drivers that build by rule: what of a document they do not use or cannot build. */
  findUnmet?(document: CompleteSpec): Promise<readonly { readonly pointer: string; readonly reason: string }[]>;
}

export type Probe =
  | { readonly isUsable: true; readonly version: string }
  | { readonly isUsable: false; readonly reason: string };

/** The task of an agent, and all it needs to do it. */
export interface AgentWork {
  readonly projectId: string;
  readonly agentId: string;
  readonly attempt: number;
  readonly task: PlannedTask;
  readonly document: CompleteSpec;
  readonly prompt: string;
  /** The folder with the project's files; the agent works in it. */
  readonly folder: string;
}

/** What the supervisor lets a driver use. */
export interface AgentHost {
  /** Aborted when the agent must stop: its time is over, or nobody wants its result. */
  readonly signal: AbortSignal;
  /** Starts a program in the sandbox, within the limits; it and its children end with the attempt. */
  start(program: Program): AgentProcess;
  /** Calls only addresses that the operator allows. */
  fetch(url: string, init?: RequestInit): Promise<Response>;
  /** Must come before the prompt is sent: after a crash the run resumes from this handle. */
  saveHandle(handle: string): Promise<void>;
  /** The last characters of a text without secrets, also without the rest of one that begins before them. */
  maskEnd(text: string, maxChars: number): Promise<string>;
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
  /** Never rejects. */
  readonly ended: Promise<{ readonly exitCode: number | null }>;
  /** Says which limit it broke, undefined if none, as soon as it is over; left out: nobody watches it. Never rejects. */
  readonly broken?: Promise<string | undefined>;
  kill(): void;
}

export interface AgentRun {
  readonly events: AsyncIterable<AgentEvent>;
  /** The agent's own account; the engine judges what it changed. Never rejects. */
  readonly result: Promise<AgentReport>;
  /** Asks the agent to stop, by its own protocol. */
  cancel(): void;
  /** Answers a permission request. */
  respond?(permissionId: string, isAllowed: boolean): void;
}

export type AgentReport =
  | {
      readonly is: "done";
      /** A planner's task breakdown; absent: the one that follows from the document. */
      readonly breakdown?: string;
    }
  | { readonly is: "failed"; readonly code: string; readonly message: string };

export type AgentEvent =
  | { readonly type: "status"; readonly text: string }
  | {
      readonly type: "log";
      readonly stream: "stdout" | "stderr";
      readonly text: string;
      /** Set if it is a part of a message too long for one event: other output may come between two parts. */
      readonly isLastPart?: boolean;
    }
  | { readonly type: "message"; readonly text: string }
  | { readonly type: "plan"; readonly entries: readonly string[] }
  | { readonly type: "tool"; readonly name: string; readonly detail: string; readonly isDone: boolean }
  | { readonly type: "file"; readonly path: string; readonly change: "read" | "written" | "removed" }
  | { readonly type: "permission"; readonly id: string; readonly title: string; readonly tool: string }
  | { readonly type: "usage"; readonly inputTokens: number; readonly outputTokens: number; readonly costUsd?: number }
  | { readonly type: "resource"; readonly memoryBytes: number; readonly cpuSeconds: number }
  | { readonly type: "checkpoint"; readonly text: string };
