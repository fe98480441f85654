import type { GateApprovals } from "../../engine/lifecycle/index.ts";
import type { Clock } from "../../platform/clock.ts";
import { newId } from "../../platform/ids.ts";
import { decide, insertApproval } from "./store.ts";

/** How long people have to decide. */
const waitMs = 7 * 24 * 3_600_000;

/** Saves the approvals that people must decide, in the transaction in which the run starts to wait for them. */
export function createGateApprovals(clock: Clock): GateApprovals {
  return {
    ask: async (trx, { projectId, approvers, ...question }) => {
      const now = clock.now();
      const deadline = new Date(now.getTime() + waitMs);
      const approvalId = newId("approval", now.getTime());
      await insertApproval(trx, {
        ...question,
        id: approvalId,
        project_id: projectId,
        approvers: [...approvers],
        created_at: now,
        deadline,
      });
      return { approvalId, deadline, waitMs };
    },
    withdraw: async (trx, projectId) => {
      await decide(trx, { projectId }, ended("withdrawn"));
    },
    expire: async (trx, question) => {
      await decide(trx, question, ended("expired"));
    },
  };

  function ended(decision: "withdrawn" | "expired") {
    return { decision, decidedAt: clock.now(), decidedBy: null, comment: null } as const;
  }
}
