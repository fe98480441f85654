import { type RawBuilder, sql } from "kysely";
import type { Database, Transaction } from "../../platform/database/index.ts";
import { hostQueue } from "./queues.ts";

/** Work to be done later, by a node that serves its queue. */
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

/** A job that this node has claimed, until the node's lease ends. */
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

/** Proves that a claim is the latest one. */
export interface Lease {
  readonly id: number;
  readonly fence: number;
}

/** Wraps around: one row at the end of its range must not fail the statement for all others. */
const nextFence = sql`jobs.fence % 2147483646 + 1`;
const free = sql`claimed_by = null, claimed_at = null, fence = ${nextFence}`;
/** Nobody counts further: whoever reads `losses` has given up long before. */
const oneLossMore = sql`losses = least(jobs.losses, 1000000) + 1`;
/** A quarter of a second, doubled with each loss, up to a minute. */
const deferral = sql`least(0.25 * power(2, least(greatest(jobs.losses, 0), 8)), 60) * interval '1 s'`;

/**
 * A job may be what ends its node. After a few losses, those that were lost together no longer come back together, so that
 * the others have an end before it does so again.
 */
const afterLoss = sql`case when jobs.losses < 4 then interval '0' else ${deferral} * random() end`;

export async function enqueueJobs(trx: Transaction, jobs: readonly NewJob[]): Promise<void> {
  if (jobs.length === 0) return;
  await sql`
    insert into jobs (queue, priority, available_at, is_paused, group_id, number, kind, payload)
    select queue, priority, now() + "delayMs" * interval '1 ms', "isPaused", "groupId", number, kind, payload
    from json_to_recordset(${JSON.stringify(jobs)}) as job (
      queue text, priority smallint, "delayMs" double precision, "isPaused" boolean, "groupId" text, number integer, kind text, payload json
    )`.execute(trx);
}

/** Free slots: the queues that they serve, and how many jobs in all. */
interface Demand {
  readonly queues: readonly string[];
  readonly max: number;
}

export interface Claim {
  /** It must have a lease: others release the claims of a node that has none. */
  readonly node: string;
  readonly demands: readonly Demand[];
}

/** A claimed job, and the index of the demand that it meets. */
export type MetDemand = ClaimedJob & { readonly demand: number };

/** A claim whose statements are in flight. */
interface Claiming {
  /** Resolves when the statements are answered. */
  readonly claimed: Promise<MetDemand[]>;
  readonly answers: readonly Promise<unknown>[];
  /** Nothing else is due. */
  readonly isDrained: boolean;
}

/**
 * Claims what is due and then, for slots that are still free, some of the new jobs: such a job is written once, as claimed,
 * instead of twice. No waiting job is passed over: a slot is free only when nothing is due for it. If the caller knows that
 * the queues are drained, they are not polled; the answer says whether they are drained from now on.
 */
export async function enqueueAndClaimJobs(
  trx: Transaction,
  jobs: readonly NewJob[],
  claim: Claim,
  { isDrained }: { readonly isDrained: boolean },
): Promise<Claiming> {
  const due = isDrained ? [] : await claimJobs(trx, claim);
  const free = claim.demands.map(({ max }) => max);
  for (const { demand } of due) free[demand]! -= 1;
  const claimed = new Map<NewJob, number>();
  for (const job of jobs.toSorted((a, b) => a.priority - b.priority)) {
    if (job.isPaused || job.delayMs > 0) continue;
    const demand = claim.demands.findIndex(({ queues }, at) => free[at]! > 0 && queues.includes(job.queue));
    if (demand === -1) continue;
    free[demand]! -= 1;
    claimed.set(job, demand);
  }
  const left = jobs.filter((job) => !claimed.has(job));
  const enqueued = enqueueJobs(trx, left);
  const inserted = insertClaimedJobs(trx, claimed, claim);
  return {
    claimed: inserted.then((fresh) => [...due, ...fresh]),
    answers: [enqueued, inserted],
    // A slot that is still free has found nothing more; jobs that are due later do not count.
    isDrained: free.every((slots) => slots > 0) && left.every(({ delayMs }) => delayMs > 0),
  };
}

async function insertClaimedJobs(
  trx: Transaction,
  claimed: ReadonlyMap<NewJob, number>,
  { node }: Claim,
): Promise<MetDemand[]> {
  if (claimed.size === 0) return [];
  const jobs = [...claimed.keys()];
  const fence = 1;
  const { rows } = await sql<{ id: number; groupId: string; number: number }>`
    insert into jobs (queue, priority, available_at, is_paused, group_id, number, kind, payload, fence, claimed_by, claimed_at)
    select queue, priority, 'infinity', false, "groupId", number, kind, payload, ${fence}, ${node}, now()
    from json_to_recordset(${JSON.stringify(jobs)}) as job (
      queue text, priority smallint, "groupId" text, number integer, kind text, payload json
    )
    returning id, group_id as "groupId", number`.execute(trx);
  const ids = new Map(rows.map(({ id, groupId, number }) => [`${groupId}/${number}`, id]));
  return jobs.map((job) => {
    const { queue, groupId, number, kind, payload } = job;
    const id = ids.get(`${groupId}/${number}`)!;
    return { id, fence, queue, groupId, number, kind, payload, losses: 0, demand: claimed.get(job)! };
  });
}

/**
 * Claims jobs that are due, the most urgent and then the oldest first. The query reads each queue by itself, in the order of
 * the index, so that thousands of waiting jobs cost nothing.
 */
export async function claimJobs(db: Database, { node, demands }: Claim): Promise<MetDemand[]> {
  const wanted = demands.flatMap(({ queues, max }, demand) => queues.map((queue) => ({ demand, queue, max })));
  if (wanted.length === 0) return [];
  const { rows } = await sql<MetDemand>`
    with due as (
      select job.id, wanted.demand, wanted.max_jobs,
        row_number() over (partition by wanted.demand order by level.priority, job.available_at) as rank
      from unnest(
        ${wanted.map(({ demand }) => demand)}::integer[], ${wanted.map(({ queue }) => queue)}::text[],
        ${wanted.map(({ max }) => max)}::integer[]
      ) as wanted (demand, queue, max_jobs)
      cross join generate_series(0, 3) as level (priority)
      cross join lateral (
        select id, available_at from jobs
        where jobs.queue = wanted.queue and jobs.priority = level.priority and not is_paused and available_at <= now()
        order by available_at limit wanted.max_jobs for update skip locked
      ) job
    ), chosen as (
      -- Two demands may find the same job.
      select distinct on (id) id, demand from due where rank <= max_jobs order by id, demand
    ), claimed as (
      update jobs
      set available_at = 'infinity', fence = ${nextFence}, claimed_by = ${node}, claimed_at = now()
      -- By id: joined with what is due, the planner would read all jobs once many wait.
      where id = any(array(select id from chosen))
      returning id, fence, queue, group_id as "groupId", number, kind, payload, losses
    )
    select claimed.*, chosen.demand from claimed join chosen on chosen.id = claimed.id`.execute(db);
  return rows.sort((a, b) => a.id - b.id);
}

export interface SettledJob {
  readonly id: number;
  /** Times as the database writes them: they go back there, and to the microsecond. */
  readonly queuedAt: string;
  readonly startedAt: string | null;
}

/** Deletes finished jobs whose fence still holds; only the results of those it returns count. */
export async function settleJobs(trx: Transaction, leases: readonly Lease[]): Promise<SettledJob[]> {
  const { rows } = await sql<SettledJob>`
    delete from jobs using unnest(${leases.map(({ id }) => id)}::bigint[], ${leases.map(({ fence }) => fence)}::integer[]) as lease (id, fence)
    where jobs.id = lease.id and jobs.fence = lease.fence
    returning jobs.id, created_at::text as "queuedAt", claimed_at::text as "startedAt"`.execute(trx);
  return rows;
}

/** Which of these leases still hold. */
export async function selectOwnJobs(db: Database, leases: readonly Lease[]): Promise<Set<number>> {
  const { rows } = await sql<{ id: number }>`
    select jobs.id from jobs
    join unnest(${leases.map(({ id }) => id)}::bigint[], ${leases.map(({ fence }) => fence)}::integer[]) as lease (id, fence)
      on jobs.id = lease.id and jobs.fence = lease.fence`.execute(db);
  return new Set(rows.map(({ id }) => id));
}

/** Releases jobs at once, as if they had never been claimed. */
export async function releaseJobs(db: Database, leases: readonly Lease[]): Promise<void> {
  await sql`
    update jobs set ${free}, available_at = now()
    from unnest(${leases.map(({ id }) => id)}::bigint[], ${leases.map(({ fence }) => fence)}::integer[]) as lease (id, fence)
    where jobs.id = lease.id and jobs.fence = lease.fence`.execute(db);
}

/** Moves a claimed job to the queue of a data folder; false if no node of it lives, or the claim no longer holds. */
export async function moveJob(db: Database, { id, fence }: Lease, host: string): Promise<boolean> {
  const { numAffectedRows = 0n } = await sql`
    update jobs set ${free}, queue = ${hostQueue(host)}, available_at = now()
    where id = ${id} and fence = ${fence}
      and exists (select from nodes where nodes.host = ${host} and lease_expires_at > now())`.execute(db);
  return numAffectedRows > 0n;
}

/** Revokes all claims on jobs of the queue, as if they had never been claimed. */
export async function revokeJobs(trx: Transaction, queue: string): Promise<void> {
  await sql`
    update jobs set ${free}, available_at = now()
    where queue = ${queue} and claimed_by is not null`.execute(trx);
}

/** Releases jobs that could not be done now: they are due again after a delay that doubles each time. */
export async function deferJobs(db: Database, leases: readonly Lease[]): Promise<void> {
  await sql`
    update jobs set ${free}, ${oneLossMore}, available_at = now() + ${deferral}
    from unnest(${leases.map(({ id }) => id)}::bigint[], ${leases.map(({ fence }) => fence)}::integer[]) as lease (id, fence)
    where jobs.id = lease.id and jobs.fence = lease.fence`.execute(db);
}

/** Releases the jobs of nodes without a lease: their work is lost, and others may claim them. Answers how many. */
export async function releaseLostJobs(db: Database): Promise<number> {
  const { numAffectedRows = 0n } = await sql`
    update jobs set ${free}, ${oneLossMore}, available_at = now() + ${afterLoss}
    where claimed_by is not null and not exists (select from nodes where nodes.name = jobs.claimed_by)`.execute(db);
  return Number(numAffectedRows);
}

/**
 * Releases jobs that this node has claimed longer ago than a lease and knows nothing of: the answer to the claim was lost.
 * A claim whose answer is still on its way is younger.
 */
export async function releaseUnknownJobs(
  db: Database,
  { node, leaseMs, known }: { readonly node: string; readonly leaseMs: number; readonly known: readonly number[] },
): Promise<void> {
  await sql`
    update jobs set ${free}, available_at = now()
    where claimed_by = ${node} and claimed_at < now() - ${leaseMs} * interval '1 ms'
      and id <> all(${known}::bigint[])`.execute(db);
}

/** Deletes jobs, claimed or not; without numbers, all of the group. */
export async function deleteJobs(trx: Transaction, groupId: string, numbers?: readonly number[]): Promise<void> {
  let query = trx.deleteFrom("jobs").where("group_id", "=", groupId);
  if (numbers !== undefined) query = query.where("number", "in", [...numbers]);
  await query.execute();
}

/** Pauses or resumes the jobs of a group: a paused job is never claimed. */
export async function pauseJobs(trx: Transaction, groupId: string, isPaused: boolean): Promise<void> {
  await trx.updateTable("jobs").set({ is_paused: isPaused }).where("group_id", "=", groupId).execute();
}

/** Inserts a job as part of a larger statement, which saves a round trip. */
export function insertJobSql(job: NewJob): RawBuilder<unknown> {
  const { queue, priority, delayMs, isPaused, groupId, number, kind, payload } = job;
  return sql`
    insert into jobs (queue, priority, available_at, is_paused, group_id, number, kind, payload)
    values (${queue}, ${priority}, now() + ${delayMs} * interval '1 ms', ${isPaused}, ${groupId}, ${number}, ${kind}, ${JSON.stringify(payload)})`;
}
