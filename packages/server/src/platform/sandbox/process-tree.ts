import { HeldFilesCounter } from "./held-files.ts";
import { listensAt, portsOf } from "./listening-sockets.ts";
import { MappingCounter } from "./mapping-counter.ts";
import { networkSockets } from "./network-sockets.ts";
import { isGroupAlive, signalGroup } from "./process-group.ts";
import { openFiles } from "./process-memory.ts";
import { type ProcessLimits, threadsPerProcess } from "./process-options.ts";
import { isAlive, type Process, readStat, signalProcess, ticksPerSecond } from "./process-stat.ts";
import { ProcessTable } from "./process-table.ts";
import { RunMemory } from "./run-memory.ts";
import type { RunsTogether } from "./runs-together.ts";
import { SessionPriority } from "./session-priority.ts";
import { sharedFolderBytes, sharedFolderDevice } from "./shared-memory-folder.ts";
import { sum } from "./sum.ts";
import { findUnnamedFiles, type HeldFiles } from "./unnamed-files.ts";
import { noUse } from "./watch-limits.ts";

export interface TreeUse extends Omit<HeldFiles, "inMemoryBytes"> {
  readonly memoryBytes: number;
  readonly cpuSeconds: number;
  readonly processes: number;
  /** Processes and threads, if it has the most of all runs. */
  readonly crowd: number;
  /** Open ones, of all processes together. */
  readonly files: number;
  /** How long the exact measurement of memory took. */
  readonly costMs: number;
}

/** Runs that are measured at the same moment share one list of processes. */
const listAgeMs = 20;

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
  readonly #killed = new Set<string>();
  readonly #sessionPriority = new SessionPriority();
  readonly #heldFiles = new HeldFilesCounter();
  readonly #memory = new RunMemory();
  /** Of its own processes alone, not of all that share limits with it. */
  readonly #ownMappings = new MappingCounter();
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
  async measure({ memoryBytes: limitBytes, processes: limit }: ProcessLimits): Promise<TreeUse> {
    if (!ProcessTable.isSupported) return noUse;
    this.#lowerSessions();
    const trees = [...this.#together.trees];
    const all = trees.flatMap((tree) => tree.#findOwn());
    const orphans = trees.map((tree) => tree.#orphanTicks());
    const cpuSeconds = sum([...all.map(({ cpuTicks }) => cpuTicks), ...orphans]) / ticksPerSecond;
    const tasks = sum(all.map(({ threads }) => threads));
    const crowd = this.#table.noteTasks(this.#runId, tasks) ? tasks : 0;
    const processes = Math.max(all.length, Math.ceil(tasks / threadsPerProcess));
    // Nothing else matters then. The memory of a process that forks cannot be read before it has a core again.
    if (processes > limit) return { ...noUse, cpuSeconds, processes };
    const living = all.filter(({ isDead }) => !isDead);
    const findInits = () => [...this.#together.trees].map((tree) => tree.#namespaceInit);
    // Root sees all of others unless it lacks a right; plain processes need not be of our user.
    const seesAll = !this.#isConfined || process.geteuid?.() === 0;
    const { inMemoryBytes: heldBytes, ...held } = this.#heldFiles.count(living, { findInits, seesAll, cpuSeconds });
    const inits = findInits();
    const inMemoryBytes = heldBytes + sum(inits.map(sharedFolderBytes));
    const files = sum(living.map(({ thread }) => openFiles(thread)));
    const sockets = Math.max(held.sockets, sum(inits.map(networkSockets)));
    const memory = await this.#memory.measure(living, { limitBytes, inMemoryBytes, cpuSeconds });
    return { cpuSeconds, processes, crowd, ...held, files, sockets, ...memory };
  }

  #lowerSessions(): void {
    const init = this.#namespaceInit?.pid;
    // Nobody knows yet which session a program in bubblewrap begins with.
    if (init === undefined && this.#isConfined) return;
    this.#sessionPriority.lower(this.#findOwn(), [this.#root, init ?? this.#root]);
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
    return (await findUnnamedFiles(found, { counter: this.#ownMappings, counted })).onDisk;
  }

  /** Whether one of its processes listens on a port, rather than others; undefined where that cannot be seen. */
  async listensAt(port: number): Promise<boolean | undefined> {
    const found = this.#findLiving().map(({ thread }) => thread);
    const listens = ProcessTable.isSupported ? await listensAt(found, port) : undefined;
    // One that has left, or that another service has started for it, may be its own.
    return listens === false && !this.#isConfined ? undefined : listens;
  }

  /** The ports at which its processes listen, as far as they can be seen. */
  async ports(): Promise<readonly number[]> {
    return ProcessTable.isSupported ? portsOf(this.#findLiving().map(({ thread }) => thread)) : [];
  }

  /** Sends SIGTERM to every process that has not received it yet: new ones may have started since the last call. */
  terminate(): void {
    if (!ProcessTable.isSupported) signalGroup(this.#root, "SIGTERM");
    this.#holdBubblewrap();
    for (const one of this.#findLiving()) {
      const name = nameOf(one);
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
    // Until it is gone, nobody knows whether there is room for the others.
    this.#table.noteTasks(this.#runId, Number.POSITIVE_INFINITY);
    if (this.#namespaceInit !== undefined) {
      this.#kill(this.#namespaceInit);
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
    for (const one of stopped.values()) this.#kill(one);
  }

  /** Noted only afterwards: where /proc cannot be read, nothing was sent. */
  #kill(one: Process): void {
    signalProcess(one, "SIGKILL");
    this.#killed.add(nameOf(one));
  }

  /** Whether SIGKILL was sent to all that are left: none of them does anything more on its own. */
  get isKilled(): boolean {
    if (!ProcessTable.isSupported) return false;
    const left = this.#namespaceInit === undefined ? this.#findLiving() : [this.#namespaceInit];
    return left.every((one) => this.#killed.has(nameOf(one)));
  }

  get isGone(): boolean {
    if (!ProcessTable.isSupported) return !isGroupAlive(this.#root);
    // Nothing outlives the namespace: no need to search all processes of the machine.
    if (this.#namespaceInit !== undefined) return !isAlive(this.#namespaceInit) && !isAlive(this.#rootProcess!);
    return this.#findLiving().length === 0;
  }

  /** Once it is killed: if the machine is full now, that is due to another run. */
  leaveCrowd(): void {
    this.#table.noteTasks(this.#runId, 0);
  }

  forget(): void {
    this.#together.trees.delete(this);
    this.#table.forget(this.#runId);
  }
}

function nameOf({ pid, startTicks }: Process): string {
  return `${pid} ${startTicks}`;
}
