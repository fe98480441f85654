import { BoundedThread, type ThreadAnswer, type ThreadBounds } from "../../platform/bounded-thread.ts";
import type { FileScan, FileToScan } from "./scan-file.ts";

/** For one file: a regular expression of ours may meet the text that takes it for ever. */
const defaults: ThreadBounds = { cpuLimitMs: 15_000, heapMb: 768 };

/** Scans files in a thread of its own. */
export class FileScanner {
  readonly #thread: BoundedThread<FileToScan, FileScan>;

  constructor(bounds: Partial<ThreadBounds> = {}) {
    this.#thread = new BoundedThread(new URL("./scan-thread.ts", import.meta.url), { ...defaults, ...bounds });
  }

  /** What the rules say of a file, or why they could not read it. */
  scan(file: FileToScan, signal: AbortSignal): Promise<ThreadAnswer<FileScan>> {
    return this.#thread.ask(file, signal);
  }

  /** Ends the thread. */
  close(): void {
    this.#thread.close();
  }
}
