import { type Selectable, sql } from "kysely";
import type { Database, Schema, Transaction } from "../../platform/database/index.ts";
import type { PageRequest, Principal } from "../../platform/http/index.ts";
import { changeableBy, readableBy } from "../projects/index.ts";

export type ApprovalRow = Selectable<Schema["approvals"]>;

export async function insertApproval(
  trx: Transaction,
  approval: Pick<
    ApprovalRow,
    "id" | "project_id" | "gate" | "round" | "phase" | "environment" | "approvers" | "created_at" | "deadline"
  >,
): Promise<void> {
  await trx.insertInto("approvals").values(approval).execute();
}

/** Saves an agent's permission request under the next number of its project. */
export async function insertPermission(
  trx: Transaction,
  asked: Pick<
    ApprovalRow,
    "id" | "project_id" | "task_id" | "agent_id" | "phase" | "environment" | "question" | "created_at" | "deadline"
  >,
): Promise<void> {
  const { id, project_id, task_id, agent_id, phase, environment, question, created_at, deadline } = asked;
  await sql`
    insert into approvals (id, project_id, gate, round, task_id, agent_id, phase, environment, approvers, question, created_at, deadline)
    select ${id}, ${project_id}, 'permission', coalesce(max(round), 0) + 1, ${task_id}, ${agent_id}, ${phase},
      ${environment}, '{}', ${question}, ${created_at}, ${deadline}
    from approvals where project_id = ${project_id} and gate = 'permission'`.execute(trx);
}

export interface Decision {
  readonly decision: "approved" | "denied" | "expired" | "withdrawn";
  readonly decidedAt: Date;
  readonly decidedBy: string | null;
  readonly comment: string | null;
}

/** Decides the approvals that are still open; returns those that it decided. */
export async function decide(
  trx: Transaction,
  which:
    | { id: string }
    | { projectId: string; taskId: string }
    | { projectId: string; gate?: ApprovalRow["gate"]; round?: number },
  { decision, decidedAt, decidedBy, comment }: Decision,
): Promise<ApprovalRow[]> {
  let query = trx
    .updateTable("approvals")
    .set({ decision, decided_at: decidedAt, decided_by: decidedBy, comment })
    .where("decision", "is", null);
  if ("id" in which) query = query.where("id", "=", which.id);
  else {
    query = query.where("project_id", "=", which.projectId);
    if ("taskId" in which) return query.where("task_id", "=", which.taskId).returningAll().execute();
    if (which.gate !== undefined) query = query.where("gate", "=", which.gate);
    if (which.round !== undefined) query = query.where("round", "=", which.round);
  }
  return query.returningAll().execute();
}

/** An approval with the owner of its project, and whether the caller may change that project. */
export async function findApproval(
  db: Database,
  id: string,
  principal: Principal,
): Promise<(ApprovalRow & { owner_id: string; isChangeable: unknown }) | undefined> {
  return db
    .selectFrom("approvals")
    .innerJoin("projects", "projects.id", "approvals.project_id")
    .selectAll("approvals")
    .select(["projects.owner_id", changeableBy(principal, "projects").as("isChangeable")])
    .where("approvals.id", "=", id)
    .executeTakeFirst();
}

/** The decision; null: still open, undefined: not found. */
export async function findDecision(db: Database, id: string): Promise<ApprovalRow["decision"] | undefined> {
  const row = await db.selectFrom("approvals").select("decision").where("id", "=", id).executeTakeFirst();
  return row?.decision;
}

export async function selectApprovals(
  db: Database,
  projectId: string,
  { limit, after }: PageRequest,
): Promise<ApprovalRow[]> {
  let query = db.selectFrom("approvals").selectAll().where("project_id", "=", projectId);
  if (after !== undefined) query = query.where("id", "<", after);
  return query
    .orderBy("id", "desc")
    .limit(limit + 1)
    .execute();
}

/** The approvals that wait, of all projects that the caller may read; newest first. */
export async function selectPending(
  db: Database,
  principal: Principal,
  { limit, after }: PageRequest,
  now: Date,
): Promise<(ApprovalRow & { project_name: string })[]> {
  let query = db
    .selectFrom("approvals")
    .innerJoin("projects", "projects.id", "approvals.project_id")
    .selectAll("approvals")
    .select("projects.name as project_name")
    .where("approvals.decision", "is", null)
    // A permission request past its deadline counts as expired.
    .where((is) => is.or([is("approvals.gate", "<>", "permission"), is("approvals.deadline", ">=", now)]))
    .where(readableBy(principal));
  if (after !== undefined) query = query.where("approvals.id", "<", after);
  return query
    .orderBy("approvals.id", "desc")
    .limit(limit + 1)
    .execute();
}
