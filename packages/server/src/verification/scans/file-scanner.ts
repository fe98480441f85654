import { Worker } from "node:worker_threads";
import { threadEnvironment } from "../../platform/process/index.ts";
import type { FileScan, FileToScan } from "./scan-file.ts";

interface Bounds {
  /** For one file: a regular expression of ours may meet the text that takes it for ever. */
  readonly fileMs: number;
  /** The heap of the thread. Beyond it, only the thread dies. */
  readonly heapMb: number;
}

const defaults: Bounds = { fileMs: 15_000, heapMb: 768 };

type Answer = { readonly scan: FileScan } | { readonly error: string };

/** Scans files in a thread of its own, which a hostile file may stop or exhaust without harm to the service. */
export class FileScanner {
  readonly #bounds: Bounds;
  #worker: Worker | undefined;
  #last: Promise<unknown> = Promise.resolve();

  constructor(bounds: Partial<Bounds> = {}) {
    this.#bounds = { ...defaults, ...bounds };
  }

  /** What the rules say of a file, or why they could not read it. */
  scan(file: FileToScan, signal: AbortSignal): Promise<Answer> {
    // One after the other: an answer belongs to the file before it.
    const turn = this.#last.then(() => this.#scanNow(file, signal));
    this.#last = turn.catch(() => undefined);
    return turn;
  }

  async #scanNow(file: FileToScan, signal: AbortSignal): Promise<Answer> {
    signal.throwIfAborted();
    const worker = this.#open();
    const { promise, resolve, reject } = Promise.withResolvers<Answer>();
    const onEnd = (reason: string) => {
      this.#worker = undefined;
      resolve({ error: reason });
    };
    const onError = (error: Error) =>
      onEnd(
        (error as NodeJS.ErrnoException).code === "ERR_WORKER_OUT_OF_MEMORY"
          ? "needs too much memory to be read"
          : `stops the scanner: ${error.message.slice(0, 200)}`,
      );
    const onExit = () => onEnd("stops the scanner");
    const onAbort = () => {
      this.close();
      reject(signal.reason);
    };
    const timer = setTimeout(() => {
      this.close();
      resolve({ error: `takes longer than ${this.#bounds.fileMs / 1000} s to be read` });
    }, this.#bounds.fileMs);
    worker.once("message", resolve).once("error", onError).once("exit", onExit);
    signal.addEventListener("abort", onAbort, { once: true });
    worker.ref();
    worker.postMessage(file);
    try {
      return await promise;
    } finally {
      clearTimeout(timer);
      worker.unref();
      signal.removeEventListener("abort", onAbort);
      worker.off("message", resolve).off("error", onError).off("exit", onExit);
    }
  }

  /** Ends the thread. */
  close(): void {
    void this.#worker?.terminate();
    this.#worker = undefined;
  }

  #open(): Worker {
    if (this.#worker !== undefined) return this.#worker;
    const worker = new Worker(new URL("./scan-thread.ts", import.meta.url), {
      name: "scan",
      // Nothing else of the service is in its environment.
      env: threadEnvironment(),
      resourceLimits: { maxOldGenerationSizeMb: this.#bounds.heapMb, stackSizeMb: 4 },
    });
    worker.on("error", () => undefined);
    // It may also end between two files.
    worker.on("exit", () => {
      if (this.#worker === worker) this.#worker = undefined;
    });
    // Waiting for its next file, it must not keep the process alive.
    worker.unref();
    this.#worker = worker;
    return worker;
  }
}
