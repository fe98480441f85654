import type { AcceptanceReport, Approval, DecideApproval } from "@slipway/contract";
import type { CompleteSpec } from "@slipway/spec";
import { answerByPerson, openLines, type ReportSources } from "../../engine/execution/index.ts";
import { applyEvent, type CommitDeps, type CommitResult } from "../../engine/lifecycle/index.ts";
import type { BlobStore } from "../../platform/blobs/index.ts";
import type { Database } from "../../platform/database/index.ts";
import { Refusal } from "../../platform/errors/index.ts";
import { type Handlers, type Principal, pageOf, pageRequest, type Transact } from "../../platform/http/index.ts";
import { shortened } from "../../platform/one-line.ts";
import { recordChange } from "../audit/index.ts";
import { isOnlyPerson } from "../auth/index.ts";
import { requireReadable } from "../projects/index.ts";
import { type ApprovalRow, decide, findApproval, selectApprovals, selectPending } from "./store.ts";

/** How many approvers a refusal names, and how much of each. */
const maxNamed = 10;
const maxNameLength = 100;

interface Deps extends CommitDeps {
  readonly db: Database;
  readonly blobs: Pick<BlobStore, "put">;
  readonly reports: Pick<ReportSources, "current">;
  readonly findDocument: (projectId: string) => Promise<CompleteSpec>;
  readonly transact: Transact;
  readonly onCommit: (result: CommitResult) => void;
  /** Whether the submitter of a project may approve it; undefined: only while there is one user. */
  readonly allowsSelf: boolean | undefined;
  /** Called after a person has answered an agent's permission request. */
  readonly onAnswered: (projectId: string) => void;
}

export function approvalRoutes(
  deps: Deps,
): Pick<Handlers, "listPendingApprovals" | "listApprovals" | "decideApproval"> {
  const { db, clock, transact } = deps;
  return {
    listPendingApprovals: async ({ principal, query }) => {
      const page = pageRequest(query, /^appr_/);
      const rows = await selectPending(db, principal, page, clock.now());
      const { items, nextCursor } = pageOf(rows, page, ({ id }) => id);
      const approvals = await Promise.all(
        items.map(async (row) => {
          const report = isAboutResult(row) ? await deps.reports.current(row.project_id) : undefined;
          return { ...showApproval(row, clock.now(), report), project_name: row.project_name };
        }),
      );
      return { status: 200, body: { approvals, next_cursor: nextCursor } };
    },

    listApprovals: async ({ params, principal, query }) => {
      await requireReadable(db, params.project_id, principal);
      const page = pageRequest(query, /^appr_/);
      const { items, nextCursor } = pageOf(await selectApprovals(db, params.project_id, page), page, ({ id }) => id);
      const report = items.some(isAboutResult) ? await deps.reports.current(params.project_id) : undefined;
      const approvals = items.map((row) => showApproval(row, clock.now(), report));
      return { status: 200, body: { approvals, next_cursor: nextCursor } };
    },

    decideApproval: async (call) => {
      const { principal, body } = call;
      const approval = await findApproval(db, call.params.approval_id, principal);
      if (approval === undefined) throw noSuchApproval();
      await requireReadable(db, approval.project_id, principal).catch(() => {
        throw noSuchApproval();
      });
      if (approval.gate === "permission") requireAnswerer(approval, clock.now());
      else await requireApprover(deps, approval, principal);
      const isApproved = body.decision === "approve";
      const answered = await answerLines(deps, approval, principal, body).catch(ifRefused);
      let result: CommitResult | undefined;
      const answer = await transact(call, async (trx) => {
        // Not earlier: a repeated call has its first answer, and whoever comes too late is told so.
        if (answered instanceof Refusal && approval.decision === null) throw answered;
        const lines = answered instanceof Refusal ? undefined : answered;
        const decided = {
          decision: isApproved ? "approved" : "denied",
          decidedAt: clock.now(),
          decidedBy: principal.userName,
          comment: body.comment ?? null,
        } as const;
        const { project_id: projectId, gate, round } = approval;
        const reason = body.comment ?? `${principal.userName} denied it.`;
        // The run first: every change of a run locks its row first. A permission request changes no run.
        if (gate === "promotion")
          result = await applyEvent(deps, trx, projectId, {
            ...{ type: "promotion_decided", number: round, isApproved, reason },
          });
        else if (gate !== "permission")
          result = await applyEvent(
            deps,
            trx,
            projectId,
            { type: "gate_decided", gate, round, isApproved, reason, ...(lines && { checks: lines.report.counts }) },
            lines?.artifacts,
          );
        const [row] = await decide(trx, { id: approval.id }, decided);
        if (row === undefined) {
          const known = (await findApproval(trx, approval.id, principal))?.decision;
          throw new Refusal("conflict", `This is ${known ?? "decided"} already.`);
        }
        const detail = { decision: decided.decision, project_id: projectId };
        await recordChange(trx, clock, call, { action: "approval.decide", target: approval.id, detail });
        return { status: 200, body: showApproval(row, clock.now(), lines?.report) };
      });
      if (result !== undefined) deps.onCommit(result);
      if (approval.gate === "permission") deps.onAnswered(approval.project_id);
      return answer;
    },
  };
}

/** What the person says about lines that nobody has checked, put into a new report; undefined if that says nothing. */
async function answerLines(
  { reports, blobs, findDocument }: Deps,
  { id: approvalId, gate, project_id: projectId }: ApprovalRow,
  { userName: person }: Principal,
  { decision, comment, confirms = [] }: DecideApproval,
) {
  const isLetThrough = isAboutResult({ gate }) && decision === "approve";
  if (confirms.length > 0 && !isLetThrough)
    throw new Refusal("invalid_body", "Only who approves a deployment can confirm lines of its report.");
  if (!isLetThrough) return undefined;
  const report = await reports.current(projectId);
  const open = report === undefined ? [] : openLines(report).map(({ pointer }) => pointer);
  const known = new Set(open);
  const other = confirms.find((pointer) => !known.has(pointer));
  if (other !== undefined)
    throw new Refusal(
      "invalid_body",
      `'${other}' is not among the unchecked lines: ${open.join(", ") || "there are none"}.`,
    );
  if (open.length === 0) return undefined;
  const document = await findDocument(projectId);
  const about = { projectId, approvalId, person, document, comment, confirmed: confirms };
  return answerByPerson({ reports, blobs }, about);
}

/** Only named approvers may decide, or administrators if none is named; the submitter only if the operator allows it. */
async function requireApprover(
  { db, allowsSelf }: Pick<Deps, "db" | "allowsSelf">,
  { approvers, owner_id }: { approvers: readonly string[]; owner_id: string },
  { userId, userName, role }: Principal,
): Promise<void> {
  const isAsked = approvers.length === 0 ? role === "svc:admin" : approvers.includes(userName);
  if (!isAsked) {
    const who = approvers.length === 0 ? "administrators" : namesOf(approvers);
    throw new Refusal("forbidden", `Only ${who} may decide this.`);
  }
  if (owner_id === userId && !(allowsSelf ?? (await isOnlyPerson(db, userId))))
    throw new Refusal("forbidden", "Who submitted a project cannot approve it.");
}

/** Some of them: a document may name very many. */
function namesOf(approvers: readonly string[]): string {
  const named = approvers.slice(0, maxNamed).map((name) => shortened(name, maxNameLength));
  const others = approvers.length - named.length;
  return `${named.join(", ")}${others > 0 ? ` and ${others} more` : ""}`;
}

/** Whoever may change the project may answer, while the agent still waits. */
function requireAnswerer(approval: ApprovalRow & { isChangeable: unknown }, now: Date): void {
  if (approval.isChangeable !== true)
    throw new Refusal("forbidden", "Only administrators, who submitted the project and their team may decide this.");
  if (statusOf(approval, now) === "expired") throw new Refusal("conflict", "This is expired already.");
}

function ifRefused(error: unknown): Refusal {
  if (error instanceof Refusal) return error;
  throw error;
}

function noSuchApproval(): Refusal {
  return new Refusal("not_found", "There is no such approval, or it is not yours to see.");
}

/** A permission request past its deadline counts as expired: if the agent's node died, nobody closes it. */
function statusOf({ gate, decision, deadline }: ApprovalRow, now: Date): Approval["status"] {
  if (decision !== null) return decision;
  return gate === "permission" && deadline < now ? "expired" : "pending";
}

function isAboutResult({ gate }: Pick<ApprovalRow, "gate">): boolean {
  return gate === "deployment";
}

/** The lines that a person decides about, or has decided about by this approval. */
function linesOf({ id, gate, decision }: ApprovalRow, report: AcceptanceReport | undefined): Approval["lines"] {
  if (report === undefined || !isAboutResult({ gate })) return [];
  const lines =
    decision === null ? openLines(report) : report.lines.filter(({ answered_by }) => answered_by?.id === id);
  return lines.map(({ pointer, line, title, reason, verdict }) => ({ pointer, line, title, reason, verdict }));
}

function showApproval(row: ApprovalRow, now: Date, report?: AcceptanceReport): Approval {
  return {
    approval_id: row.id,
    project_id: row.project_id,
    gate: row.gate,
    phase: row.phase,
    environment: row.environment,
    approvers: row.approvers,
    task_id: row.task_id,
    agent_id: row.agent_id,
    question: row.question,
    status: statusOf(row, now),
    created_at: row.created_at.toISOString(),
    deadline: row.deadline.toISOString(),
    decided_at: row.decided_at?.toISOString() ?? null,
    decided_by: row.decided_by,
    comment: row.comment,
    lines: linesOf(row, report),
  };
}
