import { JobRunner, type JobRunnerDeps } from "../jobs/index.ts";
import type { CommitDeps, CommitResult } from "./batch-commit.ts";
import { performJob } from "./perform-job.ts";
import type { Steps } from "./ports.ts";
import { type Result, settleResults } from "./settle-results.ts";

/** A runner whose jobs move projects on. */
export type ProjectRunner = JobRunner<Result, CommitResult>;

export interface ProjectRunnerDeps extends CommitDeps, Omit<JobRunnerDeps<Result, CommitResult>, "perform" | "settle"> {
  readonly steps: Steps;
}

/** Puts the queue's runner together with what the jobs of projects are and what their results lead to. */
export function createProjectRunner(deps: ProjectRunnerDeps): ProjectRunner {
  return new JobRunner({
    ...deps,
    perform: (running) => performJob({ ...deps, ...running }),
    settle: (trx, finished) => settleResults(trx, deps, finished),
  });
}
