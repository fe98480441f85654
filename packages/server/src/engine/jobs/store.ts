import { sql } from "kysely";
import type { Database, Transaction } from "../../platform/database/index.ts";

/** Work to be done later, by whoever serves its queue. */
export interface NewJob {
  readonly queue: string;
  /** The smaller goes first: 0 to 3. */
  readonly priority: number;
  readonly delayMs: number;
  readonly isPaused: boolean;
  readonly groupId: string;
  /** Unique in its group. */
  readonly number: number;
  readonly kind: string;
  readonly payload: unknown;
}

/** A job that was taken, until its lease ends. */
export interface ClaimedJob {
  readonly id: number;
  readonly fence: number;
  readonly queue: string;
  readonly groupId: string;
  readonly number: number;
  readonly kind: string;
  readonly payload: unknown;
  readonly losses: number;
}

/** What shows that a job is one's own. */
export interface Lease {
  readonly id: number;
  readonly fence: number;
}

export async function enqueueJobs(trx: Transaction, jobs: readonly NewJob[]): Promise<void> {
  if (jobs.length === 0) return;
  await sql`
    insert into jobs (queue, priority, available_at, is_paused, group_id, number, kind, payload)
    select queue, priority, now() + "delayMs" * interval '1 ms', "isPaused", "groupId", number, kind, payload
    from json_to_recordset(${JSON.stringify(jobs)}) as job (
      queue text, priority smallint, "delayMs" double precision, "isPaused" boolean, "groupId" text, number integer, kind text, payload json
    )`.execute(trx);
}

/** Some free hands: the queues that they may take from, and how many jobs in all. */
interface Demand {
  readonly queues: readonly string[];
  readonly most: number;
}

export interface Claim {
  readonly node: string;
  readonly leaseMs: number;
  readonly demands: readonly Demand[];
}

/** A job that was taken, and which of the demands it meets, by place in the list. */
export type MetDemand = ClaimedJob & { readonly demand: number };

/** Jobs that are being taken. */
interface Taking {
  /** Known when the statements that are under way are answered. */
  readonly claimed: Promise<MetDemand[]>;
  readonly answers: readonly Promise<unknown>[];
  /** There is nothing more that is due. */
  readonly isDrained: boolean;
}

/**
 * Takes what is due, and then, for hands that are still free, what is only now to be enqueued: such a job is written once,
 * as taken, instead of twice. Nothing that waits is passed over: hands are free only when there is nothing more for them.
 * Drained: nothing else can be due, so it is not looked; says whether that holds from now on.
 */
export async function enqueueAndClaimJobs(
  trx: Transaction,
  jobs: readonly NewJob[],
  claim: Claim,
  { isDrained }: { readonly isDrained: boolean },
): Promise<Taking> {
  const due = isDrained ? [] : await claimJobs(trx, claim);
  const free = claim.demands.map(({ most }) => most);
  for (const { demand } of due) free[demand]! -= 1;
  const taken = new Map<NewJob, number>();
  for (const job of jobs.toSorted((a, b) => a.priority - b.priority)) {
    if (job.isPaused || job.delayMs > 0) continue;
    const demand = claim.demands.findIndex(({ queues }, at) => free[at]! > 0 && queues.includes(job.queue));
    if (demand === -1) continue;
    free[demand]! -= 1;
    taken.set(job, demand);
  }
  const left = jobs.filter((job) => !taken.has(job));
  const enqueued = enqueueJobs(trx, left);
  const inserted = insertTakenJobs(trx, taken, claim);
  return {
    claimed: inserted.then((fresh) => [...due, ...fresh]),
    answers: [enqueued, inserted],
    // Whoever still has a hand free has found nothing more; what is only due later does not count.
    isDrained: free.every((slots) => slots > 0) && left.every(({ delayMs }) => delayMs > 0),
  };
}

async function insertTakenJobs(
  trx: Transaction,
  taken: ReadonlyMap<NewJob, number>,
  { node, leaseMs }: Claim,
): Promise<MetDemand[]> {
  if (taken.size === 0) return [];
  const jobs = [...taken.keys()];
  const fence = 1;
  const { rows } = await sql<{ id: number; groupId: string; number: number }>`
    insert into jobs (queue, priority, available_at, is_paused, group_id, number, kind, payload, fence, claimed_by, claimed_at)
    select queue, priority, now() + ${leaseMs} * interval '1 ms', false, "groupId", number, kind, payload, ${fence}, ${node}, now()
    from json_to_recordset(${JSON.stringify(jobs)}) as job (
      queue text, priority smallint, "groupId" text, number integer, kind text, payload json
    )
    returning id, group_id as "groupId", number`.execute(trx);
  const ids = new Map(rows.map(({ id, groupId, number }) => [`${groupId}/${number}`, id]));
  return jobs.map((job) => {
    const { queue, groupId, number, kind, payload } = job;
    const id = ids.get(`${groupId}/${number}`)!;
    return { id, fence, queue, groupId, number, kind, payload, losses: 0, demand: taken.get(job)! };
  });
}

/**
 * Takes jobs that are due, the most urgent and then the oldest first; also those whose holder has not been heard of. Each
 * queue is looked at by itself, in the order of the index, so that thousands waiting in it cost nothing.
 */
export async function claimJobs(db: Database, { node, leaseMs, demands }: Claim): Promise<MetDemand[]> {
  const wanted = demands.flatMap(({ queues, most }, demand) => queues.map((queue) => ({ demand, queue, most })));
  if (wanted.length === 0) return [];
  const { rows } = await sql<MetDemand>`
    with due as (
      select job.id, wanted.demand, wanted.most,
        row_number() over (partition by wanted.demand order by level.priority, job.available_at) as place
      from unnest(
        ${wanted.map(({ demand }) => demand)}::integer[], ${wanted.map(({ queue }) => queue)}::text[],
        ${wanted.map(({ most }) => most)}::integer[]
      ) as wanted (demand, queue, most)
      cross join generate_series(0, 3) as level (priority)
      cross join lateral (
        select id, available_at from jobs
        where jobs.queue = wanted.queue and jobs.priority = level.priority and not is_paused and available_at <= now()
        order by available_at limit wanted.most for update skip locked
      ) job
    ), chosen as (
      -- Two demands may find the same job.
      select distinct on (id) id, demand from due where place <= most order by id, demand
    ), taken as (
      update jobs
      set available_at = now() + ${leaseMs} * interval '1 ms', fence = fence + 1, claimed_by = ${node}, claimed_at = now(),
        losses = losses + (claimed_by is not null)::integer
      -- One by one, by their ids: joined with what is due, all jobs there are would be read once many wait.
      where id = any(array(select id from chosen))
      returning id, fence, queue, group_id as "groupId", number, kind, payload, losses
    )
    select taken.*, chosen.demand from taken join chosen on chosen.id = taken.id`.execute(db);
  return rows.sort((a, b) => a.id - b.id);
}

export interface SettledJob {
  readonly id: number;
  /** Times as the database writes them: they go back there, and to the microsecond. */
  readonly queuedAt: string;
  readonly startedAt: string | null;
}

/** Ends jobs, as far as they are still one's own; only what it names may be acted upon. */
export async function settleJobs(trx: Transaction, leases: readonly Lease[]): Promise<SettledJob[]> {
  const { rows } = await sql<SettledJob>`
    delete from jobs using unnest(${leases.map(({ id }) => id)}::bigint[], ${leases.map(({ fence }) => fence)}::integer[]) as lease (id, fence)
    where jobs.id = lease.id and jobs.fence = lease.fence
    returning jobs.id, created_at::text as "queuedAt", claimed_at::text as "startedAt"`.execute(trx);
  return rows;
}

/** Holds jobs for longer. Rows that somebody else is changing are left for the next time. */
export async function renewLeases(db: Database, leases: readonly Lease[], leaseMs: number): Promise<void> {
  await sql`
    with mine as (
      select jobs.id from jobs
      join unnest(${leases.map(({ id }) => id)}::bigint[], ${leases.map(({ fence }) => fence)}::integer[]) as lease (id, fence)
        on jobs.id = lease.id and jobs.fence = lease.fence
      for update of jobs skip locked
    )
    update jobs set available_at = now() + ${leaseMs} * interval '1 ms' from mine where jobs.id = mine.id`.execute(db);
}

/** Which of these jobs are still one's own. */
export async function selectOwnJobs(db: Database, leases: readonly Lease[]): Promise<Set<number>> {
  const { rows } = await sql<{ id: number }>`
    select jobs.id from jobs
    join unnest(${leases.map(({ id }) => id)}::bigint[], ${leases.map(({ fence }) => fence)}::integer[]) as lease (id, fence)
      on jobs.id = lease.id and jobs.fence = lease.fence`.execute(db);
  return new Set(rows.map(({ id }) => id));
}

/** Gives jobs back at once, as if they had never been taken. */
export async function releaseJobs(db: Database, leases: readonly Lease[]): Promise<void> {
  await sql`
    update jobs set available_at = now(), claimed_by = null, claimed_at = null, fence = jobs.fence + 1
    from unnest(${leases.map(({ id }) => id)}::bigint[], ${leases.map(({ fence }) => fence)}::integer[]) as lease (id, fence)
    where jobs.id = lease.id and jobs.fence = lease.fence`.execute(db);
}

/** Takes jobs of the queue back from whoever is at them, as if they had never been taken. */
export async function revokeJobs(trx: Transaction, queue: string): Promise<void> {
  await sql`
    update jobs set available_at = now(), claimed_by = null, claimed_at = null, fence = fence + 1
    where queue = ${queue} and claimed_by is not null`.execute(trx);
}

/** Gives jobs back that could not be done now: they are due again after a while, a longer one each time. */
export async function deferJobs(db: Database, leases: readonly Lease[]): Promise<void> {
  await sql`
    update jobs set available_at = now() + least(0.25 * power(2, losses), 60) * interval '1 s',
      claimed_by = null, claimed_at = null, fence = jobs.fence + 1, losses = losses + 1
    from unnest(${leases.map(({ id }) => id)}::bigint[], ${leases.map(({ fence }) => fence)}::integer[]) as lease (id, fence)
    where jobs.id = lease.id and jobs.fence = lease.fence`.execute(db);
}

/** Frees what earlier nodes had taken, where it is certain that none of them lives. */
export async function releaseAllJobs(db: Database): Promise<void> {
  await sql`update jobs set available_at = now(), fence = fence + 1 where claimed_by is not null and available_at > now()`.execute(
    db,
  );
}

/** Takes jobs away from whoever has them; without numbers, all of the group. */
export async function deleteJobs(trx: Transaction, groupId: string, numbers?: readonly number[]): Promise<void> {
  let query = trx.deleteFrom("jobs").where("group_id", "=", groupId);
  if (numbers !== undefined) query = query.where("number", "in", [...numbers]);
  await query.execute();
}

/** Lets nothing of the group be taken, or lets it again. */
export async function pauseJobs(trx: Transaction, groupId: string, isPaused: boolean): Promise<void> {
  await trx.updateTable("jobs").set({ is_paused: isPaused }).where("group_id", "=", groupId).execute();
}

export interface WaitingJob {
  readonly number: number;
  readonly queuedAt: Date;
  readonly claimedBy: string | null;
  readonly claimedAt: Date | null;
}

/** The group's jobs, waiting and under way. */
export async function selectJobsOf(db: Database, groupId: string): Promise<WaitingJob[]> {
  return db
    .selectFrom("jobs")
    .select(["number", "created_at as queuedAt", "claimed_by as claimedBy", "claimed_at as claimedAt"])
    .where("group_id", "=", groupId)
    .execute();
}

/** More than anybody can have free hands for: how many more there are, nobody needs to know. */
const maxCounted = 1_000;

/** How many jobs lie in each of the queues, taken or not, without those that are held. */
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

/** Names of the queues that start so and have jobs that may be taken: one look into the index for each. */
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

/** Some of the jobs in a queue, without those that are held. */
export async function selectJobsIn(
  db: Database,
  queue: string,
  most: number,
): Promise<Pick<ClaimedJob, "groupId" | "number" | "payload">[]> {
  return db
    .selectFrom("jobs")
    .select(["group_id as groupId", "number", "payload"])
    .where("queue", "=", queue)
    .where("is_paused", "=", false)
    .limit(most)
    .execute();
}

/** Whether the very attempt at the job goes on: not another one's, and not one that was given up. */
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

/** Whether the job is still to be done, by whomever. */
export async function isJobOpen(db: Database, groupId: string, number: number): Promise<boolean> {
  const query = db.selectFrom("jobs").select("id").where("group_id", "=", groupId).where("number", "=", number);
  return (await query.executeTakeFirst()) !== undefined;
}
