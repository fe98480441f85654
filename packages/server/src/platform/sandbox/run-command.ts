import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { setTimeout as delay } from "node:timers/promises";
import type { ProcessLimits, ProcessOptions, ProcessOutcome } from "./process-options.ts";
import type { SandboxedProcess } from "./sandboxed-process.ts";

/** A command line of a project, and where and how it runs. */
export interface CommandToRun {
  /** As a person would type it into a shell. */
  readonly command: string;
  readonly folder: string;
  readonly env: Readonly<Record<string, string>>;
  /** Shared with other runs, such as a package cache. */
  readonly writable?: readonly string[];
  /** Told what it writes, as it comes. */
  readonly onOutput?: (text: string) => void;
}

export interface CommandLimits extends ProcessLimits {
  readonly limitMs: number;
  readonly signal: AbortSignal;
}

export interface CommandEnd {
  /** Null when it did not end by itself. */
  readonly exitCode: number | null;
  readonly isTimedOut: boolean;
  /** The last of what it wrote, both streams as they came. */
  readonly output: string;
  readonly outcome: ProcessOutcome;
}

interface Cages {
  cage(options: ProcessOptions): Promise<SandboxedProcess>;
}

const graceMs = 1_000;

/** Runs a command to its end, or ends it and all that it has started. */
export async function runCommand(
  sandbox: Cages,
  { command, folder, env, writable = [], onOutput }: CommandToRun,
  { limitMs, signal, ...limits }: CommandLimits,
): Promise<CommandEnd> {
  const output = new LastOutput(onOutput);
  let outcome: ProcessOutcome = { is: "cancelled" };
  try {
    const cage = await sandbox.cage({
      ...{ runId: randomUUID(), command, folder, env, writable, network: "loopback", graceMs, signal },
      limits: { ...limits, wallMs: limitMs },
    });
    output.collect(cage);
    outcome = await cage.ended;
    await output.isComplete;
  } catch (error) {
    if (!signal.aborted) outcome = output.noteFailure(error as Error);
  }
  const exitCode = outcome.is === "exited" ? outcome.exitCode : null;
  return { exitCode, isTimedOut: outcome.is === "timeout", output: output.text, outcome };
}

/** A command that runs on the host's network, with all that it starts. */
export class RunningCommand {
  /** The exit code; null when a signal ended it. Never fails: a command that cannot be started ends with 127. */
  readonly ended: Promise<number | null>;
  readonly #output: LastOutput;
  readonly #isKilled = new AbortController();
  #cage: SandboxedProcess | undefined;

  constructor(sandbox: Cages, { command, folder, env, writable = [], onOutput }: CommandToRun) {
    this.#output = new LastOutput(onOutput);
    const { signal } = this.#isKilled;
    const options = {
      runId: randomUUID(),
      command,
      folder,
      env,
      writable,
      signal,
      network: "all",
      graceMs: 0,
    } as const;
    this.ended = sandbox.cage(options).then(
      async (cage) => {
        this.#cage = cage;
        this.#output.collect(cage);
        const end = await cage.ended;
        await this.#output.isComplete;
        return end.is === "exited" ? end.exitCode : null;
      },
      (error: Error) => (signal.aborted ? null : this.#output.noteFailure(error).exitCode),
    );
  }

  get output(): string {
    return this.#output.text;
  }

  /** Ends it and all that it has started at once. */
  kill(): void {
    this.#isKilled.abort();
    void this.#cage?.kill({ graceMs: 0 });
  }
}

const maxOutput = 64 * 1024;

/** The end of what a program writes. */
class LastOutput {
  text = "";
  readonly #onOutput: ((text: string) => void) | undefined;
  /** When all is there; it ends at the latest shortly after the program. */
  isComplete: Promise<unknown> = Promise.resolve();

  constructor(onOutput: ((text: string) => void) | undefined) {
    this.#onOutput = onOutput;
  }

  collect({ stdout, stderr, ended }: SandboxedProcess): void {
    const streams = [stdout, stderr];
    for (const stream of streams) stream.setEncoding("utf8").on("data", (text: string) => this.#add(text));
    const late = ended.then(() => delay(1_000, undefined, { ref: false }));
    this.isComplete = Promise.race([Promise.all(streams.map((stream) => once(stream, "end"))), late]);
  }

  noteFailure(error: Error) {
    this.#add(error.message);
    return { is: "exited", exitCode: 127, signal: null } as const;
  }

  #add(text: string): void {
    this.text = (this.text + text).slice(-maxOutput);
    this.#onOutput?.(text);
  }
}
