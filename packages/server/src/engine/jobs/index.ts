export { LeaseEnded } from "./leases.ts";
export { deleteAllNodes, renewNode, selectNodes } from "./node-store.ts";
export {
  agentPrefix,
  agentQueue,
  engineQueue,
  hostQueue,
  needsOf,
  offerPrefix,
  offerQueue,
  stepsQueue,
} from "./queues.ts";
export {
  countAllJobs,
  countJobs,
  isAttemptInFlight,
  isJobOpen,
  jobPayloadsSql,
  selectJobsIn,
  selectJobsOf,
  selectQueues,
} from "./read-jobs-store.ts";
export { JobRunner, type JobRunnerDeps, type RunningJob } from "./runner.ts";
export { findRunningTasks } from "./running-tasks.ts";
export type { Finished, SettledBatch, Verdict } from "./settlement.ts";
export {
  type ClaimedJob,
  claimJobs,
  deferJobs,
  deleteJobs,
  enqueueAndClaimJobs,
  enqueueJobs,
  insertJobSql,
  type MetDemand,
  type NewJob,
  pauseJobs,
  releaseJobs,
  releaseLostJobs,
  revokeJobs,
  type SettledJob,
  selectOwnJobs,
  settleJobs,
} from "./store.ts";
