import type { Database } from "../../platform/database/index.ts";
import { type ClaimedJob, deferJobs, releaseJobs, releaseUnknownJobs, selectOwnJobs } from "./store.ts";

interface Work {
  readonly job: ClaimedJob;
  /** The slot group that the job occupies. */
  readonly slotGroup: string;
  readonly abort: AbortController;
  readonly ended: Promise<void>;
}

interface Deps {
  readonly db: Database;
  readonly node: string;
  readonly leaseMs: number;
  /** How long `stop` waits for work that ignores its signal. */
  readonly patienceMs: number;
  /** Whether the job's result is being settled: then the settlement decides whether the job was still ours. */
  readonly isBeingSettled: (job: ClaimedJob) => boolean;
  /** A slot became free, or a job is to be deferred. */
  readonly onEnded: () => void;
}

/** The jobs that this node has claimed: stops the work on those that it has lost, and defers what ended without a result. */
export class JobsInFlight {
  readonly #deps: Deps;
  readonly #work = new Map<number, Work>();
  /** Ended without a result: somebody must try them again. */
  readonly #unfinished: ClaimedJob[] = [];
  #mayHaveLost = false;
  /** When the answer to a claim may have been lost for the last time. */
  #unheardAtMs: number | undefined;

  constructor(deps: Deps) {
    this.#deps = deps;
  }

  /** Which slot group each job occupies. */
  *slots(): Generator<{ readonly id: number; readonly name: string }> {
    for (const [id, { slotGroup: name }] of this.#work) yield { id, name };
  }

  /** Whether this node still has this very claim of the job, as far as it knows. */
  has({ id, fence }: ClaimedJob): boolean {
    return this.#work.get(id)?.job.fence === fence;
  }

  begin(job: ClaimedJob, slotGroup: string, perform: (signal: AbortSignal) => Promise<void>): void {
    const known = this.#work.get(job.id);
    known?.abort.abort(new Error("The claim was lost."));
    const abort = new AbortController();
    // Never two at one task: an earlier claim of the same job on this node must have ended first.
    const ended = Promise.resolve(known?.ended)
      .then(() => perform(abort.signal))
      .then(() => this.#noteEnd(job, abort.signal));
    this.#work.set(job.id, { job, slotGroup, abort, ended });
  }

  /** The job is over. If this node has claimed it again since, that claim goes on. */
  forget(job: ClaimedJob): void {
    if (this.has(job)) this.#work.delete(job.id);
  }

  /** Jobs may have been revoked: the next `keep` asks the database. */
  suspectLoss(): void {
    this.#mayHaveLost = true;
  }

  /** The answer to a claim did not come: the database may have given this node jobs that it knows nothing of. */
  suspectUnknown(): void {
    this.#unheardAtMs = performance.now();
  }

  /** Stops the work on jobs that were lost, if there may be any, and defers what ended without a result. */
  async keep(): Promise<void> {
    await this.#stopLost();
    await this.#deferUnfinished();
    await this.#releaseUnknown();
  }

  /** Stops all work and releases the jobs, for others to claim at once. */
  async stop(): Promise<void> {
    const left = [...this.#work.values()];
    for (const { abort } of left) abort.abort(new Error("The service stops."));
    // Work that ignores its signal is left behind: after its lease, others could claim its job anyway.
    const { promise: isTooLate, resolve } = Promise.withResolvers<void>();
    const timer = setTimeout(resolve, this.#deps.patienceMs);
    await Promise.race([Promise.allSettled(left.map(({ ended }) => ended)), isTooLate]);
    clearTimeout(timer);
    const jobs = [...left.map(({ job }) => job), ...this.#unfinished];
    if (jobs.length > 0) await releaseJobs(this.#deps.db, jobs).catch(() => undefined);
  }

  #noteEnd(job: ClaimedJob, signal: AbortSignal): void {
    if (signal.aborted || this.#work.get(job.id)?.job !== job) return;
    this.#work.delete(job.id);
    this.#unfinished.push(job);
    this.#deps.onEnded();
  }

  async #releaseUnknown(): Promise<void> {
    const { db, node, leaseMs } = this.#deps;
    const unheardAtMs = this.#unheardAtMs;
    if (unheardAtMs === undefined || performance.now() - unheardAtMs <= leaseMs) return;
    const known = [...this.#work.keys(), ...this.#unfinished.map(({ id }) => id)];
    await releaseUnknownJobs(db, { node, leaseMs, known });
    if (this.#unheardAtMs === unheardAtMs) this.#unheardAtMs = undefined;
  }

  async #deferUnfinished(): Promise<void> {
    if (this.#unfinished.length === 0) return;
    const jobs = [...this.#unfinished];
    await deferJobs(this.#deps.db, jobs);
    this.#unfinished.splice(0, jobs.length);
  }

  async #stopLost(): Promise<void> {
    if (!this.#mayHaveLost) return;
    const jobs = [...this.#work.values()].map(({ job }) => job);
    // Before the query: a job that is revoked while it runs is looked for once more.
    this.#mayHaveLost = false;
    try {
      const own = jobs.length > 0 ? await selectOwnJobs(this.#deps.db, jobs) : new Set();
      for (const job of jobs) if (!own.has(job.id)) this.#lose(job);
    } catch (error) {
      this.#mayHaveLost = true;
      throw error;
    }
  }

  #lose(job: ClaimedJob): void {
    const lost = this.#work.get(job.id);
    // Claimed anew meanwhile, or its result is being settled.
    if (lost?.job.fence !== job.fence || this.#deps.isBeingSettled(job)) return;
    lost.abort.abort(new Error("The result is no longer wanted."));
    // Its slot stays busy until the work has really ended.
    void lost.ended.finally(() => {
      if (this.#work.get(job.id) === lost) this.#work.delete(job.id);
      this.#deps.onEnded();
    });
  }
}
