import type { Answers, Transaction } from "../../platform/database/index.ts";
import type { ClaimedJob, NewJob } from "./store.ts";

/** Whether a result counts: settled; stale, to be made again from the newest state; or lost with the lease. */
export type Verdict = "settled" | "stale" | "lost";

/** A job that is over, and who waits to hear whether its result counts. */
export interface Finished<Result> {
  readonly job: ClaimedJob;
  readonly result: Result;
  readonly onVerdict: (verdict: Verdict) => void;
}

/** What a commit changed, as far as the runner must know. */
export interface JobCommit {
  /** Queues that got jobs. */
  readonly queues: ReadonlySet<string>;
  /** Groups that had jobs revoked. */
  readonly dropped: ReadonlySet<string>;
}

/** Settles finished jobs by their fence, in the runner's transaction, and works out what follows. */
export type SettleJobs<Result, Commit extends JobCommit> = (
  trx: Transaction,
  finished: readonly Finished<Result>[],
) => Promise<SettledBatch<Result, Commit>>;

export interface SettledBatch<Result, Commit extends JobCommit> {
  readonly verdicts: ReadonlyMap<Finished<Result>, Verdict>;
  /** Sends everything that follows to the database; the jobs that follow go to `enqueue`. */
  send(answers: Answers, enqueue: (jobs: readonly NewJob[]) => Promise<void>): Promise<Commit>;
  /** The transaction has committed. */
  noteCommitted(): void;
}
