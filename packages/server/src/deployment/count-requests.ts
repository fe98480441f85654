import type { DeploymentRow } from "./store.ts";
import type { DeploymentStatus } from "./supervisor/index.ts";
import type { SupervisorLink } from "./supervisor-link.ts";

interface RequestCounts {
  readonly total: number;
  readonly failed: number;
  readonly dropped: number;
}

/** By version: those that went long ago are not told of for ever. */
type Counted = ReadonlyMap<string, DeploymentStatus["traffic"][number]>;

interface Serving {
  /** A script has brought it live, and leads requests wherever it likes. */
  readonly isByScript: boolean;
  /** At a target elsewhere, to which requests go by themselves. */
  readonly url: string | null | undefined;
}

/** Whether no request of these versions goes past who counts. */
export function areAllCounted(versions: readonly Serving[]): boolean {
  return versions.every(({ isByScript, url }) => !isByScript && !url);
}

/** The requests of a deployment so far. */
export async function countRequests(
  link: SupervisorLink,
  deploymentId: string,
  row: DeploymentRow | undefined,
): Promise<Counted> {
  // Elsewhere nobody counts.
  if (row?.url) return new Map();
  const seen = (await (await link.find())?.list())?.find((one) => one.deploymentId === deploymentId);
  return new Map((seen?.traffic ?? []).map((one) => [one.release, one]));
}

/** The requests of all versions between two counts. */
export function requestsSince(before: Counted, after: Counted): RequestCounts {
  const counts = { total: 0, failed: 0, dropped: 0 };
  for (const [release, now] of after) {
    const then = before.get(release);
    // A supervisor that was started again counts from nothing.
    const isSame = then !== undefined && then.requests <= now.requests;
    counts.total += now.requests - (isSame ? then.requests : 0);
    counts.failed += now.failed - (isSame ? then.failed : 0);
    counts.dropped += now.dropped - (isSame ? then.dropped : 0);
  }
  return counts;
}
