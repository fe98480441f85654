import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { setTimeout as delay } from "node:timers/promises";
import { hearWhatCame } from "../hear-what-came.ts";
import { wholeEnd } from "../one-line.ts";
import { JoinedStreams } from "./joined-streams.ts";
import type { Network, ProcessLimits, ProcessOptions, ProcessOutcome, RunAccount } from "./process-options.ts";
import type { SandboxedProcess } from "./sandboxed-process.ts";

/** A command line, and where and how to run it. */
export interface CommandToRun {
  /** As a person would type it into a shell. */
  readonly command: string;
  /** Only the service decides what is at this path: links in it are followed. */
  readonly folder: string;
  /** Where in the folder it begins, for what programs may have changed; left out: in the folder itself. */
  readonly startsIn?: string;
  readonly env: Readonly<Record<string, string>>;
  /** Shared with other runs, such as a package cache. */
  readonly writable?: readonly string[];
  readonly account?: RunAccount;
  /** Masks the output that is returned, but not the pieces; without one it is returned as it is. */
  readonly masker?: OutputMasker;
  /** Called with each piece of output. */
  readonly onOutput?: (text: string) => void;
  /** Given to it on standard input. */
  readonly stdin?: string;
  /** By default a network of its own; `all` reaches programs that the service has started. */
  readonly network?: Network;
}

/** Takes secrets out of a text that comes in parts. */
export interface OutputMasker {
  pushInSlices(chunk: string): Promise<string>;
  end(): string;
  maskEnd(text: string, maxChars: number): Promise<string>;
}

export interface CommandLimits extends ProcessLimits {
  readonly limitMs: number;
  readonly signal: AbortSignal;
}

export interface CommandEnd {
  /** Null when it did not end by itself. */
  readonly exitCode: number | null;
  readonly isTimedOut: boolean;
  /** The end of its output, both streams interleaved as they came. */
  readonly output: string;
  /** Whether it printed more than that. */
  readonly isCut: boolean;
  /** The end of each stream, not masked. */
  readonly stdout: string;
  readonly stderr: string;
  readonly isStdoutCut: boolean;
  /** The same, masked: a line of a stream that is masked for itself may be a part of a secret. */
  readonly told: { readonly stdout: string; readonly stderr: string };
  readonly outcome: ProcessOutcome;
  /** Nothing but the programs of its own run could be reached. */
  readonly isOffline: boolean;
  readonly wallMs: number;
  readonly peakMemoryBytes: number;
}

/** A program with all processes it starts, wherever it runs. */
export type RunningProcess = Pick<SandboxedProcess, "stdin" | "stdout" | "stderr" | "ended" | "isOver" | "kill"> &
  Partial<Pick<SandboxedProcess, "listensAt" | "ports">>;

/** What starts programs: the sandbox, or what contains them in another way. */
interface ProcessStarter {
  startProcess(options: ProcessOptions): Promise<RunningProcess>;
  /** Of the sandbox: plain processes have the network of the service, whatever they are to have. */
  readonly found?: { readonly kind: "bubblewrap" | "plain" };
}

const graceMs = 1_000;

/** Runs a command until it ends or breaks a limit; then ends everything it started. */
export async function runCommand(
  sandbox: ProcessStarter,
  {
    command,
    folder,
    startsIn,
    env,
    writable = [],
    account,
    masker,
    onOutput,
    stdin,
    network = "loopback",
  }: CommandToRun,
  { limitMs, signal, ...limits }: CommandLimits,
): Promise<CommandEnd> {
  const output = new LastOutput(onOutput);
  let outcome: ProcessOutcome = { is: "cancelled" };
  let use = { wallMs: 0, peakMemoryBytes: 0 };
  try {
    const child = await sandbox.startProcess({
      ...{ runId: randomUUID(), command, folder, env, writable, network, graceMs, signal },
      ...(account && { account }),
      ...(startsIn !== undefined && { startsIn }),
      stdin: stdin === undefined ? "ignore" : "pipe",
      limits: { ...limits, wallMs: limitMs },
    });
    output.collect(child);
    child.stdin?.end(stdin);
    ({ use, ...outcome } = await child.ended);
    await output.isComplete;
    output.close();
  } catch (error) {
    if (!signal.aborted) outcome = output.noteFailure(error as Error);
  }
  const exitCode = outcome.is === "exited" ? outcome.exitCode : null;
  const { wallMs, peakMemoryBytes } = use;
  const [stdout, stderr] = [output.endOf("stdout"), output.endOf("stderr")];
  const told = { stdout: await output.toldOf("stdout", masker), stderr: await output.toldOf("stderr", masker) };
  const ended = { exitCode, isTimedOut: outcome.is === "timeout", outcome, wallMs, peakMemoryBytes };
  const { isCut, isStdoutCut } = output;
  const isOffline = network !== "all" && sandbox.found?.kind !== "plain";
  return { ...ended, isOffline, output: await output.end(masker), isCut, stdout, stderr, isStdoutCut, told };
}

/** A running command on the host's network, with all processes it starts. */
export class RunningCommand {
  /** Never rejects: a command that cannot be started ends with 127. */
  readonly ended: Promise<ProcessOutcome>;
  readonly #output: LastOutput;
  readonly #masker: OutputMasker | undefined;
  readonly #isKilled = new AbortController();
  #process: RunningProcess | undefined;
  #peakMemoryBytes = 0;

  constructor(
    sandbox: ProcessStarter,
    { command, folder, startsIn, env, writable = [], account, masker, onOutput }: CommandToRun,
    limits: ProcessLimits,
  ) {
    this.#masker = masker;
    this.#output = new LastOutput(onOutput);
    const { signal } = this.#isKilled;
    const options = { runId: randomUUID(), command, folder, env, writable, signal, limits } as const;
    const place = { ...(startsIn !== undefined && { startsIn }), ...(account && { account }) };
    const starting = sandbox.startProcess({ ...options, ...place, network: "all", graceMs: 0 });
    this.ended = this.#live(starting);
  }

  /** The end of its output so far. */
  output(): Promise<string> {
    return this.#output.end(this.#masker);
  }

  /** It ended; `ended` tells how as soon as all processes it started are gone. */
  get isOver(): boolean {
    return this.#process?.isOver ?? false;
  }

  /** Whether it listens on a port, rather than others; undefined where that cannot be seen. */
  async listensAt(port: number): Promise<boolean | undefined> {
    // Before it has started, whoever answers is another.
    return this.#process === undefined ? false : this.#process.listensAt?.(port);
  }

  /** The ports at which it listens, as far as they can be seen. */
  async ports(): Promise<readonly number[]> {
    return (await this.#process?.ports?.()) ?? [];
  }

  /** The most memory that it and all processes it started have used; known when it has ended. */
  get peakMemoryBytes(): number {
    return this.#peakMemoryBytes;
  }

  /** Kills it and all processes it started, without grace. */
  kill(): void {
    this.#isKilled.abort();
    void this.#process?.kill({ graceMs: 0 }).catch(() => undefined);
  }

  /** Asks it to end and kills what is left after the grace; resolves when nothing is. */
  async stop(graceMs: number): Promise<void> {
    if (this.#process === undefined) this.kill();
    else await this.#process.kill({ graceMs }).catch(() => undefined);
    await this.ended;
  }

  async #live(starting: Promise<RunningProcess>): Promise<ProcessOutcome> {
    try {
      this.#process = await starting;
      this.#output.collect(this.#process);
      const { use, ...outcome } = await this.#process.ended;
      this.#peakMemoryBytes = use.peakMemoryBytes;
      await this.#output.isComplete;
      this.#output.close();
      return outcome;
    } catch (error) {
      return this.#isKilled.signal.aborted ? { is: "cancelled" } : this.#output.noteFailure(error as Error);
    }
  }
}

const maxOutputChars = 64 * 1024;
/** Kept before the output that is returned: a secret that begins there is masked to its end. */
const contextChars = 64 * 1024;

/** The end of a program's output. */
class LastOutput {
  #text = "";
  readonly #own = { stdout: "", stderr: "" };
  readonly #onOutput: ((text: string) => void) | undefined;
  readonly #streams = new JoinedStreams((text) => this.#add(text));
  /** Resolves when the output is complete, or when the process has ended and a second brings no more. */
  isComplete: Promise<unknown> = Promise.resolve();
  #pieces = 0;
  #chars = 0;
  #stdoutChars = 0;

  constructor(onOutput: ((text: string) => void) | undefined) {
    this.#onOutput = onOutput;
  }

  collect({ stdout, stderr, ended }: RunningProcess): void {
    const streams = [stdout, stderr];
    stdout.setEncoding("utf8").on("data", (text: string) => {
      this.#note("stdout", text);
      this.#stdoutChars += text.length;
    });
    stderr.setEncoding("utf8").on("data", (text: string) => this.#note("stderr", text));
    const late = ended.catch(() => undefined).then(() => this.#untilSilent());
    this.isComplete = Promise.race([Promise.all(streams.map((stream) => once(stream, "end"))), late]);
  }

  get isCut(): boolean {
    return this.#chars > maxOutputChars;
  }

  get isStdoutCut(): boolean {
    return this.#stdoutChars > maxOutputChars;
  }

  /** What the program wrote last may wait for its turn. */
  async #untilSilent(): Promise<void> {
    for (let before = -1; before !== this.#pieces; ) {
      before = this.#pieces;
      await delay(1_000, undefined, { ref: false });
      await hearWhatCame();
    }
  }

  /** No more comes: what began a line that has no end counts as it is. */
  close(): void {
    this.#streams.end();
  }

  /** The end of a stream, as it is. */
  endOf(name: "stdout" | "stderr"): string {
    return wholeEnd(this.#own[name], maxOutputChars);
  }

  async toldOf(name: "stdout" | "stderr", masker: OutputMasker | undefined): Promise<string> {
    const end = this.endOf(name);
    return masker === undefined ? end : masker.maskEnd(this.#own[name], end.length);
  }

  noteFailure(error: Error) {
    this.close();
    this.#add(error.message);
    return { is: "exited", exitCode: 127, signal: null } as const;
  }

  async end(masker: OutputMasker | undefined): Promise<string> {
    const all = this.#text + this.#streams.rest;
    const text = wholeEnd(all, maxOutputChars);
    if (masker === undefined) return text;
    const before = all.slice(0, all.length - text.length);
    await masker.pushInSlices(before.slice(-contextChars));
    return wholeEnd((await masker.pushInSlices(text)) + masker.end(), maxOutputChars);
  }

  #note(name: "stdout" | "stderr", text: string): void {
    this.#pieces += 1;
    this.#chars += text.length;
    this.#own[name] = keptEnd(this.#own[name] + text);
    this.#streams.add(name, text);
  }

  #add(text: string): void {
    this.#text = keptEnd(this.#text + text);
    this.#onOutput?.(text);
  }
}

/** What may still be asked for. Not cut each time: to cut off its beginning, the text is copied. */
function keptEnd(text: string): string {
  const kept = maxOutputChars + contextChars;
  return text.length > 2 * kept ? text.slice(-kept) : text;
}
