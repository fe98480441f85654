import { type KnownAgent, lackingOf, offers } from "../../agents/index.ts";
import type { Database } from "../../platform/database/index.ts";
import { agentPrefix, needsOf, offerPrefix, selectJobsIn, selectQueues } from "../jobs/index.ts";
import { applyEvent } from "./apply-event.ts";
import type { CommitDeps, CommitResult } from "./batch-commit.ts";
import type { RunEvent } from "./events.ts";

/** How many jobs of a queue one round handles; the next round handles the others. */
const maxAtOnce = 500;

interface Deps extends CommitDeps {
  readonly db: Database;
  /** Every agent seen within the last ten minutes. */
  readonly knownAgents: () => Promise<readonly KnownAgent[]>;
  readonly onCommit: (result: CommitResult) => void;
}

/** Frees runs from agents that are gone for good: another agent fills the role, or the run fails for lack of one. */
export async function leaveGoneAgents(deps: Deps): Promise<void> {
  const { db } = deps;
  const [agentQueues, offerQueues] = await Promise.all([selectQueues(db, agentPrefix), selectQueues(db, offerPrefix)]);
  if (agentQueues.length + offerQueues.length === 0) return;
  const known = await deps.knownAgents();
  for (const queue of agentQueues) {
    const agentId = queue.slice(agentPrefix.length);
    if (known.some(({ id }) => id === agentId)) continue;
    for (const projectId of new Set((await selectJobsIn(db, queue, maxAtOnce)).map(({ groupId }) => groupId)))
      await apply(deps, projectId, { type: "agent_gone", agentId });
  }
  for (const queue of offerQueues) {
    const needs = needsOf(queue);
    if (known.some((agent) => offers(agent, needs))) continue;
    for (const { groupId, number: job, payload } of await selectJobsIn(db, queue, maxAtOnce)) {
      const { role } = payload as { role: string };
      await apply(deps, groupId, { type: "role_unfillable", role, job, capabilities: lackingOf({ ...needs, role }) });
    }
  }
}

async function apply(
  deps: Deps,
  projectId: string,
  event: Extract<RunEvent, { type: "agent_gone" | "role_unfillable" }>,
) {
  deps.onCommit(await deps.db.transaction().execute((trx) => applyEvent(deps, trx, projectId, event)));
}
