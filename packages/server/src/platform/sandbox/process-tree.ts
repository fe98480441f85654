import { setTimeout as delay } from "node:timers/promises";
import { exactMemory, type PlainMemory, sharingCopies, untilExecuted } from "./exact-memory.ts";
import { forkDepths } from "./fork-depths.ts";
import { listensAt } from "./listening-sockets.ts";
import { measureCost } from "./look-cost.ts";
import { MappingCounter } from "./mapping-counter.ts";
import { networkSockets } from "./network-sockets.ts";
import { isGroupAlive, signalGroup } from "./process-group.ts";
import { anonymousIn, isOutrun, openFiles, residentIn, statusOf } from "./process-memory.ts";
import { type ProcessLimits, threadsPerProcess } from "./process-options.ts";
import { isAlive, type Process, readStat, type Stat, signalProcess, ticksPerSecond } from "./process-stat.ts";
import { ProcessTable } from "./process-table.ts";
import type { RunsTogether } from "./runs-together.ts";
import { sandboxTerminals } from "./sandbox-terminals.ts";
import { SessionPriority } from "./session-priority.ts";
import { sharedFolderBytes, sharedFolderDevice } from "./shared-memory-folder.ts";
import { noShares, stillShared } from "./shared-pages.ts";
import { findUnnamedFiles } from "./unnamed-files.ts";
import { maxMappings, maxWatches, noUse } from "./watch-limits.ts";

export interface TreeUse {
  readonly memoryBytes: number;
  readonly cpuSeconds: number;
  readonly processes: number;
  /** Open ones, of all processes together. */
  readonly files: number;
  readonly sockets: number;
  /** Pseudo terminals that it has made. */
  readonly terminals: number;
  /** How many files it waits for. */
  readonly watches: number;
  /** Instances of inotify that it has open. */
  readonly notifiers: number;
  /** Of memory, of all processes together. */
  readonly mappings: number;
  /** Processes that do not let us see what they have open. */
  readonly hidden: number;
  /** How long the exact measurement took. */
  readonly costMs: number;
}

/** Above this share of the limit, shared pages count only once. */
const exactAboveShare = 0.7;
/** The amount of shared memory changes slowly; new memory mostly belongs to one process. */
const sharedKnownMs = 2_000;
/** What smaller processes share does not matter, unless they are many. */
const smallBytes = 8 << 20;
const smallShare = 0.1;
/** Listing the open files of all processes is slower than reading their sizes. */
const memoryFilesKnownMs = 1_000;
/** A program that works may take a million of what is counted there in this time, or fill all that it shared before. */
const whileBusyKnownMs = 250;
const busyCpuSeconds = 0.1;
/** Runs that are measured at the same moment share one list of processes. */
const listAgeMs = 20;

/** The exact measurement waits for processes that fork or that have no core; meanwhile the others are watched. */
const exactPatienceMs = 250;
/** When it takes longer, what the kernel tells at once is judged: a program can make every read of its memory wait. */
const exactLateMs = 1_000;

interface TreeOptions {
  readonly runId: string;
  readonly root: number;
  readonly together: RunsTogether;
  /** Whether no process can leave it unseen. */
  readonly isConfined: boolean;
}

/** All processes of one run, including those that left its process group. */
export class ProcessTree {
  readonly #table: ProcessTable;
  readonly #together: RunsTogether;
  readonly #runId: string;
  readonly #root: number;
  readonly #isConfined: boolean;
  readonly #signalled = new Set<string>();
  readonly #sessionPriority = new SessionPriority();
  readonly #mappingCounter = new MappingCounter();
  /** Of its own processes alone, not of all that share limits with it. */
  readonly #ownMappingCounter = new MappingCounter();
  /** What processes shared at the last exact measurement. */
  #shares = noShares;
  /** What they had of files in memory. */
  #mappedBytes = 0;
  /** Until when that is not doubted: a program that makes exact measurements slow must not keep us at them. */
  #undoubtedUntilMs = Number.NEGATIVE_INFINITY;
  #sharedUntilMs = Number.NEGATIVE_INFINITY;
  /** While the run works, until when that is known. */
  #sharedWhileBusyUntilMs = Number.NEGATIVE_INFINITY;
  /** What the run had used when it began. */
  #sharedAtCpuSeconds = 0;
  /** The exact measurement that goes on. */
  #exact: Promise<number> | undefined;
  #exactSinceMs = 0;
  /** What one has found that ended after the look that waited for it: a run that forks all the time makes each one late. */
  #foundLate: number | undefined;
  #inMemoryBytes = 0;
  #sockets = 0;
  #terminals = 0;
  #watches = 0;
  #notifiers = 0;
  #mappings = 0;
  #hidden = 0;
  #hiddenTwice = 0;
  /** When they are looked for again: at most a tenth of the time goes into it, or a fifth while the run works. */
  #inMemoryUntilMs = 0;
  #whileBusyUntilMs = 0;
  /** What the run had used when they were looked for. */
  #lookedAtCpuSeconds = 0;
  readonly #rootProcess: Process | undefined;
  #namespaceInit: Process | undefined;

  constructor(table: ProcessTable, { runId, root, together, isConfined }: TreeOptions) {
    this.#isConfined = isConfined;
    this.#together = together;
    together.trees.add(this);
    this.#table = table;
    this.#runId = runId;
    this.#root = root;
    if (ProcessTable.isSupported) this.#rootProcess = table.watch(runId, root);
  }

  /** The first process of a process namespace: when it dies, the kernel kills everything in the namespace. */
  set namespaceInit(init: Process) {
    if (this.#rootProcess !== undefined) this.#namespaceInit = init;
  }

  #findLiving() {
    return ProcessTable.isSupported ? this.#table.find(this.#runId).filter(({ isDead }) => !isDead) : [];
  }

  /** What all runs use that share limits with this one. */
  async measure({ memoryBytes: memoryLimitBytes, processes: limit }: ProcessLimits): Promise<TreeUse> {
    if (!ProcessTable.isSupported) return noUse;
    this.#lowerSessions();
    const all = [...this.#together.trees].flatMap((tree) => tree.#findOwn());
    const orphans = [...this.#together.trees].map((tree) => tree.#orphanTicks());
    const cpuSeconds = sum([...all.map(({ cpuTicks }) => cpuTicks), ...orphans]) / ticksPerSecond;
    const processes = Math.max(all.length, Math.ceil(sum(all.map(({ threads }) => threads)) / threadsPerProcess));
    // Nothing else matters then. The memory of a process that forks cannot be read before it has a core again.
    if (processes > limit) return { ...noUse, cpuSeconds, processes };
    const living = all.filter(({ isDead }) => !isDead);
    const found = living.map(({ thread }) => thread);
    const now = living.map((process) => ({ process, status: statusOf(process) }));
    const resident = now.map(({ status }) => residentIn(status));
    const folders = [...this.#together.trees].map((tree) => sharedFolderBytes(tree.#namespaceInit));
    const inMemoryBytes = this.#measureMemoryFiles(living, cpuSeconds) + sum(folders);
    const files = sum(found.map(openFiles));
    const inNetworks = sum([...this.#together.trees].map((tree) => networkSockets(tree.#namespaceInit)));
    const open = { files, sockets: Math.max(this.#sockets, inNetworks), terminals: this.#terminals };
    const waiting = { watches: this.#watches, notifiers: this.#notifiers };
    const held = { ...open, ...waiting, mappings: this.#mappings, hidden: this.#hiddenTwice };
    const highest = sum(resident) + inMemoryBytes;
    const late = this.#foundLate ?? 0;
    this.#foundLate = undefined;
    if (late > memoryLimitBytes) return { memoryBytes: late, cpuSeconds, processes, ...held, costMs: 0 };
    const start = performance.now();
    const isBusy = cpuSeconds - this.#sharedAtCpuSeconds > busyCpuSeconds;
    const knownUntilMs = isBusy ? this.#sharedWhileBusyUntilMs : this.#sharedUntilMs;
    const shared = stillShared(this.#shares, now);
    const mappedBytes = Math.min(this.#mappedBytes, inMemoryBytes);
    const likely = highest - mappedBytes - shared.bytes;
    const most = start < this.#undoubtedUntilMs ? likely : highest - mappedBytes - shared.surely;
    const isSharedKnown = start < knownUntilMs && most <= memoryLimitBytes;
    if (highest <= exactAboveShare * memoryLimitBytes || isSharedKnown)
      return { memoryBytes: likely, cpuSeconds, processes, ...held, costMs: 0 };
    const isCrowd = sum(resident.filter((bytes) => bytes < smallBytes)) > smallShare * memoryLimitBytes;
    if (this.#exact === undefined) {
      this.#exactSinceMs = start;
      this.#sharedAtCpuSeconds = cpuSeconds;
    }
    this.#exact ??= this.#measureShared(living, { inMemoryBytes, minBytes: isCrowd ? 0 : smallBytes });
    const exact = await Promise.race([this.#exact, delay(exactPatienceMs, undefined, { ref: false })]);
    if (exact !== undefined) this.#foundLate = undefined;
    const isLate = performance.now() - this.#exactSinceMs > exactLateMs;
    // As long as it is not known, what may be shared is not judged; processes are.
    const least = isLate ? sum(now.map(({ status }) => anonymousIn(status))) + inMemoryBytes : 0;
    const memoryBytes = exact ?? Math.max(least, Math.min(memoryLimitBytes, likely));
    return { memoryBytes, cpuSeconds, processes, ...held, costMs: performance.now() - start };
  }

  #lowerSessions(): void {
    const init = this.#namespaceInit?.pid;
    // Nobody knows yet which session a program in bubblewrap begins with.
    if (init === undefined && this.#isConfined) return;
    this.#sessionPriority.lower(this.#findOwn(), [this.#root, init ?? this.#root]);
  }

  /** What the run uses exactly. Finds out what its processes share, for which the plain sum is too high. */
  async #measureShared(living: readonly Stat[], plain: PlainMemory): Promise<number> {
    const sharing = sharingCopies(living, plain);
    const others = living.filter((one) => !sharing.has(one));
    let start = performance.now();
    const first = await exactMemory(others, plain);
    let tookMs = performance.now() - start;
    await untilExecuted([...sharing]);
    start = performance.now();
    const last = await exactMemory([...sharing], { ...plain, inMemoryBytes: 0 });
    tookMs += performance.now() - start;
    const bytes = first.bytes + last.bytes;
    this.#shares = [...first.shares, ...last.shares];
    this.#mappedBytes = first.mappedBytes;
    this.#undoubtedUntilMs = performance.now() + Math.max(whileBusyKnownMs, tookMs);
    this.#sharedUntilMs = start + sharedKnownMs;
    this.#sharedWhileBusyUntilMs = start + Math.max(whileBusyKnownMs, 5 * tookMs);
    this.#exact = undefined;
    this.#foundLate = bytes;
    return bytes;
  }

  /** Of processes whose parent ended before them: the first process of the namespace has waited for those. */
  #orphanTicks(): number {
    return this.#namespaceInit === undefined ? 0 : (readStat(this.#namespaceInit.pid)?.cpuTicks ?? 0);
  }

  #findOwn() {
    const found = this.#table.find(this.#runId, listAgeMs);
    if (this.#namespaceInit !== undefined || !this.#isConfined) return found.filter((one) => !this.#isBubblewrap(one));
    // Before it is told which ones are bubblewrap's: it has a single child, the first process inside.
    return found.filter(({ pid, parent }) => pid !== this.#root && parent !== this.#root);
  }

  /** Paths of the files on disks that its processes hold open, and that have no name any more. */
  async unnamedFiles(): Promise<readonly string[]> {
    // Nobody knows yet which of them are in the sandbox's own memory.
    if (this.#isConfined && this.#namespaceInit === undefined) return [];
    const found = this.#findLiving().map(({ thread }) => thread);
    const counted = sharedFolderDevice(this.#namespaceInit);
    return (await findUnnamedFiles(found, { counter: this.#ownMappingCounter, counted })).onDisk;
  }

  /** Whether one of its processes listens on a port, rather than others; undefined where that cannot be seen. */
  async listensAt(port: number): Promise<boolean | undefined> {
    const found = this.#findLiving().map(({ thread }) => thread);
    const listens = ProcessTable.isSupported ? await listensAt(found, port) : undefined;
    // One that has left, or that another service has started for it, may be its own.
    return listens === false && !this.#isConfined ? undefined : listens;
  }

  /** Files in memory count whether a process maps them or not. Others are looked for while the last ones are known. */
  #measureMemoryFiles(living: readonly Stat[], cpuSeconds: number): number {
    const isBusy = cpuSeconds - this.#lookedAtCpuSeconds > busyCpuSeconds;
    if (performance.now() >= (isBusy ? this.#whileBusyUntilMs : this.#inMemoryUntilMs)) {
      this.#inMemoryUntilMs = Number.POSITIVE_INFINITY;
      this.#whileBusyUntilMs = Number.POSITIVE_INFINITY;
      this.#lookedAtCpuSeconds = cpuSeconds;
      void this.#findMemoryFiles(living);
    }
    return this.#inMemoryBytes;
  }

  async #findMemoryFiles(living: readonly Stat[]): Promise<void> {
    const cost = measureCost();
    const most = { watches: maxWatches, mappings: maxMappings };
    const look = { most, depths: forkDepths(living), counter: this.#mappingCounter };
    const held = await findUnnamedFiles(
      living.map(({ thread }) => thread),
      look,
    );
    this.#sockets = held.sockets;
    this.#inMemoryBytes = held.inMemoryBytes;
    const made = sum([...this.#together.trees].map((tree) => sandboxTerminals(tree.#namespaceInit)));
    this.#terminals = Math.max(held.terminals, made);
    this.#watches = held.watches;
    this.#notifiers = held.notifiers;
    this.#mappings = held.mappings;
    // Root sees all of others unless it lacks a right; plain processes need not be of our user.
    const seesAll = !this.#isConfined || process.geteuid?.() === 0;
    this.#noteHidden((seesAll ? 0 : held.hidden) + living.filter(isOutrun).length);
    const costMs = cost();
    const now = performance.now();
    this.#inMemoryUntilMs = now + Math.max(memoryFilesKnownMs, 10 * costMs);
    this.#whileBusyUntilMs = now + Math.max(whileBusyKnownMs, 5 * costMs);
  }

  #noteHidden(hidden: number): void {
    // One that executes a program may be hidden for a moment.
    this.#hiddenTwice = this.#hidden > 0 ? hidden : 0;
    this.#hidden = hidden;
  }

  /** Sends SIGTERM to every process that has not received it yet: new ones may have started since the last call. */
  terminate(): void {
    if (!ProcessTable.isSupported) signalGroup(this.#root, "SIGTERM");
    this.#holdBubblewrap();
    for (const one of this.#findLiving()) {
      const name = `${one.pid} ${one.startTicks}`;
      if (this.#signalled.has(name) || this.#isBubblewrap(one)) continue;
      this.#signalled.add(name);
      signalProcess(one, "SIGTERM");
      // A stopped process handles SIGTERM only once it continues.
      signalProcess(one, "SIGCONT");
    }
  }

  /**
   * Bubblewrap ends with the first program that it has started, such as a shell, and the kernel ends all others with it. It is
   * held until these have ended.
   */
  #holdBubblewrap(): void {
    if (this.#namespaceInit === undefined) return;
    signalProcess(this.#rootProcess!, isAlive(this.#namespaceInit) ? "SIGSTOP" : "SIGCONT");
  }

  /** Bubblewrap's own processes must not end first: they take the others with them before these could clean up. */
  #isBubblewrap({ pid }: Process): boolean {
    return this.#namespaceInit !== undefined && (pid === this.#root || pid === this.#namespaceInit.pid);
  }

  /** Sends SIGKILL to every process. Without a namespace it stops them all first, so that none can fork meanwhile. */
  kill(): void {
    if (!ProcessTable.isSupported) signalGroup(this.#root, "SIGKILL");
    if (this.#namespaceInit !== undefined) {
      signalProcess(this.#namespaceInit, "SIGKILL");
      // The kernel kills the others one after another; signalling all of them is faster.
      if (isAlive(this.#rootProcess!)) for (const one of this.#table.seen(this.#runId)) signalProcess(one, "SIGKILL");
      return;
    }
    const stopped = new Map<number, Process>();
    for (let round = 0; round < 50; round += 1) {
      const more = this.#findLiving().filter(({ pid }) => !stopped.has(pid));
      if (more.length === 0) break;
      for (const one of more) {
        stopped.set(one.pid, one);
        signalProcess(one, "SIGSTOP");
      }
    }
    for (const one of stopped.values()) signalProcess(one, "SIGKILL");
  }

  get isGone(): boolean {
    if (!ProcessTable.isSupported) return !isGroupAlive(this.#root);
    // Nothing outlives the namespace: no need to search all processes of the machine.
    if (this.#namespaceInit !== undefined) return !isAlive(this.#namespaceInit) && !isAlive(this.#rootProcess!);
    return this.#findLiving().length === 0;
  }

  forget(): void {
    this.#together.trees.delete(this);
    this.#table.forget(this.#runId);
  }
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}
