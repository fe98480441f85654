import type { Database } from "../../platform/database/index.ts";
import { selectJobsIn, selectQueues } from "../jobs/index.ts";
import { applyEvent } from "./apply-event.ts";
import type { CommitDeps, CommitResult } from "./batch-commit.ts";
import type { RunEvent } from "./events.ts";
import { agentPrefix, capabilitiesOf, fittingPrefix } from "./queues.ts";

/** As many jobs of a queue are looked at; the others when it is looked again. */
const maxAtOnce = 500;

interface Deps extends CommitDeps {
  readonly db: Database;
  /** Everybody who was heard of within the last ten minutes. */
  readonly knownAgents: () => Promise<readonly { readonly id: string; readonly capabilities: readonly string[] }[]>;
  readonly onCommit: (result: CommitResult) => void;
}

/** Frees runs of agents that are gone for good: somebody else fills their roles, or the run fails for want of anybody. */
export async function leaveGoneAgents(parts: Deps): Promise<void> {
  const { db } = parts;
  const [agentQueues, fittingQueues] = await Promise.all([
    selectQueues(db, agentPrefix),
    selectQueues(db, fittingPrefix),
  ]);
  if (agentQueues.length + fittingQueues.length === 0) return;
  const known = await parts.knownAgents();
  for (const queue of agentQueues) {
    const agentId = queue.slice(agentPrefix.length);
    if (known.some(({ id }) => id === agentId)) continue;
    for (const projectId of new Set((await selectJobsIn(db, queue, maxAtOnce)).map(({ groupId }) => groupId)))
      await tell(parts, projectId, { type: "agent_gone", agentId });
  }
  for (const queue of fittingQueues) {
    const wanted = capabilitiesOf(queue);
    if (known.some(({ capabilities }) => wanted.every((one) => capabilities.includes(one)))) continue;
    for (const { groupId, number: job, payload } of await selectJobsIn(db, queue, maxAtOnce)) {
      const { role } = payload as { role: string };
      await tell(parts, groupId, { type: "role_unfillable", role, job, capabilities: wanted });
    }
  }
}

async function tell(
  parts: Deps,
  projectId: string,
  event: Extract<RunEvent, { type: "agent_gone" | "role_unfillable" }>,
) {
  parts.onCommit(await parts.db.transaction().execute((trx) => applyEvent(parts, trx, projectId, event)));
}
