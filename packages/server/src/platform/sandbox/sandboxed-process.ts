import type { ChildProcess } from "node:child_process";
import type { Readable, Transform, Writable } from "node:stream";
import { setTimeout as delay } from "node:timers/promises";
import { hearWhatCame } from "../hear-what-came.ts";
import { cappedOutput, type OutputBudget } from "./capped-output.ts";
import type { DiskWatch } from "./disk-watch.ts";
import { endProcesses } from "./end-processes.ts";
import type { ProcessEnd, ProcessLimits, ProcessOutcome } from "./process-options.ts";
import type { ProcessTree } from "./process-tree.ts";
import { OutputPipe, type ProgramStreams } from "./program-streams.ts";
import { breach, firstObservation, nextCheckMs, observe } from "./watch-limits.ts";

interface SandboxedProcessDeps {
  readonly child: ChildProcess;
  readonly streams: Pick<ProgramStreams, "stdin" | "stdout" | "stderr">;
  readonly tree: ProcessTree;
  readonly limits: ProcessLimits;
  /** Begun before the program. */
  readonly disk: DiskWatch;
  readonly onOutputLimit: "kill" | "drop";
  readonly graceMs: number;
  readonly signal: AbortSignal | undefined;
  readonly isHeldUp: (() => boolean) | undefined;
  /** Called when no process of the run is left. */
  readonly cleanUp: () => Promise<void>;
}

const firstCheckMs = 50;
/** A disk that does not answer must not hold up the end. */
const maxEndCheckMs = 30_000;

/** A program in the sandbox, with all processes it starts, until it ends or breaks a limit. */
export class SandboxedProcess {
  readonly stdin: Writable | null;
  /** Must be read or resumed: otherwise the program blocks on writing. */
  readonly stdout: Readable;
  readonly stderr: Readable;
  /** Which limit it broke, before its processes are ended, which may take long; undefined if none. Never rejects. */
  readonly broken: Promise<ProcessOutcome | undefined>;
  /** Resolves when no process of the run is left. */
  readonly ended: Promise<ProcessEnd>;
  readonly #deps: SandboxedProcessDeps;
  readonly #startedAtMs = performance.now();
  readonly #isOver = new AbortController();
  readonly #atOnce = new AbortController();
  readonly #outcome = Promise.withResolvers<ProcessOutcome>();
  readonly #output: OutputBudget;
  /** What the program's streams are passed on to. */
  readonly #passedOn: readonly (readonly [from: Readable, to: Transform])[];
  #peakMemoryBytes = 0;
  #cpuSeconds = 0;
  /** Of those that are still there, and of all that share its limits. */
  #presentCpuSeconds = 0;

  constructor(deps: SandboxedProcessDeps) {
    this.#deps = deps;
    const { child, streams, limits, onOutputLimit } = deps;
    const limitBytes = limits.outputBytes ?? Number.POSITIVE_INFINITY;
    this.#output = {
      limitBytes,
      bytesPerSecond: limits.outputBytesPerSecond,
      paidUntilMs: 0,
      onLimit: onOutputLimit,
      usedBytes: 0,
      lastAtMs: 0,
      waiting: undefined,
      onOver: () => this.#onOutputOver(),
    };
    this.stdin = streams.stdin?.on("error", () => {}) ?? null;
    const passOn = (from: Readable) => from.on("error", () => {}).pipe(cappedOutput(this.#output));
    const [stdout, stderr] = [passOn(streams.stdout), passOn(streams.stderr)];
    this.stdout = stdout;
    this.stderr = stderr;
    this.#passedOn = [
      [streams.stdout, stdout],
      [streams.stderr, stderr],
    ];
    const onExit = () => {
      streams.stdin?.destroy();
      this.#outcome.resolve({ is: "exited", exitCode: child.exitCode, signal: child.signalCode });
    };
    child.once("exit", onExit);
    if (child.exitCode !== null || child.signalCode !== null) onExit();
    this.broken = this.#outcome.promise.then(
      (outcome) => (outcome.is === "exited" || outcome.is === "cancelled" ? undefined : outcome),
      () => undefined,
    );
    this.ended = this.#live();
    this.ended.catch(() => undefined);
  }

  get pid(): number {
    return this.#deps.child.pid!;
  }

  /** It ended or was ended, though processes of the run may be left. */
  get isOver(): boolean {
    return this.#isOver.signal.aborted;
  }

  /** Whether it listens on a port of its network, rather than others; undefined where that cannot be seen. */
  listensAt(port: number): Promise<boolean | undefined> {
    return this.#deps.tree.listensAt(port);
  }

  /** The ports of its network at which it listens, as far as they can be seen. */
  ports(): Promise<readonly number[]> {
    return this.#deps.tree.ports();
  }

  /** Cancels the run; resolves when no process of it is left. Without grace, SIGKILL is sent before this returns. */
  async kill({ graceMs = this.#deps.graceMs }: { graceMs?: number } = {}): Promise<void> {
    if (!this.isOver) this.#killGraceMs = graceMs;
    this.#outcome.resolve({ is: "cancelled" });
    if (graceMs === 0 && !this.#isKilled) {
      this.#atOnce.abort();
      this.#deps.tree.kill();
    }
    await this.ended;
  }

  /** Nothing of the run is left, or does anything more on its own. */
  #isKilled = false;
  /** What who ended it grants, in place of what it was started with. */
  #killGraceMs: number | undefined;

  async #live(): Promise<ProcessEnd> {
    const { limits, graceMs, signal, cleanUp } = this.#deps;
    const cancel = () => this.#outcome.resolve({ is: "cancelled" });
    signal?.addEventListener("abort", cancel);
    if (signal?.aborted) cancel();
    const watches = [this.#watchProcesses(), this.#watchTime(limits.wallMs), this.#watchFolders()];
    for (const watch of watches) watch.catch(this.#outcome.reject);
    try {
      let outcome = await this.#outcome.promise;
      this.#isOver.abort();
      const grantedMs = this.#killGraceMs ?? graceMs;
      await this.#endProcesses(mayCleanUp(outcome) ? grantedMs : 0);
      if (outcome.is === "exited") outcome = (await this.#checkFoldersAtEnd()) ?? outcome;
      const wallMs = performance.now() - this.#startedAtMs;
      return { ...outcome, use: { peakMemoryBytes: this.#peakMemoryBytes, cpuSeconds: this.#cpuSeconds, wallMs } };
    } catch (error) {
      // A run that cannot be watched must not go on.
      await this.#endProcesses(0);
      throw error;
    } finally {
      this.#isOver.abort();
      this.#endOutput();
      signal?.removeEventListener("abort", cancel);
      await cleanUp();
    }
  }

  async #endProcesses(graceMs: number): Promise<void> {
    const { tree } = this.#deps;
    await endProcesses(tree, { graceMs, atOnce: this.#atOnce.signal });
    this.#isKilled = true;
    // Before the disks are looked at, which may take long.
    tree.leaveCrowd();
  }

  async #watchProcesses(): Promise<void> {
    const { tree, limits } = this.#deps;
    let observation = firstObservation(performance.now());
    for (let waitMs = firstCheckMs; await this.#isRunningAfter(waitMs); ) {
      const use = await tree.measure(limits);
      this.#peakMemoryBytes = Math.max(this.#peakMemoryBytes, use.memoryBytes);
      this.#cpuSeconds = Math.max(this.#cpuSeconds, use.cpuSeconds);
      this.#presentCpuSeconds = use.cpuSeconds;
      const atMs = performance.now();
      // A program that waits for the service to read its output is not idle.
      const isUnread = this.stdout.readableLength > 0 || this.stderr.readableLength > 0;
      const isHeldUp = isUnread || (this.#deps.isHeldUp?.() ?? false);
      const before = observation;
      observation = observe(before, { atMs, use, outputAtMs: isHeldUp ? atMs : this.#output.lastAtMs }, limits);
      const reason = breach(observation, limits);
      if (reason !== undefined) return this.#outcome.resolve(reason);
      waitMs = nextCheckMs(before, observation, limits);
    }
  }

  async #watchTime(wallMs: number | undefined): Promise<void> {
    if (wallMs !== undefined && (await this.#isRunningAfter(wallMs))) this.#outcome.resolve({ is: "timeout" });
  }

  async #watchFolders(): Promise<void> {
    const { signal } = this.#isOver;
    if (!(await this.#isRunningAfter(firstCheckMs))) return;
    const outcome = await this.#deps.disk.waitUntilTooLarge(signal, () => this.#presentCpuSeconds);
    if (outcome !== undefined) this.#outcome.resolve(outcome);
  }

  /** A quick program fills the disk between two checks. */
  async #checkFoldersAtEnd(): Promise<ProcessOutcome | undefined> {
    return (await this.#deps.disk.look(AbortSignal.timeout(maxEndCheckMs), { isOver: true })).outcome;
  }

  /** Also where somebody else holds it, to whom a process of the run has sent it. */
  #endOutput(): void {
    for (const [from, to] of this.#passedOn) {
      if (!(from instanceof OutputPipe) || to.writableEnded) continue;
      from.unpipe(to);
      to.end(from.takeRest());
    }
  }

  #onOutputOver(): void {
    if (this.#output.onLimit === "drop") return;
    this.#outcome.resolve({ is: "output", used: this.#output.usedBytes, limit: this.#output.limitBytes });
  }

  async #isRunningAfter(ms: number): Promise<boolean> {
    const { signal } = this.#isOver;
    // A timer cannot be longer; 24 days are as good as for ever.
    await delay(Math.min(ms, 2 ** 31 - 1), undefined, { signal }).catch(() => undefined);
    await hearWhatCame();
    return !signal.aborted;
  }
}

/** A run that exceeds memory, disk or processes gets no grace: others need what it takes. */
function mayCleanUp(outcome: ProcessOutcome): boolean {
  return outcome.is === "cancelled" || outcome.is === "timeout" || outcome.is === "stalled";
}
