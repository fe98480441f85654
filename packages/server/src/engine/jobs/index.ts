export {
  agentPrefix,
  agentQueue,
  capabilitiesOf,
  capabilityPrefix,
  capabilityQueue,
  engineQueue,
  stepsQueue,
} from "./queues.ts";
export { JobRunner, type JobRunnerDeps, type RunningJob } from "./runner.ts";
export { findRunningTasks } from "./running-tasks.ts";
export type { Finished, SettledBatch, Verdict } from "./settlement.ts";
export {
  type ClaimedJob,
  claimJobs,
  countJobs,
  deferJobs,
  deleteJobs,
  enqueueAndClaimJobs,
  enqueueJobs,
  insertJobSql,
  isAttemptInFlight,
  isJobOpen,
  jobPayloadsSql,
  type MetDemand,
  type NewJob,
  pauseJobs,
  releaseAllJobs,
  releaseJobs,
  renewLeases,
  revokeJobs,
  type SettledJob,
  selectJobsIn,
  selectJobsOf,
  selectOwnJobs,
  selectQueues,
  settleJobs,
} from "./store.ts";
