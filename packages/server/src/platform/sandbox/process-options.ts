/** `loopback` is a network of its own, with nobody else in it; `none` has not even that. */
export type Network = "all" | "loopback" | "none";

export interface ProcessLimits {
  /** Of all processes together. */
  readonly memoryBytes?: number;
  readonly cpuCores?: number;
  readonly processes?: number;
  readonly wallMs?: number;
  /** How long it may neither write anything nor compute. */
  readonly idleMs?: number;
  /** Of the folder and what the run keeps in its temporary folders. */
  readonly diskBytes?: number;
  /** Of both streams together. */
  readonly outputBytes?: number;
}

export interface ProcessOptions {
  /** Unique; every process of the run carries it. */
  readonly runId: string;
  /** A program with its arguments, or a line for a shell. Anyone on the machine can read it: no secrets here. */
  readonly command: readonly string[] | string;
  /** The only place that it may change, besides temporary folders of its own. */
  readonly folder: string;
  readonly readable?: readonly string[];
  /** Shared between runs, such as a package cache. */
  readonly writable?: readonly string[];
  /** Added to the few variables that everyone gets; nothing of the service's own environment is passed on. */
  readonly env?: Readonly<Record<string, string>>;
  readonly network?: Network;
  readonly limits?: ProcessLimits;
  /** What happens to a program that writes more than it may. */
  readonly onOutputLimit?: "kill" | "drop";
  readonly stdin?: "ignore" | "pipe";
  /** Whether it waits for somebody else just now: then it is not idle. */
  readonly isHeldUp?: () => boolean;
  /** How long it may clean up when it is asked to end. */
  readonly graceMs?: number;
  /** Cancels it. */
  readonly signal?: AbortSignal;
}

/** How a run ended. */
export type ProcessOutcome =
  | { readonly is: "exited"; readonly exitCode: number | null; readonly signal: NodeJS.Signals | null }
  | { readonly is: "timeout" | "stalled" | "cancelled" }
  | { readonly is: "memory"; readonly usedBytes: number; readonly limitBytes: number }
  | { readonly is: "processes" | "disk" | "output"; readonly used: number; readonly limit: number };

interface ProcessUse {
  /** Shared pages count once for each process, unless the limit was near. */
  readonly peakMemoryBytes: number;
  /** As far as the watch has seen it: short programs seem to have used nothing. */
  readonly cpuSeconds: number;
  readonly wallMs: number;
}

export type ProcessEnd = ProcessOutcome & { readonly use: ProcessUse };
