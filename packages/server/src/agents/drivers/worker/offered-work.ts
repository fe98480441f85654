import type { ClaimedTask } from "@slipway/contract";
import type { AgentWork } from "../driver.ts";
import type { ClaimedLease } from "./lease-store.ts";

/** The work as a lease stores it for the worker that claims it. */
export interface OfferedWork
  extends Pick<ClaimedTask, "agent_id" | "attempt" | "task" | "prompt" | "document" | "limits" | "heartbeat_seconds"> {
  /** The digest of the archive with the project's files. */
  readonly source: string;
}

export function offeredWork(
  { agentId, attempt, task, prompt, document }: AgentWork,
  { source, heartbeatMs }: { source: string; heartbeatMs: number },
): OfferedWork {
  const { id, title, description = null, phase, role, dependsOn, estimatedHours, serves } = task;
  return {
    agent_id: agentId,
    attempt,
    task: {
      id,
      title,
      description,
      phase,
      role,
      depends_on: [...dependsOn],
      estimated_hours: estimatedHours,
      serves: [...serves],
    },
    prompt,
    document: { ...document },
    limits: { minutes: document.timeouts.implementation_minutes },
    // Three in the time allowed: one may get lost, and another be late.
    heartbeat_seconds: Math.max(1, Math.floor(heartbeatMs / 3_000)),
    source,
  };
}

/** The work as the API sends it to the worker. */
export function claimedTask({ id, fence, projectId, work: { source: _, ...work } }: ClaimedLease): ClaimedTask {
  return {
    lease_id: id,
    fence,
    project_id: projectId,
    ...work,
    source_url: `/api/v1/leases/${id}/source`,
  };
}
