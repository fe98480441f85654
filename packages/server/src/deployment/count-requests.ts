import type { DeploymentRow } from "./store.ts";
import type { SupervisorLink } from "./supervisor-link.ts";

interface RequestCounts {
  readonly total: number;
  readonly failed: number;
  readonly dropped: number;
}

/** The requests of a deployment so far, of all versions. */
export async function countRequests(
  link: SupervisorLink,
  deploymentId: string,
  row: DeploymentRow | undefined,
): Promise<RequestCounts> {
  const counts = { total: 0, failed: 0, dropped: 0 };
  // Elsewhere nobody counts.
  if (row?.url) return counts;
  const seen = (await (await link.find())?.list())?.find((one) => one.deploymentId === deploymentId);
  for (const { requests, failed, dropped } of seen?.traffic ?? []) {
    counts.total += requests;
    counts.failed += failed;
    counts.dropped += dropped;
  }
  return counts;
}

/** Never below zero: a supervisor that was started again counts from nothing. */
export function requestsSince(before: RequestCounts, after: RequestCounts): RequestCounts {
  return {
    total: Math.max(0, after.total - before.total),
    failed: Math.max(0, after.failed - before.failed),
    dropped: Math.max(0, after.dropped - before.dropped),
  };
}
