import { FileRefusal } from "./file-refusal.ts";

export interface CallOptions<T> {
  /** Names the file in the refusal. */
  readonly path: string;
  readonly signal?: AbortSignal | undefined;
  /** How long the call may take once it has begun. */
  readonly limitMs?: number;
  /** Releases what a call brings that nobody waits for any more. */
  readonly discard?: (late: T) => unknown;
}

/** A busy disk takes seconds, one that is away takes for ever. */
const defaultLimitMs = 30_000;
/** Of a call that nobody waits for any more, while others wait for its place: most disks answer at once. */
const abandonedLimitMs = 1_000;

/** Of the process, as its threads are: calls that nobody waits for any more. */
let allLeft = 0;
/** Those of them that the disk has not answered in time. */
let allStuck = 0;

/** How many threads wait for a disk that does not answer. */
export function stuckFileCalls(): number {
  return allStuck;
}

/** Ends the process if threads of it wait for a disk: it would never exit by itself, nor by `process.exit`. */
export function leaveStuckCalls(): void {
  if (allLeft > 0) process.kill(process.pid, "SIGKILL");
}

interface Waiting {
  readonly begin: () => void;
  readonly refuse: () => void;
}

/**
 * Calls to a disk that may never answer. Each occupies a thread of Node's pool until the system returns, and a process
 * with all threads occupied can open no file, resolve no name and not even exit. So only a few calls run at a time, and
 * whoever waits for one is released after a time limit or an abort.
 */
export class BoundedCalls {
  readonly #maxAtOnce: number;
  readonly #waiting = new Set<Waiting>();
  #running = 0;
  /** Calls that still run, longer than they may. */
  #stuck = 0;

  constructor(maxAtOnce: number) {
    this.#maxAtOnce = maxAtOnce;
  }

  /** Makes a call; refuses when the disk does not answer, rejects with the signal's reason at an abort. */
  async run<T>(
    call: () => Promise<T>,
    { path, signal, limitMs = defaultLimitMs, discard }: CallOptions<T>,
  ): Promise<T> {
    signal?.throwIfAborted();
    if (this.#running < this.#maxAtOnce) this.#running += 1;
    else await this.#turn(path, signal);
    const { promise, resolve, reject } = Promise.withResolvers<T>();
    let [isLeft, isLost] = [false, false];
    const leave = (reason: unknown) => {
      if (!isLeft) allLeft += 1;
      isLeft = true;
      reject(reason);
    };
    const lose = () => {
      isLost = true;
      leave(doesNotAnswer(path));
      this.#lose();
    };
    const onAbort = () => {
      clearTimeout(limit);
      limit = setTimeout(lose, Math.min(limitMs, abandonedLimitMs));
      leave(signal?.reason);
    };
    // Aborted since it was this call's turn.
    if (signal?.aborted) this.#end();
    signal?.throwIfAborted();
    let limit = setTimeout(lose, limitMs);
    signal?.addEventListener("abort", onAbort, { once: true });
    void call()
      .then(
        (value) => (isLeft ? discard?.(value) : resolve(value)),
        (error: unknown) => reject(error),
      )
      .finally(() => {
        clearTimeout(limit);
        signal?.removeEventListener("abort", onAbort);
        if (isLeft) allLeft -= 1;
        if (isLost) this.#find();
        this.#end();
      });
    return promise.finally(() => signal?.removeEventListener("abort", onAbort));
  }

  /** Waits until a call may begin; it counts as running then. */
  #turn(path: string, signal: AbortSignal | undefined): Promise<void> {
    if (this.#stuck >= this.#maxAtOnce) return Promise.reject(doesNotAnswer(path));
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const waiting = { begin: resolve, refuse: () => reject(signal?.aborted ? signal.reason : doesNotAnswer(path)) };
    this.#waiting.add(waiting);
    const onAbort = () => {
      this.#waiting.delete(waiting);
      reject(signal?.reason);
    };
    signal?.addEventListener("abort", onAbort, { once: true });
    return promise.finally(() => signal?.removeEventListener("abort", onAbort));
  }

  /** Ends a call, and lets the next one have its place. */
  #end(): void {
    const [next] = this.#waiting;
    if (next === undefined) this.#running -= 1;
    else {
      this.#waiting.delete(next);
      next.begin();
    }
  }

  /** A call has not come back in time. When all have not, those who wait for their turn would wait for ever. */
  #lose(): void {
    this.#stuck += 1;
    allStuck += 1;
    if (this.#stuck < this.#maxAtOnce) return;
    for (const { refuse } of this.#waiting) refuse();
    this.#waiting.clear();
  }

  /** A call has come back too late. */
  #find(): void {
    this.#stuck -= 1;
    allStuck -= 1;
  }
}

function doesNotAnswer(path: string): FileRefusal {
  return new FileRefusal("stuck", path, "cannot be used: the disk does not answer.");
}
