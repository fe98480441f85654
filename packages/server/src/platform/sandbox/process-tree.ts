import {
  isAlive,
  type Process,
  ProcessTable,
  proportionalBytes,
  residentBytes,
  signalProcess,
  ticksPerSecond,
} from "./process-table.ts";

export interface TreeUse {
  readonly memoryBytes: number;
  readonly cpuSeconds: number;
  readonly processes: number;
  /** How long it took to find out, where that was costly. */
  readonly costMs: number;
}

/** Above this part of the limit, shared pages are no longer counted more than once. */
const carefulAbove = 0.7;
/** How much is shared changes slowly; what is new belongs to one process, mostly. */
const sharedKnownMs = 2_000;
/** Of small processes it does not matter what they share. */
const smallBytes = 8 << 20;
/** Runs that are looked at in the same moment share one look at the list of processes. */
const listAgeMs = 20;

/** All processes of one run, wherever they have gone. */
export class ProcessTree {
  readonly #table: ProcessTable;
  readonly #runId: string;
  readonly #root: number;
  readonly #asked = new Set<string>();
  /** What a plain sum counts too much, as of the last careful look. */
  #sharedBytes = 0;
  #sharedAtMs = Number.NEGATIVE_INFINITY;
  readonly #outerWall: Process | undefined;
  #innerWall: Process | undefined;

  constructor(table: ProcessTable, { runId, root }: { runId: string; root: number }) {
    this.#table = table;
    this.#runId = runId;
    this.#root = root;
    if (ProcessTable.isHere) this.#outerWall = table.watch(runId, root);
  }

  /** The first process of a namespace of its own: when it dies, the kernel ends everything in there. */
  set innerWall(wall: Process) {
    if (this.#outerWall !== undefined) this.#innerWall = wall;
  }

  find(): Process[] {
    return ProcessTable.isHere ? this.#table.find(this.#runId) : [];
  }

  async measure(memoryLimitBytes: number): Promise<TreeUse> {
    if (!ProcessTable.isHere) return { memoryBytes: 0, cpuSeconds: 0, processes: 1, costMs: 0 };
    const found = this.#table.find(this.#runId, listAgeMs).filter((one) => !this.#isWall(one));
    const resident = found.map(({ pid }) => residentBytes(pid));
    const residentSum = sum(resident);
    const cpuSeconds = sum(found.map(({ cpuTicks }) => cpuTicks)) / ticksPerSecond;
    const start = performance.now();
    const isTold = start - this.#sharedAtMs < sharedKnownMs && residentSum - this.#sharedBytes <= memoryLimitBytes;
    if (residentSum > carefulAbove * memoryLimitBytes && !isTold) {
      const exact = await Promise.all(found.map(({ pid }, index) => fairBytes(pid, resident[index]!)));
      this.#sharedBytes = residentSum - sum(exact);
      this.#sharedAtMs = start;
    }
    const costMs = performance.now() - start;
    return { memoryBytes: residentSum - this.#sharedBytes, cpuSeconds, processes: found.length, costMs };
  }

  /** Asks everybody to end who was not asked yet: some may have been started a moment ago. */
  askToEnd(): void {
    if (!ProcessTable.isHere) signalGroup(this.#root, "SIGTERM");
    for (const one of this.find()) {
      const name = `${one.pid} ${one.startTicks}`;
      if (this.#asked.has(name) || this.#isWall(one)) continue;
      this.#asked.add(name);
      signalProcess(one, "SIGTERM");
      // Who was stopped could not hear it.
      signalProcess(one, "SIGCONT");
    }
  }

  /** A wall that ends takes the others with it, asked or not. */
  #isWall({ pid }: Process): boolean {
    return this.#innerWall !== undefined && (pid === this.#root || pid === this.#innerWall.pid);
  }

  /** Ends everybody that is there now. Whoever forks is stopped first, until nobody new comes. */
  strike(): void {
    if (!ProcessTable.isHere) signalGroup(this.#root, "SIGKILL");
    if (this.#innerWall !== undefined) {
      signalProcess(this.#innerWall, "SIGKILL");
      // The kernel ends the others, one after the other: together they are gone sooner.
      if (isAlive(this.#outerWall!)) for (const one of this.find()) signalProcess(one, "SIGKILL");
      return;
    }
    const stopped = new Map<number, Process>();
    for (let round = 0; round < 50; round += 1) {
      const more = this.find().filter(({ pid }) => !stopped.has(pid));
      if (more.length === 0) break;
      for (const one of more) {
        stopped.set(one.pid, one);
        signalProcess(one, "SIGSTOP");
      }
    }
    for (const one of stopped.values()) signalProcess(one, "SIGKILL");
  }

  get isGone(): boolean {
    if (!ProcessTable.isHere) return !isGroupAlive(this.#root);
    // Nothing outlives the walls: no need to look through the whole machine.
    if (this.#innerWall !== undefined) return !isAlive(this.#innerWall) && !isAlive(this.#outerWall!);
    return this.find().length === 0;
  }

  /** After the end. */
  forget(): void {
    this.#table.forget(this.#runId);
  }
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}

function fairBytes(pid: number, resident: number): number | Promise<number> {
  return resident < smallBytes ? resident : proportionalBytes(pid);
}

function isGroupAlive(group: number): boolean {
  try {
    process.kill(-group, 0);
    return true;
  } catch {
    return false;
  }
}

function signalGroup(group: number, signal: NodeJS.Signals): void {
  try {
    process.kill(-group, signal);
  } catch {
    // Gone already.
  }
}
