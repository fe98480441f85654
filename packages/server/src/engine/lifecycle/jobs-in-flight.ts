import type { Database } from "../../platform/database/index.ts";
import { type ClaimedJob, deferJobs, releaseJobs, renewLeases, selectOwnJobs } from "../jobs/index.ts";

interface Work {
  readonly job: ClaimedJob;
  /** Whose hands are at it. */
  readonly slots: string;
  readonly abort: AbortController;
  readonly ended: Promise<void>;
}

interface Deps {
  readonly db: Database;
  readonly leaseMs: number;
  /** Whether its result is on its way: then the settling will tell whether it was still one's own. */
  readonly isBeingSettled: (job: ClaimedJob) => boolean;
  /** Hands have become free, or a job is to be put off. */
  readonly onEnded: () => void;
}

/** The jobs that this node has taken: it holds their leases, and stops the work on those that it has lost. */
export class JobsInFlight {
  readonly #parts: Deps;
  readonly #work = new Map<number, Work>();
  /** Ended without a result: somebody must try them again. */
  readonly #unfinished: ClaimedJob[] = [];
  #keptAtMs = performance.now();
  #mayHaveLost = false;

  constructor(parts: Deps) {
    this.#parts = parts;
  }

  /** Which hands are at which job. */
  *slots(): Generator<{ readonly id: number; readonly name: string }> {
    for (const [id, { slots: name }] of this.#work) yield { id, name };
  }

  /** Whether this very lease of the job is still held, as far as is known here. */
  has({ id, fence }: ClaimedJob): boolean {
    return this.#work.get(id)?.job.fence === fence;
  }

  begin(job: ClaimedJob, slots: string, perform: (signal: AbortSignal) => Promise<void>): void {
    const known = this.#work.get(job.id);
    known?.abort.abort(new Error("The lease was lost."));
    const abort = new AbortController();
    // Never two at one task: whoever had it here before must be gone first.
    const ended = Promise.resolve(known?.ended)
      .then(() => perform(abort.signal))
      .then(() => this.#noteEnd(job, abort.signal));
    this.#work.set(job.id, { job, slots, abort, ended });
  }

  /** It is over. This node may have taken the same job once more since: then that goes on. */
  forget(job: ClaimedJob): void {
    if (this.has(job)) this.#work.delete(job.id);
  }

  /** Jobs may have been taken away. */
  suspectLoss(): void {
    this.#mayHaveLost = true;
  }

  /** Says that this node still lives and is at its jobs, stops what it has lost, and puts off what was not finished. */
  async look(): Promise<void> {
    await this.#keepLeases();
    await this.#putOffUnfinished();
  }

  /** Ends everything and gives it back, for others to go on with at once. */
  async stop(): Promise<void> {
    const left = [...this.#work.values()];
    for (const { abort } of left) abort.abort(new Error("The service stops."));
    // Who does not stop when told is left behind: by then others could take its job anyway.
    const { promise: isTooLate, resolve } = Promise.withResolvers<void>();
    const timer = setTimeout(resolve, this.#parts.leaseMs);
    await Promise.race([Promise.allSettled(left.map(({ ended }) => ended)), isTooLate]);
    clearTimeout(timer);
    const jobs = [...left.map(({ job }) => job), ...this.#unfinished];
    if (jobs.length > 0) await releaseJobs(this.#parts.db, jobs).catch(() => undefined);
  }

  /** What ended without a result must not be held for ever. */
  #noteEnd(job: ClaimedJob, signal: AbortSignal): void {
    if (signal.aborted || this.#work.get(job.id)?.job !== job) return;
    this.#work.delete(job.id);
    this.#unfinished.push(job);
    this.#parts.onEnded();
  }

  async #putOffUnfinished(): Promise<void> {
    if (this.#unfinished.length === 0) return;
    const jobs = [...this.#unfinished];
    await deferJobs(this.#parts.db, jobs);
    this.#unfinished.splice(0, jobs.length);
  }

  async #keepLeases(): Promise<void> {
    const { db, leaseMs } = this.#parts;
    const now = performance.now();
    const isDue = now - this.#keptAtMs > leaseMs / 3;
    if (!isDue && !this.#mayHaveLost) return;
    const jobs = [...this.#work.values()].map(({ job }) => job);
    // Before it is looked: what is taken away meanwhile is looked for once more.
    this.#mayHaveLost = false;
    try {
      if (isDue && jobs.length > 0) await renewLeases(db, jobs, leaseMs);
      const own = jobs.length > 0 ? await selectOwnJobs(db, jobs) : new Set();
      for (const job of jobs) if (!own.has(job.id)) this.#lose(job);
    } catch (error) {
      this.#mayHaveLost = true;
      throw error;
    }
    if (isDue) this.#keptAtMs = now;
  }

  #lose(job: ClaimedJob): void {
    const lost = this.#work.get(job.id);
    // Taken anew meanwhile, or its result is on its way.
    if (lost?.job.fence !== job.fence || this.#parts.isBeingSettled(job)) return;
    lost.abort.abort(new Error("The result is no longer wanted."));
    // Its hands are busy until it has really ended.
    void lost.ended.finally(() => {
      if (this.#work.get(job.id) === lost) this.#work.delete(job.id);
      this.#parts.onEnded();
    });
  }
}
