import { Worker } from "node:worker_threads";
import type { KnownPlugin } from "@slipway/spec";
import { Refusal } from "../../platform/errors/index.ts";
import type { Metrics } from "../../platform/http/index.ts";
import { isSimpleYaml } from "../../platform/is-simple-yaml.ts";
import { threadEnvironment } from "../../platform/process/index.ts";
import { type DocumentReading, type DocumentToRead, parseDocument } from "./parse-document.ts";

interface Bounds {
  /** Up to this size, and if it is simple, we parse a document at once: handing it to a thread would take longer. */
  readonly inlineBytes: number;
  readonly threads: number;
  /** How many documents may wait for a thread. */
  readonly waiting: number;
  /** The longest time from the arrival of a document until it is parsed. */
  readonly maxMs: number;
  /** After so long without work a thread ends, and frees its memory. */
  readonly idleMs: number;
  /** The heap of a thread, several times what the worst document needs. Beyond it, only the thread dies. */
  readonly heapMb: number;
  readonly entry: URL;
  /** The plugins that documents may name. */
  readonly plugins: readonly KnownPlugin[];
}

const defaults: Bounds = {
  inlineBytes: 32 * 1024,
  threads: 2,
  waiting: 16,
  maxMs: 20_000,
  idleMs: 30_000,
  heapMb: 512,
  entry: new URL("./document-thread.ts", import.meta.url),
  plugins: [],
};

interface Job {
  readonly document: DocumentToRead;
  readonly answer: PromiseWithResolvers<DocumentReading>;
}

interface Thread {
  readonly worker: Worker;
  job: Job | undefined;
  idleTimer: NodeJS.Timeout | undefined;
}

/** Parses documents: small ones at once, large ones in threads, so that they block no other request. */
export class DocumentReader {
  readonly #bounds: Bounds;
  readonly #gauge: Metrics["documents"];
  readonly #threads = new Set<Thread>();
  #waiting: Job[] = [];
  #isClosed = false;

  constructor({ documents }: Pick<Metrics, "documents">, bounds: Partial<Bounds> = {}) {
    this.#gauge = documents;
    this.#bounds = { ...defaults, ...bounds };
  }

  get plugins(): readonly KnownPlugin[] {
    return this.#bounds.plugins;
  }

  async read(document: DocumentToRead): Promise<DocumentReading> {
    const { bytes } = document;
    if (bytes.length <= this.#bounds.inlineBytes && isSimpleYaml(bytes)) return parseDocument(document, this.plugins);
    if (this.#isClosed) throw stopping();
    if (this.#waiting.length >= this.#bounds.waiting) {
      throw overloaded("Too many large documents are being read. Try again shortly.");
    }
    const job: Job = { document, answer: Promise.withResolvers() };
    const deadline = setTimeout(() => this.#giveUp(job), this.#bounds.maxMs);
    this.#gauge.inc();
    this.#waiting.push(job);
    this.#assign();
    try {
      return await job.answer.promise;
    } finally {
      clearTimeout(deadline);
      this.#gauge.dec();
    }
  }

  /** Ends the threads and refuses the documents that still wait. */
  async close(): Promise<void> {
    this.#isClosed = true;
    for (const { answer } of this.#waiting) answer.reject(stopping());
    this.#waiting = [];
    await Promise.all(
      [...this.#threads].map(({ worker, job }) => {
        job?.answer.reject(stopping());
        return worker.terminate();
      }),
    );
  }

  #assign(): void {
    while (this.#waiting.length > 0) {
      let thread: Thread | undefined;
      try {
        thread = this.#freeThread();
      } catch (error) {
        // As where the system has no room for another thread.
        this.#waiting.shift()!.answer.reject(overloaded("The service cannot start a thread to read it.", error));
        continue;
      }
      if (thread === undefined) return;
      const job = this.#waiting.shift()!;
      clearTimeout(thread.idleTimer);
      thread.job = job;
      const bytes = new Uint8Array(job.document.bytes);
      thread.worker.postMessage({ ...job.document, bytes }, [bytes.buffer]);
    }
  }

  #freeThread(): Thread | undefined {
    for (const thread of this.#threads) if (thread.job === undefined) return thread;
    return this.#threads.size < this.#bounds.threads ? this.#startThread() : undefined;
  }

  #startThread(): Thread {
    const { entry, heapMb, plugins } = this.#bounds;
    const resourceLimits = { maxOldGenerationSizeMb: heapMb };
    const env = threadEnvironment();
    const worker = new Worker(entry, { name: "documents", workerData: plugins, resourceLimits, env });
    const thread: Thread = { worker, job: undefined, idleTimer: undefined };
    this.#threads.add(thread);
    // The thread alone must not keep the process alive.
    worker.unref();
    worker.on("message", (reading: DocumentReading) => {
      thread.job?.answer.resolve(reading);
      thread.job = undefined;
      thread.idleTimer = setTimeout(() => this.#end(thread), this.#bounds.idleMs).unref();
      this.#assign();
    });
    let failure: unknown;
    worker.on("error", (error) => {
      failure = error;
    });
    worker.on("exit", () => {
      this.#threads.delete(thread);
      clearTimeout(thread.idleTimer);
      thread.job?.answer.reject(overloaded("The document was too large for the thread that read it.", failure));
      if (!this.#isClosed) this.#assign();
    });
    return thread;
  }

  /** Removes the thread before it has ended, so that it gets no further document. */
  #end(thread: Thread): void {
    this.#threads.delete(thread);
    void thread.worker.terminate();
  }

  #giveUp(job: Job): void {
    const { maxMs } = this.#bounds;
    job.answer.reject(overloaded(`The document could not be read within ${maxMs / 1000} s. Try again shortly.`));
    this.#waiting = this.#waiting.filter((other) => other !== job);
    for (const thread of this.#threads) if (thread.job === job) this.#end(thread);
    this.#assign();
  }
}

function overloaded(detail: string, cause?: unknown): Refusal {
  return new Refusal("overloaded", detail, { headers: { "retry-after": "5" }, cause });
}

function stopping(): Refusal {
  return new Refusal("shutting_down", "The service is stopping. Try again shortly.", {
    headers: { "retry-after": "5" },
  });
}
