import type { ChildProcess } from "node:child_process";
import { setTimeout as delay } from "node:timers/promises";
import {
  breachOfHeld,
  descendantsOf,
  heldBy,
  MappingCounter,
  type MemoryGroup,
  measureCost,
  memoryGroupOf,
  memoryKillsIn,
  memoryKillsOfMachine,
  ownMemory,
  type ProcessOutcome,
  readStat,
  roomOn,
  type Stat,
  takenBetween,
  threadsPerProcess,
} from "../../platform/sandbox/index.ts";

interface ToWatch {
  readonly memoryBytes: number;
  readonly processes: number;
  /** Where the engine keeps what a build makes: the last of that disk is kept for the service. */
  readonly storage: string;
}

const lookAgainMs = 100;
/** Listing what the steps of a build have open is slower than counting them. */
const heldKnownMs = 1_000;
/** How soon after its end the engine may remove the control group of a step. */
const groupKnownMs = 25;
/** The processes of a step are in the same one; some of the first may be the engine's. */
const maxAskedForGroup = 16;
/**
 * What the engine's programs may have in any case: an honest build takes 100 MB, and as much again for each archive that it
 * unpacks or layer that it fetches.
 */
const leastEngineBytes = 512 * 2 ** 20;

/** Watches what an engine's program and the steps of its build use, until it ends or a limit is broken. */
export class BuildWatch {
  readonly #child: ChildProcess;
  readonly #limits: ToWatch;
  /** The control group of the last step that was seen, and how many processes of it the kernel has ended. */
  #ofStep: { readonly group: MemoryGroup; readonly kills: number } | undefined;
  readonly #killsBefore = memoryKillsOfMachine() ?? 0;

  constructor(child: ChildProcess, limits: ToWatch) {
    this.#child = child;
    this.#limits = limits;
  }

  /** Calls back for each limit that is broken. Rejects when nobody can watch any more. */
  async begin(exceed: (outcome: ProcessOutcome) => void): Promise<void> {
    const { pid } = this.#child;
    if (pid === undefined) return;
    await Promise.all([this.#watchProcesses(pid, exceed), this.#watchHeld(pid, exceed), this.#watchRoom(exceed)]);
  }

  /**
   * Whether a step failed for its memory, by what the engine said last. The engine removes the step's control group soon after
   * its end: on a busy machine nobody may have seen who was killed in it, and then a kill of that time has to do.
   */
  whyStepFailed(said: string): ProcessOutcome | undefined {
    const status = /\bexit status (\d+)/.exec(said)?.[1];
    const isKilled = status === "137" && (memoryKillsOfMachine() ?? 0) > this.#killsBefore;
    // What copies files fails without a status, though an earlier step may have outlived the end of a program.
    const isSeen = status !== undefined && this.#ofStep !== undefined && this.#ofStep.kills > 0;
    const { memoryBytes } = this.#limits;
    return isKilled || isSeen ? { is: "memory", usedBytes: memoryBytes, limitBytes: memoryBytes } : undefined;
  }

  /**
   * Builders cannot limit how many processes a step starts, and the kernel does not where it is root: they are counted. What
   * the engine's own programs take while they unpack archives of the project is not in the step's control group.
   */
  async #watchProcesses(pid: number, exceed: (outcome: ProcessOutcome) => void): Promise<void> {
    const { processes: limit, memoryBytes } = this.#limits;
    const limitBytes = Math.max(memoryBytes, leastEngineBytes);
    for (let pauseMs = lookAgainMs; !this.#isOver; ) {
      await this.#pause(pauseMs);
      const start = performance.now();
      const { engine, steps } = processesOf(pid);
      const counts = steps.map(({ threads }) => Math.max(1, Math.floor(threads / threadsPerProcess)));
      const used = counts.reduce((sum, count) => sum + count, 0);
      if (used > limit) return exceed({ is: "processes", used, limit });
      const usedBytes = ownMemory(engine);
      if (usedBytes > limitBytes) {
        exceed({ is: "memory", usedBytes, limitBytes });
        // The others have been killed by now. It is asked to clean up, but what it takes itself would grow meanwhile.
        if (ownMemory(engine.slice(0, 1)) > limitBytes) this.#child.kill("SIGKILL");
        return;
      }
      this.#findGroup(steps, pid);
      // At most a twentieth of the time goes into it.
      pauseMs = Math.max(lookAgainMs, 20 * (performance.now() - start));
    }
  }

  /** Waits, and counts what the kernel ends meanwhile. */
  async #pause(ms: number): Promise<void> {
    for (const until = performance.now() + ms; !this.#isOver && performance.now() < until; ) {
      await delay(Math.min(ms, groupKnownMs), undefined, { ref: false });
      this.#countKills();
    }
  }

  #countKills(): void {
    const known = this.#ofStep;
    // Of a group that is gone, what was seen last counts.
    if (known !== undefined) this.#ofStep = { ...known, kills: memoryKillsIn(known.group) ?? known.kills };
  }

  /** Engines give each step a control group of its own; where one has none, that of the engine says nothing about it. */
  #findGroup(steps: readonly Stat[], pid: number): void {
    const ofEngine = memoryGroupOf(pid);
    for (const step of steps.slice(0, maxAskedForGroup)) {
      const group = memoryGroupOf(step.pid);
      if (group === undefined || group.killsPath === ofEngine?.killsPath) continue;
      if (group.killsPath !== this.#ofStep?.group.killsPath) this.#ofStep = { group, kills: 0 };
      return;
    }
  }

  /** Its steps share the machine's open files, ports and terminals with everybody, and take memory of the kernel. */
  async #watchHeld(pid: number, exceed: (outcome: ProcessOutcome) => void): Promise<void> {
    const counter = new MappingCounter();
    for (let pauseMs = heldKnownMs; !this.#isOver; ) {
      await delay(pauseMs, undefined, { ref: false });
      const cost = measureCost();
      const broken = breachOfHeld(await heldBy(processesOf(pid).steps, counter));
      if (broken !== undefined) return exceed(broken);
      pauseMs = Math.max(heldKnownMs, 20 * cost());
    }
  }

  /** Builders cannot limit disk either, and nobody knows what of it is whose: a build that sees the last of it go is ended. */
  async #watchRoom(exceed: (outcome: ProcessOutcome) => void): Promise<void> {
    const { storage } = this.#limits;
    const over = new AbortController();
    this.#child.once("close", () => over.abort());
    let atFirst = await roomOn(storage, over.signal);
    while (!this.#isOver && !over.signal.aborted) {
      const now = await roomOn(storage, over.signal);
      if (!atFirst.isKnown) atFirst = now;
      const used = takenBetween(atFirst, now);
      if (now.isLow && used > now.spareBytes) return exceed({ is: "full_disk", used });
      await delay(lookAgainMs, undefined, { ref: false });
    }
  }

  get #isOver(): boolean {
    const { exitCode, signalCode } = this.#child;
    return exitCode !== null || signalCode !== null;
  }
}

/** What the steps of a build have started is in sessions of its own; what is in that of the engine's program is the engine's. */
function processesOf(pid: number): { readonly engine: readonly Stat[]; readonly steps: readonly Stat[] } {
  const first = readStat(pid);
  const [engine, steps] = [first === undefined ? [] : [first], [] as Stat[]];
  for (const one of descendantsOf(pid)) (one.session === pid ? engine : steps).push(one);
  return { engine, steps };
}
