import type { Approval } from "@slipway/contract";
import { recordChange } from "../audit/index.ts";
import { countUsers } from "../auth/index.ts";
import type { Database } from "../database/index.ts";
import { type Handlers, type Principal, pageOf, pageRequest, type Transact } from "../http/index.ts";
import { type TurnParts, type TurnResult, tellRun } from "../lifecycle/index.ts";
import { requireReadable } from "../projects/index.ts";
import { Refusal } from "../refusal.ts";
import { type ApprovalRow, decide, findApproval, selectApprovals } from "./store.ts";

interface Parts extends TurnParts {
  readonly db: Database;
  readonly transact: Transact;
  readonly onTurn: (result: TurnResult) => void;
}

export function approvalRoutes(parts: Parts): Pick<Handlers, "listApprovals" | "decideApproval"> {
  const { db, clock, transact } = parts;
  return {
    listApprovals: async ({ params, principal, query }) => {
      await requireReadable(db, params.project_id, principal);
      const page = pageRequest(query, /^appr_/);
      const { items, nextCursor } = pageOf(await selectApprovals(db, params.project_id, page), page, ({ id }) => id);
      return { status: 200, body: { approvals: items.map(showApproval), next_cursor: nextCursor } };
    },

    decideApproval: async (call) => {
      const { principal, body } = call;
      const approval = await findApproval(db, call.params.approval_id);
      if (approval === undefined) throw noSuchApproval();
      await requireReadable(db, approval.project_id, principal).catch(() => {
        throw noSuchApproval();
      });
      await requireApprover(db, approval, principal);
      const isApproved = body.decision === "approve";
      let result: TurnResult | undefined;
      const answer = await transact(call, async (trx) => {
        const decided = {
          decision: isApproved ? "approved" : "denied",
          decidedAt: clock.now(),
          decidedBy: principal.userName,
          comment: body.comment ?? null,
        } as const;
        const { project_id: projectId, gate, round } = approval;
        // The run first: whoever changes one holds its row before anything else of it.
        const reason = body.comment ?? `${principal.userName} denied it.`;
        result = await tellRun(parts, trx, projectId, { type: "gate_decided", gate, round, isApproved, reason });
        const [row] = await decide(trx, { id: approval.id }, decided);
        if (row === undefined) {
          const known = (await findApproval(trx, approval.id))?.decision;
          throw new Refusal("conflict", `This is ${known ?? "decided"} already.`);
        }
        const detail = { decision: decided.decision, project_id: projectId };
        await recordChange(trx, clock, call, { action: "approval.decide", target: approval.id, detail });
        return { status: 200, body: showApproval(row) };
      });
      if (result !== undefined) parts.onTurn(result);
      return answer;
    },
  };
}

/** Only who is named decides, or an administrator where nobody is; and who submitted it only where there is nobody else. */
async function requireApprover(
  db: Database,
  { approvers, owner_id }: { approvers: readonly string[]; owner_id: string },
  { userId, userName, role }: Principal,
): Promise<void> {
  const isAsked = approvers.length === 0 ? role === "svc:admin" : approvers.includes(userName);
  if (!isAsked) {
    const who = approvers.length === 0 ? "administrators" : approvers.join(", ");
    throw new Refusal("forbidden", `Only ${who} may decide this.`);
  }
  if (owner_id === userId && (await countUsers(db)) > 1)
    throw new Refusal("forbidden", "Who submitted a project cannot approve it.");
}

function noSuchApproval(): Refusal {
  return new Refusal("not_found", "There is no such approval, or it is not yours to see.");
}

function showApproval(row: ApprovalRow): Approval {
  return {
    approval_id: row.id,
    project_id: row.project_id,
    gate: row.gate,
    phase: row.phase,
    environment: row.environment,
    approvers: row.approvers,
    status: row.decision ?? "pending",
    created_at: row.created_at.toISOString(),
    deadline: row.deadline.toISOString(),
    decided_at: row.decided_at?.toISOString() ?? null,
    decided_by: row.decided_by,
    comment: row.comment,
  };
}
