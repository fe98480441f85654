import { BoundedThread, type ThreadAnswer, type ThreadBounds } from "../../platform/bounded-thread.ts";
import { FairTurns } from "../../platform/fair-turns.ts";
import type { FileScan, FileToScan } from "./scan-file.ts";

interface ScannerBounds extends ThreadBounds {
  readonly threads: number;
}

/**
 * For one file: a regular expression of ours may meet the text that takes it for ever. There are two threads, so that one
 * such file keeps nobody else waiting.
 */
const defaults: ScannerBounds = { cpuLimitMs: 15_000, heapMb: 768, threads: 2 };

/** What the thread says of a file. */
export interface TimedScan {
  readonly scan: FileScan;
  /** Of a core. */
  readonly usedMs: number;
}

/** Scans the files of one project. */
export interface ProjectScanner {
  /** What the rules say of a file, or why they could not read it, and what that took of a core. */
  readonly scan: (
    file: FileToScan,
    signal: AbortSignal,
  ) => Promise<ThreadAnswer<FileScan> & { readonly usedMs: number }>;
  /** Leaves the threads to others. */
  readonly leave: () => void;
}

/** Scans files in threads of its own, which projects share by time, however long a file of one of them takes. */
export class FileScanner {
  readonly #bounds: ScannerBounds;
  readonly #threads: readonly BoundedThread<FileToScan, TimedScan>[];
  readonly #turns: FairTurns<BoundedThread<FileToScan, TimedScan>>;

  constructor(bounds: Partial<ScannerBounds> = {}) {
    this.#bounds = { ...defaults, ...bounds };
    const entry = new URL("./scan-thread.ts", import.meta.url);
    this.#threads = Array.from({ length: this.#bounds.threads }, () => new BoundedThread(entry, this.#bounds));
    this.#turns = new FairTurns(this.#threads);
  }

  join(): ProjectScanner {
    const { take, charge, leave } = this.#turns.join();
    return {
      leave,
      scan: async (file, signal) => {
        const thread = await take(signal);
        const startMs = performance.now();
        const told = await thread.ask(file, signal);
        // A thread that was ended cannot say what it used.
        const endedMs = Math.min(performance.now() - startMs, this.#bounds.cpuLimitMs);
        const usedMs = "answer" in told ? told.answer.usedMs : endedMs;
        charge(usedMs);
        return "answer" in told ? { answer: told.answer.scan, usedMs } : { ...told, usedMs };
      },
    };
  }

  /** Ends the threads; a further file starts them again. */
  close(): void {
    for (const thread of this.#threads) void thread.close();
  }
}
