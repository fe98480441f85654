import type { ChildProcess } from "node:child_process";
import type { Readable, Writable } from "node:stream";
import { setTimeout as delay } from "node:timers/promises";
import { cappedOutput, type OutputBudget } from "./capped-output.ts";
import { endProcesses } from "./end-processes.ts";
import { folderSize, untilTooLarge } from "./folder-size.ts";
import type { ProcessEnd, ProcessLimits, ProcessOutcome } from "./process-options.ts";
import type { ProcessTree } from "./process-tree.ts";
import { breach, firstSight, look, nextLookMs } from "./watch-limits.ts";

interface SandboxedProcessDeps {
  readonly child: ChildProcess;
  readonly tree: ProcessTree;
  readonly limits: ProcessLimits;
  /** Whose size counts. */
  readonly folders: readonly string[];
  readonly onOutputLimit: "kill" | "drop";
  readonly graceMs: number;
  readonly signal: AbortSignal | undefined;
  readonly isHeldUp: (() => boolean) | undefined;
  /** When nothing of the run lives any more. */
  readonly cleanUp: () => Promise<void>;
}

const firstLookMs = 50;

/** A program that runs contained, with all that it starts, until it ends or has to. */
export class SandboxedProcess {
  readonly stdin: Writable | null;
  /** To be read, or resumed: a program that nobody listens to stands still. */
  readonly stdout: Readable;
  readonly stderr: Readable;
  /** When nothing of the run lives any more. */
  readonly ended: Promise<ProcessEnd>;
  readonly #parts: SandboxedProcessDeps;
  readonly #startedAtMs = performance.now();
  readonly #isOver = new AbortController();
  readonly #atOnce = new AbortController();
  readonly #outcome = Promise.withResolvers<ProcessOutcome>();
  readonly #output: OutputBudget;
  #peakMemoryBytes = 0;
  #cpuSeconds = 0;

  constructor(parts: SandboxedProcessDeps) {
    this.#parts = parts;
    const { child, limits, onOutputLimit } = parts;
    const limitBytes = limits.outputBytes ?? Number.POSITIVE_INFINITY;
    this.#output = {
      limitBytes,
      onLimit: onOutputLimit,
      usedBytes: 0,
      lastAtMs: 0,
      onOver: () => this.#onOutputOver(),
    };
    this.stdin = child.stdin?.on("error", () => {}) ?? null;
    this.stdout = child.stdout!.on("error", () => {}).pipe(cappedOutput(this.#output));
    this.stderr = child.stderr!.on("error", () => {}).pipe(cappedOutput(this.#output));
    const onExit = () => this.#outcome.resolve({ is: "exited", exitCode: child.exitCode, signal: child.signalCode });
    child.once("exit", onExit);
    if (child.exitCode !== null || child.signalCode !== null) onExit();
    this.ended = this.#live();
    this.ended.catch(() => undefined);
  }

  get pid(): number {
    return this.#parts.child.pid!;
  }

  /** Cancels it; done when nothing of it lives any more. Without grace, it is struck before this returns. */
  async kill({ graceMs = this.#parts.graceMs }: { graceMs?: number } = {}): Promise<void> {
    this.#outcome.resolve({ is: "cancelled" });
    if (graceMs === 0 && !this.#isCleanedUp) {
      this.#atOnce.abort();
      this.#parts.tree.strike();
    }
    await this.ended;
  }

  #isCleanedUp = false;

  async #live(): Promise<ProcessEnd> {
    const { tree, limits, graceMs, signal, cleanUp } = this.#parts;
    const cancel = () => this.#outcome.resolve({ is: "cancelled" });
    signal?.addEventListener("abort", cancel);
    if (signal?.aborted) cancel();
    const watches = [this.#watchProcesses(), this.#watchTime(limits.wallMs), this.#watchFolders(limits.diskBytes)];
    for (const watch of watches) watch.catch(this.#outcome.reject);
    try {
      let outcome = await this.#outcome.promise;
      this.#isOver.abort();
      await endProcesses(tree, { graceMs: mayCleanUp(outcome) ? graceMs : 0, atOnce: this.#atOnce.signal });
      if (outcome.is === "exited") outcome = (await this.#lastLookAtFolders()) ?? outcome;
      const wallMs = performance.now() - this.#startedAtMs;
      return { ...outcome, use: { peakMemoryBytes: this.#peakMemoryBytes, cpuSeconds: this.#cpuSeconds, wallMs } };
    } catch (error) {
      // Whoever can no longer be watched does not go on.
      await endProcesses(tree, { graceMs: 0, atOnce: this.#atOnce.signal });
      throw error;
    } finally {
      this.#isOver.abort();
      this.#isCleanedUp = true;
      signal?.removeEventListener("abort", cancel);
      await cleanUp();
    }
  }

  async #watchProcesses(): Promise<void> {
    const { tree, limits } = this.#parts;
    let sight = firstSight(performance.now());
    for (let waitMs = firstLookMs; await this.#isOnAfter(waitMs); ) {
      const use = await tree.measure(limits.memoryBytes ?? Number.POSITIVE_INFINITY);
      this.#peakMemoryBytes = Math.max(this.#peakMemoryBytes, use.memoryBytes);
      this.#cpuSeconds = Math.max(this.#cpuSeconds, use.cpuSeconds);
      const atMs = performance.now();
      // Who waits for a reader of ours is not idle.
      const isUnread = this.stdout.readableLength > 0 || this.stderr.readableLength > 0;
      const isHeldUp = isUnread || (this.#parts.isHeldUp?.() ?? false);
      const before = sight;
      sight = look(before, { atMs, use, outputAtMs: isHeldUp ? atMs : this.#output.lastAtMs }, limits);
      const reason = breach(sight, limits);
      if (reason !== undefined) return this.#outcome.resolve(reason);
      waitMs = nextLookMs(before, sight, limits);
    }
  }

  async #watchTime(wallMs: number | undefined): Promise<void> {
    if (wallMs !== undefined && (await this.#isOnAfter(wallMs))) this.#outcome.resolve({ is: "timeout" });
  }

  async #watchFolders(limit: number | undefined): Promise<void> {
    if (limit === undefined || !(await this.#isOnAfter(firstLookMs))) return;
    const used = await untilTooLarge(this.#parts.folders, limit, this.#isOver.signal);
    if (used !== undefined) this.#outcome.resolve({ is: "disk", used, limit });
  }

  /** Whoever is quick has filled the disk before anyone looked. */
  async #lastLookAtFolders(): Promise<ProcessOutcome | undefined> {
    const { diskBytes: limit } = this.#parts.limits;
    if (limit === undefined) return undefined;
    const used = await folderSize(this.#parts.folders, limit);
    return used > limit ? { is: "disk", used, limit } : undefined;
  }

  #onOutputOver(): void {
    if (this.#output.onLimit === "drop") return;
    this.#outcome.resolve({ is: "output", used: this.#output.usedBytes, limit: this.#output.limitBytes });
  }

  async #isOnAfter(ms: number): Promise<boolean> {
    const { signal } = this.#isOver;
    // Longer than a timer can be is for ever.
    await delay(Math.min(ms, 2 ** 31 - 1), undefined, { signal }).catch(() => undefined);
    return !signal.aborted;
  }
}

/** Who takes what others need is ended at once. */
function mayCleanUp(outcome: ProcessOutcome): boolean {
  return outcome.is === "cancelled" || outcome.is === "timeout" || outcome.is === "stalled";
}
