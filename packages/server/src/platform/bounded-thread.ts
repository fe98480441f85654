import { parentPort, Worker } from "node:worker_threads";
import { isOverCpuLimit } from "./cpu-limit.ts";
import { FairTurns } from "./fair-turns.ts";
import { threadEnvironment } from "./process/index.ts";

/** What one question may take. */
export interface ThreadBounds {
  /** Of a core, from when the thread gets it; how busy the machine is does not count. */
  readonly cpuLimitMs: number;
  /** The heap of the thread. Beyond it, only the thread dies. */
  readonly heapMb: number;
  /** After so long without a question the thread ends, and frees its memory; never, if it is not given. */
  readonly idleMs?: number;
}

/** What a thread says, or why it could not. */
export type ThreadAnswer<Answer> = { readonly answer: Answer } | { readonly error: string };

/**
 * A thread for texts that strangers wrote: one may stop or exhaust it without harm to the service, and gets a new thread for
 * the next. It starts with the first question. Its program calls `answerQuestions`.
 */
export class BoundedThread<Question, Answer> {
  readonly #entry: URL;
  readonly #bounds: ThreadBounds;
  /** One after the other: an answer belongs to the question before it. */
  readonly #turns = new FairTurns(["the thread"]);
  #worker: Worker | undefined;
  #idleTimer: NodeJS.Timeout | undefined;
  /** The end of all threads that it had. */
  #ended: Promise<unknown> = Promise.resolve();

  constructor(entry: URL, bounds: ThreadBounds) {
    this.#entry = entry;
    this.#bounds = bounds;
  }

  /** An abort ends the wait for the questions before it at once, and the thread if this one is being answered. */
  async ask(question: Question, signal: AbortSignal): Promise<ThreadAnswer<Answer>> {
    const { take, leave } = this.#turns.join();
    try {
      await take(signal);
      return await this.#askNow(question, signal);
    } finally {
      leave();
    }
  }

  async #askNow(question: Question, signal: AbortSignal): Promise<ThreadAnswer<Answer>> {
    // It may have come between the turn and this.
    signal.throwIfAborted();
    clearTimeout(this.#idleTimer);
    const worker = this.#open();
    const { promise, resolve, reject } = Promise.withResolvers<ThreadAnswer<Answer>>();
    const onEnd = (reason: string) => {
      this.#worker = undefined;
      resolve({ error: reason });
    };
    const onError = (error: Error) =>
      onEnd(
        (error as NodeJS.ErrnoException).code === "ERR_WORKER_OUT_OF_MEMORY"
          ? "needs too much memory to be read"
          : `stops its reader: ${error.message.slice(0, 200)}`,
      );
    const onExit = () => onEnd("stops its reader");
    const onAbort = () => {
      void this.close();
      reject(signal.reason);
    };
    const { cpuLimitMs } = this.#bounds;
    const ending = new AbortController();
    void isOverCpuLimit(worker, cpuLimitMs, ending.signal).then((isOver) => {
      if (!isOver || ending.signal.aborted) return;
      void this.close();
      resolve({ error: `takes longer than ${cpuLimitMs / 1000} s to be read` });
    });
    worker.once("message", resolve).once("error", onError).once("exit", onExit);
    signal.addEventListener("abort", onAbort, { once: true });
    worker.ref();
    worker.postMessage(question);
    try {
      return await promise;
    } finally {
      ending.abort();
      this.#endWhenIdle();
      worker.unref();
      signal.removeEventListener("abort", onAbort);
      worker.off("message", resolve).off("error", onError).off("exit", onExit);
    }
  }

  /** Ends the thread; a further question starts another. Resolves once its memory is free. */
  async close(): Promise<void> {
    const worker = this.#worker;
    this.#worker = undefined;
    this.#ended = Promise.all([this.#ended, worker?.terminate()]);
    await this.#ended;
  }

  #endWhenIdle(): void {
    const { idleMs } = this.#bounds;
    if (idleMs !== undefined) this.#idleTimer = setTimeout(() => void this.close(), idleMs).unref();
  }

  #open(): Worker {
    if (this.#worker !== undefined) return this.#worker;
    const worker = new Worker(this.#entry, {
      // Nothing else of the service is in its environment.
      env: threadEnvironment(),
      resourceLimits: { maxOldGenerationSizeMb: this.#bounds.heapMb, stackSizeMb: 4 },
    });
    worker.on("error", () => undefined);
    // It may also end between two questions.
    worker.on("exit", () => {
      if (this.#worker === worker) this.#worker = undefined;
    });
    // Waiting for its next question, it must not keep the process alive.
    worker.unref();
    this.#worker = worker;
    return worker;
  }
}

/** Asks one question in a thread of its own. */
export async function askOnce<Question, Answer>(
  entry: URL,
  bounds: ThreadBounds,
  question: Question,
  signal: AbortSignal,
): Promise<ThreadAnswer<Answer>> {
  const thread = new BoundedThread<Question, Answer>(entry, bounds);
  try {
    return await thread.ask(question, signal);
  } finally {
    void thread.close();
  }
}

/** Inside of the thread: answers each question. */
export function answerQuestions<Question, Answer>(answer: (question: Question) => Promise<Answer>): void {
  parentPort?.on("message", (question: Question) => {
    answer(question).then(
      (found) => parentPort?.postMessage({ answer: found }),
      (error: unknown) => parentPort?.postMessage({ error: String((error as Error)?.message ?? error).slice(0, 200) }),
    );
  });
}
