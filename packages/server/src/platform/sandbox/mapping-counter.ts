import { countMappings } from "./mapped-files.ts";

/** To count the mappings of all processes; those that are left then come first at the next look. */
const maxLookMs = 2_000;
/** How long processes that have ended count. It is as long as two looks take that each find time for a few of them. */
const endedKnownMs = 5_000;

/** Of what a mapping takes of the kernel, for each process that a copy has it from: a note of 64 bytes. */
const shareOfNote = 1 / 4;

interface Counted {
  /** As mappings of a process that is no copy. */
  readonly count: number;
  readonly hasDeleted: boolean;
  readonly atMs: number;
}

/**
 * Counts the mappings of a run's processes over several looks. To read them is slow: where one look does not reach all of
 * them, or they end and others come before it does, none would see how many there are.
 */
export class MappingCounter {
  readonly #counted = new Map<number, Counted>();
  readonly #now: () => number;
  #total = 0;

  constructor(now = () => performance.now()) {
    this.#now = now;
  }

  /**
   * How many mappings the processes have, and which may map a file without a name. Looks no further above `max`. Those of
   * processes that are copies count for more, by how many they are copies of.
   */
  async look(pids: readonly number[], max = Number.POSITIVE_INFINITY, depths?: ReadonlyMap<number, number>) {
    const start = this.#now();
    const living = new Set(pids);
    for (const [pid, { atMs }] of this.#counted)
      if (!living.has(pid) && start - atMs > endedKnownMs) this.#set(pid, undefined);
    const lastAtMs = new Map(pids.map((pid) => [pid, this.#counted.get(pid)?.atMs ?? Number.NEGATIVE_INFINITY]));
    for (const [pid] of [...lastAtMs].sort(([, a], [, b]) => a - b)) {
      if (this.#total > max || this.#now() - start > maxLookMs) break;
      const { count, hasDeleted } = await countMappings(pid);
      const counted = { count: Math.ceil(count * (1 + shareOfNote * (depths?.get(pid) ?? 0))), hasDeleted };
      // One that has ended meanwhile has none any more; what it had before is known.
      if (counted.count > 0 || !this.#counted.has(pid)) this.#set(pid, { ...counted, atMs: this.#now() });
    }
    return { mappings: this.#total, withDeleted: pids.filter((pid) => this.#counted.get(pid)?.hasDeleted) };
  }

  #set(pid: number, counted: Counted | undefined): void {
    this.#total += (counted?.count ?? 0) - (this.#counted.get(pid)?.count ?? 0);
    if (counted === undefined) this.#counted.delete(pid);
    else this.#counted.set(pid, counted);
  }
}
