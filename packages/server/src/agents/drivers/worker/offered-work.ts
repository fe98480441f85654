import type { ClaimedTask } from "@slipway/contract";
import type { AgentWork } from "../driver.ts";
import type { TakenLease } from "./lease-store.ts";

/** What a lease keeps of the work, for who takes it. */
export interface OfferedWork
  extends Pick<ClaimedTask, "agent_id" | "attempt" | "task" | "prompt" | "document" | "limits" | "heartbeat_seconds"> {
  /** The digest of the archive with the files that it begins with. */
  readonly source: string;
}

/** The work as it is kept. */
export function offeredWork(
  { agentId, attempt, task, prompt, document }: AgentWork,
  { source, hearMs }: { source: string; hearMs: number },
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
    document: document as unknown as Record<string, unknown>,
    limits: { minutes: document.timeouts.implementation_minutes },
    // One may get lost, and another be late.
    heartbeat_seconds: Math.max(1, Math.floor(hearMs / 3_000)),
    source,
  };
}

/** The work as a worker is told. */
export function claimedTask({ id, fence, projectId, work: { source: _, ...work } }: TakenLease): ClaimedTask {
  return {
    lease_id: id,
    fence,
    project_id: projectId,
    ...work,
    source_url: `/api/v1/leases/${id}/source`,
  };
}
