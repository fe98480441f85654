import { type RawBuilder, sql } from "kysely";
import type { Database } from "../../platform/database/index.ts";
import type { ClaimedJob } from "./store.ts";

export interface WaitingJob {
  readonly number: number;
  readonly queuedAt: Date;
  readonly claimedBy: string | null;
  readonly claimedAt: Date | null;
}

/** The group's jobs, waiting and claimed. */
export async function selectJobsOf(db: Database, groupId: string): Promise<WaitingJob[]> {
  return db
    .selectFrom("jobs")
    .select(["number", "created_at as queuedAt", "claimed_by as claimedBy", "claimed_at as claimedAt"])
    .where("group_id", "=", groupId)
    .execute();
}

/** More than any node has free slots for: nobody needs the exact number. */
const maxCounted = 1_000;

/** How many jobs each queue has, claimed or not, without paused ones. */
export async function countJobs(db: Database, queues: readonly string[]): Promise<Map<string, number>> {
  const { rows } = await sql<{ queue: string; count: number }>`
    select queue, (
      select count(*) from (
        select from jobs where jobs.queue = wanted.queue and not is_paused limit ${maxCounted}
      ) as job
    ) as count
    from unnest(${queues}::text[]) as wanted (queue)`.execute(db);
  return new Map(rows.map(({ queue, count }) => [queue, count]));
}

/** Names of the queues with the prefix that have jobs: one index lookup for each. */
export async function selectQueues(db: Database, prefix: string): Promise<string[]> {
  const { rows } = await sql<{ queue: string }>`
    with recursive names as (
      (select queue from jobs where queue >= ${prefix} and queue < ${`${prefix}\u{10ffff}`} and not is_paused order by queue limit 1)
      union all
      select (
        select queue from jobs where queue > names.queue and queue < ${`${prefix}\u{10ffff}`} and not is_paused order by queue limit 1
      )
      from names where names.queue is not null
    )
    select queue from names where queue is not null`.execute(db);
  return rows.map(({ queue }) => queue);
}

/** Some of the jobs in a queue, without paused ones. */
export async function selectJobsIn(
  db: Database,
  queue: string,
  max: number,
): Promise<Pick<ClaimedJob, "groupId" | "number" | "payload">[]> {
  return db
    .selectFrom("jobs")
    .select(["group_id as groupId", "number", "payload"])
    .where("queue", "=", queue)
    .where("is_paused", "=", false)
    .limit(max)
    .execute();
}

/** Whether this very claim of the job still holds. */
export async function isAttemptInFlight(
  db: Database,
  groupId: string,
  number: number,
  fence: number,
): Promise<boolean> {
  const row = await db
    .selectFrom("jobs")
    .select("id")
    .where("group_id", "=", groupId)
    .where("number", "=", number)
    .where("fence", "=", fence)
    .where("claimed_by", "is not", null)
    .executeTakeFirst();
  return row !== undefined;
}

/** Whether the job still exists. */
export async function isJobOpen(db: Database, groupId: string, number: number): Promise<boolean> {
  const query = db.selectFrom("jobs").select("id").where("group_id", "=", groupId).where("number", "=", number);
  return (await query.executeTakeFirst()) !== undefined;
}

/** A job that a node has claimed, as others see it. */
export interface InFlightJob extends Pick<ClaimedJob, "queue" | "groupId" | "payload"> {
  readonly claimedBy: string;
  readonly claimedAt: Date;
  /** By the database's clock. */
  readonly claimedForMs: number;
}

/** The claimed jobs of these queues, the latest claim first. */
export async function selectJobsInFlight(db: Database, queues: readonly string[]): Promise<InFlightJob[]> {
  if (queues.length === 0) return [];
  const { rows } = await sql<InFlightJob>`
    select queue, group_id as "groupId", payload, claimed_by as "claimedBy", claimed_at as "claimedAt",
      extract(epoch from now() - claimed_at)::double precision * 1000 as "claimedForMs"
    from jobs where queue = any(${queues}::text[]) and claimed_by is not null
    order by claimed_at desc`.execute(db);
  return rows;
}

/** Reads all payloads as part of a larger statement, which sees jobs and states in one snapshot. */
export const jobPayloadsSql: RawBuilder<unknown> = sql`select payload::text from jobs`;

/** How many jobs there are, by what they wait for. */
export async function countAllJobs(
  db: Database,
): Promise<{ waiting: number; delayed: number; running: number; paused: number }> {
  const { rows } = await sql<{ waiting: number; delayed: number; running: number; paused: number }>`
    select count(*) filter (where claimed_by is null and not is_paused and available_at <= now())::int as waiting,
      count(*) filter (where claimed_by is null and not is_paused and available_at > now())::int as delayed,
      count(*) filter (where claimed_by is not null)::int as running,
      count(*) filter (where claimed_by is null and is_paused)::int as paused
    from jobs`.execute(db);
  return rows[0]!;
}
