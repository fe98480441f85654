import type { RunsTogether } from "./runs-together.ts";

/** `loopback` is a network namespace with only a loopback device; `none` has no device at all. */
export type Network = "all" | "loopback" | "none";

/** Threads count too, but less: a Node program has eleven. */
export const threadsPerProcess = 16;

/** What a program and everything it starts may use together. Nothing is started without these limits. */
export interface ResourceLimits {
  readonly memoryBytes: number;
  readonly cpuCores: number;
  readonly processes: number;
  /** Of the folder and the temporary folders of the run, and of what it adds to folders that it shares. */
  readonly diskBytes: number;
}

export interface ProcessLimits extends ResourceLimits {
  readonly wallMs?: number;
  /** How long it may neither write output nor use the CPU. */
  readonly idleMs?: number;
  /** Of both streams together. */
  readonly outputBytes?: number;
  /** Of both streams together; a program that writes faster waits until it is read. */
  readonly outputBytesPerSecond?: number;
}

/** Whose files a run works on: those of all runs with the same name. */
export interface RunAccount {
  readonly name: string;
  /** The account's own folders, which it may change beside that of the run. */
  readonly folders: readonly string[];
  /** The run only reads what the account's others wrote: that does not count as its own. */
  readonly isReader?: true;
}

/** The user of an account, while a run of it lasts. */
export interface HeldAccount {
  readonly uid: number;
  readonly gid: number;
  release(): void;
}

export interface ProcessOptions {
  /** Unique; every process of the run carries it in its environment. */
  readonly runId: string;
  /** A program with its arguments, or a line for a shell. Every user of the machine can read it: no secrets here. */
  readonly command: readonly string[] | string;
  /** The only folder that it may change, besides its own temporary folders; left out: one of these. */
  readonly folder?: string;
  /**
   * Where in the folder it begins; left out: in the folder itself. Whoever may change the folder may put a link there: it is
   * followed inside the sandbox, and nothing of it is given to the run.
   */
  readonly startsIn?: string;
  readonly readable?: readonly string[];
  /** Shared between runs, such as a package cache. */
  readonly writable?: readonly string[];
  /** Runs of one account can change each other's files, also after a restart; left out: an account of its own. */
  readonly account?: RunAccount;
  /** Added to the few variables that every process gets. The service never passes on its own environment. */
  readonly env?: Readonly<Record<string, string>>;
  readonly network?: Network;
  readonly limits: ProcessLimits;
  /** Runs that share the limits of memory, processes and cores; left out: it has them alone. */
  readonly together?: RunsTogether;
  /** What happens to a program that exceeds `outputBytes`. */
  readonly onOutputLimit?: "kill" | "drop";
  readonly stdin?: "ignore" | "pipe";
  /** Whether it waits for somebody else just now, and so does not count as idle. */
  readonly isHeldUp?: () => boolean;
  /** How long it may clean up after SIGTERM. */
  readonly graceMs?: number;
  /** Cancels it. */
  readonly signal?: AbortSignal;
}

/** How a run ended. */
export type ProcessOutcome =
  | { readonly is: "exited"; readonly exitCode: number | null; readonly signal: NodeJS.Signals | null }
  | { readonly is: "timeout" | "stalled" | "cancelled" }
  | { readonly is: "memory"; readonly usedBytes: number; readonly limitBytes: number }
  | {
      readonly is: "processes" | "files" | "sockets" | "terminals" | "watches" | "notifiers" | "mappings" | "output";
      readonly used: number;
      readonly limit: number;
    }
  /** It had more processes and threads than all others might still start. */
  | { readonly is: "crowd"; readonly used: number }
  /** So many of its processes hid what they had open, which could not be counted. */
  | { readonly is: "hidden"; readonly used: number }
  | DiskOutcome;

/** A run took more of the disk than it may, or what was to be left of it. */
export type DiskOutcome =
  | { readonly is: "disk"; readonly used: number; readonly limit: number }
  | { readonly is: "full_disk"; readonly used: number };

interface ProcessUse {
  /** Counts shared pages once for each process, unless the limit was near. */
  readonly peakMemoryBytes: number;
  /** As measured by the watch, which misses short programs. */
  readonly cpuSeconds: number;
  readonly wallMs: number;
}

export type ProcessEnd = ProcessOutcome & { readonly use: ProcessUse };
