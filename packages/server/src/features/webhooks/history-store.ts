import type { DeliveryStatus, WebhookEventName } from "@slipway/contract";
import { type RawBuilder, type Selectable, sql } from "kysely";
import { type Database, plannedAnew, type Schema, type Transaction } from "../../platform/database/index.ts";
import type { StoredAttempt } from "./delivery/attempt-delivery.ts";

export type DeliveryRow = Omit<Selectable<Schema["deliveries"]>, "attempts"> & { readonly attempts: StoredAttempt[] };

type Fragment = RawBuilder<unknown>;

const columns = sql`
  id, webhook_id, event_id, event, project_id, event_sequence, sequence, data, status, reason, due_at, claimed_by, fence,
  attempt_count, failures, attempts, created_at, delivered_at`;

/** Deliveries of runs as rows. `wanted` gives runs, each with the positions of the wanted deliveries, so each run is unpacked once. */
function membersOf(wanted: Fragment): Fragment {
  return sql`
    select run.id + position - 1 as id, run.webhook_id, event_id, event, project_id, event_sequence, sequence, null::jsonb as data,
      'delivered' as status, null as reason, null::timestamptz as due_at, null as claimed_by, 1 as fence, 1 as attempt_count,
      0 as failures, jsonb_build_array(attempt) as attempts, run.created_at, run.created_at as delivered_at
    from ${wanted} as wanted
    join delivered_runs as run on run.id = wanted.run_id
    cross join lateral rows from (
      unnest(event_ids), unnest(run.events), unnest(project_ids), unnest(event_sequences), unnest(sequences),
      json_array_elements(run.attempts)
    ) with ordinality as member (event_id, event, project_id, event_sequence, sequence, attempt, position)
    where position = any(wanted.positions)`;
}

/** The runs that contain these ids, each with their positions in it. */
function runsOf(ids: readonly number[]): Fragment {
  return sql`(
    select run.id as run_id, array_agg(wanted.id - run.id + 1) as positions
    from unnest(${ids}::bigint[]) as wanted (id)
    cross join lateral (
      select id, count from delivered_runs where delivered_runs.id <= wanted.id order by id desc limit 1
    ) as run
    where wanted.id < run.id + run.count group by run.id
  )`;
}

export interface DeliveryFilter {
  readonly status?: DeliveryStatus;
  readonly event?: WebhookEventName;
  readonly project_id?: string;
  readonly sequence_from?: number;
  readonly sequence_to?: number;
}

/** One more than the page holds, newest first. A delivery that has a row is not taken from its run. */
export async function selectDeliveries(
  db: Database,
  webhookId: string,
  { status, event, project_id, sequence_from, sequence_to }: DeliveryFilter,
  { limit, after }: { readonly limit: number; readonly after: number | undefined },
): Promise<DeliveryRow[]> {
  const fits = sql`
    (${event ?? null}::text is null or event = ${event ?? null})
    and (${project_id ?? null}::text is null or project_id = ${project_id ?? null})
    and (${sequence_from ?? null}::bigint is null or sequence >= ${sequence_from ?? null})
    and (${sequence_to ?? null}::bigint is null or sequence <= ${sequence_to ?? null})`;
  const { rows } = await sql<DeliveryRow>`
    ${plannedAnew}
    with single as (
      select ${columns} from deliveries
      where webhook_id = ${webhookId} and (${after ?? null}::bigint is null or id < ${after ?? null})
        and (${status ?? null}::text is null or status = ${status ?? null}) and ${fits}
      order by id desc limit ${limit + 1}
    ), found as (
      -- The newest runs first, and no more of them than fill the page: sorted by both, Postgres would unpack all of them first. The
      -- lateral join allows no plan but a nested loop, which leaves the deliveries of a run in their order.
      select run.id as run_id, position
      from (
        select * from delivered_runs
        where webhook_id = ${webhookId} and (${after ?? null}::bigint is null or id < ${after ?? null})
          and coalesce(${status ?? null}::text, 'delivered') = 'delivered'
          and (${event ?? null}::text is null or ${event ?? null} = any(events))
          and (${project_id ?? null}::text is null or ${project_id ?? null} = any(project_ids))
        order by id desc
      ) as run
      cross join lateral (
        select position from unnest(run.events, project_ids, sequences) with ordinality as member (event, project_id, sequence, position)
        where (${after ?? null}::bigint is null or run.id + position - 1 < ${after ?? null}) and ${fits}
          and not exists (select from deliveries where deliveries.id = run.id + position - 1)
        order by position desc
      ) as member
      order by run.id desc limit ${limit + 1}
    )
    select * from single
    union all
    ${membersOf(sql`(select run_id, array_agg(position) as positions from found group by run_id)`)}
    order by id desc limit ${limit + 1}`.execute(db);
  return rows;
}

export async function findDelivery(db: Database, id: number): Promise<DeliveryRow | undefined> {
  const { rows } = await sql<DeliveryRow>`
    select ${columns} from deliveries where id = ${id}
    union all
    (${membersOf(runsOf([id]))} and not exists (select from deliveries where deliveries.id = ${id}))`.execute(db);
  return rows[0];
}

/** Makes deliveries due once more, and gives them; an attempt in flight no longer counts. */
export async function redeliver(trx: Transaction, ids: readonly number[]): Promise<DeliveryRow[]> {
  // Those in runs get rows, which stand for them from now on.
  await sql`
    insert into deliveries (${columns}) overriding system value ${membersOf(runsOf(ids))} on conflict (id) do nothing`.execute(
    trx,
  );
  const { rows } = await sql<DeliveryRow>`
    update deliveries set status = 'pending', reason = null, due_at = now(), claimed_by = null, fence = fence + 1, failures = 0
    where id = any(${ids}::bigint[]) returning *`.execute(trx);
  return rows;
}

const maxAgeDays = 30;
const maxStored = 100_000;
const maxRowsAtOnce = 5_000;
const maxRunsAtOnce = 500;

/** Removes old deliveries, those beyond a webhook's maximum, and those of deleted webhooks. Gives whether there is more. */
export async function trimDeliveries(db: Database): Promise<boolean> {
  // Runs first: without its row, a redelivered delivery would look as it did before.
  const runs = await removeRuns(db);
  const rows = await removeRows(db);
  await sql`
    delete from webhook_sequences where not exists (select from webhooks where webhooks.id = webhook_id)
      or not exists (select from projects where projects.id = project_id)`.execute(db);
  return runs >= maxRunsAtOnce || rows >= maxRowsAtOnce;
}

/** For each webhook, the newest delivery that is one too many. A redelivered one counts twice: fewer stay then, never more. */
const surplus = sql`(
  select webhooks.id as webhook_id, counted.id as up_to from webhooks left join lateral (
    select id from (
      select id, sum(count) over (order by id desc rows unbounded preceding) - count as newer from (
        select id, count from delivered_runs where webhook_id = webhooks.id
        union all
        select id, 1 from deliveries where webhook_id = webhooks.id and status <> 'pending'
      ) as either
    ) as stored where newer >= ${maxStored} order by id desc limit 1
  ) as counted on true
)`;

async function removeRuns(db: Database): Promise<number> {
  const { numAffectedRows = 0n } = await sql`
    delete from delivered_runs where id = any(array(
      select run.id from delivered_runs as run left join ${surplus} as surplus using (webhook_id)
      where surplus.webhook_id is null or run.id <= up_to or created_at < now() - ${maxAgeDays} * interval '1 day'
      limit ${maxRunsAtOnce}
    ))`.execute(db);
  return Number(numAffectedRows);
}

async function removeRows(db: Database): Promise<number> {
  const { numAffectedRows = 0n } = await sql`
    delete from deliveries where id = any(array(
      select one.id from deliveries as one left join ${surplus} as surplus using (webhook_id)
      where (surplus.webhook_id is null
          or status <> 'pending' and (one.id <= up_to or created_at < now() - ${maxAgeDays} * interval '1 day'))
        and not coalesce((
          select one.id < run.id + run.count from delivered_runs as run where run.id <= one.id order by run.id desc limit 1
        ), false)
      limit ${maxRowsAtOnce}
    ))`.execute(db);
  return Number(numAffectedRows);
}
