import { sql } from "kysely";
import type { LogPosition } from "../../engine/events/index.ts";
import type { Database, Transaction } from "../../platform/database/index.ts";
import { storableJson } from "../../platform/one-line.ts";
import type { ProjectEvent } from "./decide-notices.ts";
import type { NewNotice, NoticeAction, NoticeTarget } from "./notice.ts";

const reader = "integrations";

/** Up to where the log has been read. */
export async function findCursor(db: Database): Promise<LogPosition> {
  const { rows } = await sql<LogPosition>`
    select xid::text, project_id as "projectId", sequence from event_cursors where reader = ${reader}`.execute(db);
  return rows[0]!;
}

/** Moves the cursor, unless another node has moved it since. */
export async function moveCursor(trx: Transaction, from: LogPosition, to: LogPosition): Promise<boolean> {
  const { numAffectedRows = 0n } = await sql`
    update event_cursors set xid = ${to.xid}::xid8, project_id = ${to.projectId}, sequence = ${to.sequence}
    where reader = ${reader} and xid = ${from.xid}::xid8 and project_id = ${from.projectId} and sequence = ${from.sequence}`.execute(
    trx,
  );
  return numAffectedRows > 0n;
}

/** The projects whose document contains the word: no other document needs to be parsed. */
export async function selectWithIntegrations(db: Database, projectIds: readonly string[]): Promise<Set<string>> {
  const { rows } = await sql<{ id: string }>`
    select project_id as id from specs
    where project_id = any(${projectIds}) and position('integrations'::bytea in content) > 0`.execute(db);
  return new Set(rows.map(({ id }) => id));
}

/** The tasks of a project's plan. */
export async function selectTasks(db: Database, projectId: string): Promise<ProjectEvent["tasks"]> {
  const { rows } = await sql<{ tasks: ProjectEvent["tasks"] | null }>`
    select content -> 'plan' -> 'tasks' as tasks from plans
    join projects on projects.id = plans.project_id and projects.plan_version = plans.version
    where project_id = ${projectId}`.execute(db);
  return rows[0]?.tasks ?? [];
}

/** A ticket may have tens of thousands of characters. */
const insertedAtOnce = 100;

export async function insertNotices(
  trx: Transaction,
  notices: readonly (NewNotice & { readonly projectId: string })[],
): Promise<void> {
  for (let from = 0; from < notices.length; from += insertedAtOnce) {
    const numbered = notices.slice(from, from + insertedAtOnce).map((notice, nth) => ({ ...notice, nth }));
    // What Postgres refuses would keep the cursor from moving, and everybody from their notices.
    await sql`
    insert into notices (project_id, target, action)
    select "projectId", target, action
    from json_to_recordset(${storableJson(numbered)}) as notice ("projectId" text, target text, action jsonb, nth integer)
    where exists (select from projects where projects.id = "projectId")
    order by nth`.execute(trx);
  }
}

/** A notice that this node claimed, until the lease ends. */
export interface ClaimedNotice {
  readonly id: number;
  readonly fence: number;
  readonly projectId: string;
  readonly target: NoticeTarget;
  readonly action: NoticeAction;
  /** Attempts before this one. */
  readonly attemptCount: number;
  /** The Jira ticket of its subject, if there is one. */
  readonly ticket: string | null;
}

/** Claims due notices: of each project and target only the first pending one, so they stay in order. */
export async function claimNotices(db: Database, leaseMs: number, limit: number): Promise<ClaimedNotice[]> {
  const { rows } = await sql<ClaimedNotice>`
    with first as (
      select distinct on (project_id, target) id, due_at from notices
      where status = 'pending' order by project_id, target, id
    ), due as (
      select notices.id from notices join first on first.id = notices.id
      where first.due_at <= now() and notices.due_at <= now() order by notices.due_at limit ${limit}
      for update of notices skip locked
    )
    update notices set due_at = now() + ${leaseMs} * interval '1 ms', fence = fence + 1, attempt_count = attempt_count + 1
    from due where notices.id = due.id
    returning notices.id, fence, notices.project_id as "projectId", target, action, attempt_count - 1 as "attemptCount",
      (select issue_key from jira_tickets
        where jira_tickets.project_id = notices.project_id and subject = action ->> 'subject') as ticket`.execute(db);
  return rows;
}

interface Settlement {
  readonly status: "sent" | "skipped" | "failed";
  readonly reason: string | null;
  readonly ticket?: string;
}

/** Settles a notice, if this node still has its lease, together with the ticket that it created. */
export async function settleNotice(
  db: Database,
  notice: ClaimedNotice,
  { status, reason, ticket }: Settlement,
): Promise<void> {
  const subject = notice.action.is === "create_ticket" ? notice.action.subject : "";
  await sql`
    with settled as (
      update notices set status = ${status}, reason = ${reason}, due_at = null, ended_at = now()
      where id = ${notice.id} and fence = ${notice.fence} and status = 'pending' returning project_id
    )
    insert into jira_tickets (project_id, subject, issue_key)
    select project_id, ${subject}, ${ticket ?? ""} from settled where ${ticket !== undefined}::boolean
    on conflict do nothing`.execute(db);
}

/** Makes a notice due again after a delay. */
export async function retryNotice(db: Database, notice: ClaimedNotice, reason: string, delayMs: number): Promise<void> {
  await sql`
    update notices set due_at = now() + ${delayMs} * interval '1 ms', reason = ${reason}
    where id = ${notice.id} and fence = ${notice.fence} and status = 'pending'`.execute(db);
}

/** Makes a claimed notice due again at once. */
export async function releaseNotice(db: Database, notice: ClaimedNotice): Promise<void> {
  await sql`
    update notices set due_at = now() where id = ${notice.id} and fence = ${notice.fence} and status = 'pending'`.execute(
    db,
  );
}

/** In how many milliseconds the next notice is due; undefined if none is pending. */
export async function findNextDue(db: Database): Promise<number | undefined> {
  const { rows } = await sql<{ ms: number | null }>`
    select (extract(epoch from min(due_at) - now()) * 1000)::double precision as ms from notices where status = 'pending'`.execute(
    db,
  );
  return rows[0]?.ms ?? undefined;
}

export async function removeOldNotices(db: Database): Promise<void> {
  await sql`delete from notices where ended_at < now() - interval '30 days'`.execute(db);
}
