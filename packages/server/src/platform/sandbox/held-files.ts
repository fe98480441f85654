import { forkDepths } from "./fork-depths.ts";
import { measureCost } from "./look-cost.ts";
import { MappingCounter } from "./mapping-counter.ts";
import { isOutrun } from "./process-memory.ts";
import type { Process, Stat } from "./process-stat.ts";
import { sandboxTerminals } from "./sandbox-terminals.ts";
import { sum } from "./sum.ts";
import { findUnnamedFiles, type HeldFiles } from "./unnamed-files.ts";
import { maxMappings, maxWatches } from "./watch-limits.ts";

interface Look {
  /** The first processes of their process namespaces, as far as these are known by then. */
  readonly findInits: () => readonly (Process | undefined)[];
  /** Whether all of them let us see what they have open. */
  readonly seesAll: boolean;
  readonly cpuSeconds: number;
}

/** Listing the open files of all processes is slower than reading their sizes. */
const knownMs = 1_000;
/** A program that works may take a million of what is counted here in this time. */
const whileBusyKnownMs = 250;
const busyCpuSeconds = 0.1;

/** Counts what processes hold beside their memory: looks for it now and then, while what it found last is known. */
export class HeldFilesCounter {
  readonly #mappings = new MappingCounter();
  /** What the last look found; hidden are those that were so in two. */
  #held: HeldFiles = {
    ...{ inMemoryBytes: 0, sockets: 0, terminals: 0, watches: 0, notifiers: 0, mappings: 0 },
    hidden: 0,
  };
  /** In the last look alone. */
  #hidden = 0;
  /** When it looks again: at most a tenth of the time goes into it, or a fifth while the run works. */
  #untilMs = 0;
  #whileBusyUntilMs = 0;
  /** What the run had used when it looked last. */
  #lookedAtCpuSeconds = 0;

  count(living: readonly Stat[], look: Look): HeldFiles {
    const isBusy = look.cpuSeconds - this.#lookedAtCpuSeconds > busyCpuSeconds;
    if (performance.now() >= (isBusy ? this.#whileBusyUntilMs : this.#untilMs)) {
      this.#untilMs = Number.POSITIVE_INFINITY;
      this.#whileBusyUntilMs = Number.POSITIVE_INFINITY;
      this.#lookedAtCpuSeconds = look.cpuSeconds;
      void this.#look(living, look);
    }
    return this.#held;
  }

  async #look(living: readonly Stat[], { findInits, seesAll }: Look): Promise<void> {
    const cost = measureCost();
    const { onDisk: _onDisk, ...found } = await findUnnamedFiles(
      living.map(({ thread }) => thread),
      {
        most: { watches: maxWatches, mappings: maxMappings },
        depths: forkDepths(living),
        counter: this.#mappings,
      },
    );
    const made = sum(findInits().map(sandboxTerminals));
    const terminals = Math.max(found.terminals, made);
    this.#held = { ...found, terminals, hidden: this.#hiddenTwice(living, seesAll ? 0 : found.hidden) };
    const costMs = cost();
    const now = performance.now();
    this.#untilMs = now + Math.max(knownMs, 10 * costMs);
    this.#whileBusyUntilMs = now + Math.max(whileBusyKnownMs, 5 * costMs);
  }

  #hiddenTwice(living: readonly Stat[], unseen: number): number {
    const hidden = unseen + living.filter(isOutrun).length;
    // One that executes a program may be hidden for a moment.
    const twice = this.#hidden > 0 ? hidden : 0;
    this.#hidden = hidden;
    return twice;
  }
}
