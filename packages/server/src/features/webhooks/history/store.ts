import type { DeliveryStatus, WebhookEventName } from "@slipway/contract";
import { type RawBuilder, type Selectable, sql } from "kysely";
import { type Database, plannedAnew, type Schema, type Transaction } from "../../../platform/database/index.ts";
import type { KeptAttempt } from "../delivery/attempt.ts";

export type DeliveryRow = Omit<Selectable<Schema["deliveries"]>, "attempts"> & { readonly attempts: KeptAttempt[] };

type Fragment = RawBuilder<unknown>;

const columns = sql`
  id, webhook_id, event_id, event, project_id, event_sequence, sequence, data, status, reason, due_at, claimed_by, fence,
  attempt_count, failures, attempts, created_at, delivered_at`;

/** The attempt at a delivery that arrived at once, as it is kept in a run: without what all of them have in common. */
export function attemptLine({ at, duration_ms, connect_ms, request, response }: KeptAttempt): string {
  const { url, body_bytes, body_sha256 } = request;
  return JSON.stringify([at, duration_ms, connect_ms, url, body_bytes, body_sha256, response]);
}

/** The attempt that such a line stands for. */
function attemptIn(line: Fragment): Fragment {
  return sql`(
    select jsonb_build_object('number', 1, 'at', kept->0, 'duration_ms', kept->1, 'connect_ms', kept->2,
      'request', jsonb_build_object('url', kept->3, 'body_bytes', kept->4, 'body_sha256', kept->5), 'response', kept->6,
      'fault', null, 'error', null)
    from (select ${line} as kept) as line
  )`;
}

/**
 * Deliveries of runs, as they would be written as rows. Wanted: runs, and the places of deliveries in each; so each run is taken
 * apart once, whatever is wanted of it.
 */
function membersOf(wanted: Fragment): Fragment {
  return sql`
    select run.id + place - 1 as id, run.webhook_id, event_id, event, project_id, event_sequence, sequence, null::jsonb as data,
      'delivered' as status, null as reason, null::timestamptz as due_at, null as claimed_by, 1 as fence, 1 as attempt_count,
      0 as failures, jsonb_build_array(${attemptIn(sql`attempt::jsonb`)}) as attempts, run.created_at, run.created_at as delivered_at
    from ${wanted} as wanted
    join delivered_runs as run on run.id = wanted.run_id
    cross join lateral unnest(event_ids, run.events, project_ids, event_sequences, sequences, string_to_array(run.attempts, E'\\n'))
      with ordinality as member (event_id, event, project_id, event_sequence, sequence, attempt, place)
    where place = any(wanted.places)`;
}

/** The runs in which these numbers are, each with their places there. */
function runsOf(ids: readonly number[]): Fragment {
  return sql`(
    select run.id as run_id, array_agg(wanted.id - run.id + 1) as places
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

/** One more than the page holds, newest first. What has a row is not looked for in runs. */
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
      -- The newest runs first, and no more of them than fill the page: sorted by both, all would be taken apart before. That a run's
      -- own stay in their order is what a nested loop does, and with a lateral part there is no other plan.
      select run.id as run_id, place
      from (
        select * from delivered_runs
        where webhook_id = ${webhookId} and (${after ?? null}::bigint is null or id < ${after ?? null})
          and coalesce(${status ?? null}::text, 'delivered') = 'delivered'
          and (${event ?? null}::text is null or ${event ?? null} = any(events))
          and (${project_id ?? null}::text is null or ${project_id ?? null} = any(project_ids))
        order by id desc
      ) as run
      cross join lateral (
        select place from unnest(run.events, project_ids, sequences) with ordinality as member (event, project_id, sequence, place)
        where (${after ?? null}::bigint is null or run.id + place - 1 < ${after ?? null}) and ${fits}
          and not exists (select from deliveries where deliveries.id = run.id + place - 1)
        order by place desc
      ) as member
      order by run.id desc limit ${limit + 1}
    )
    select * from single
    union all
    ${membersOf(sql`(select run_id, array_agg(place) as places from found group by run_id)`)}
    order by id desc limit ${limit + 1}`.execute(db);
  return rows;
}

/** A delivery, and whose it is. */
export async function findDelivery(
  db: Database,
  id: number,
): Promise<(DeliveryRow & { readonly owner_id: string }) | undefined> {
  const { rows } = await sql<DeliveryRow & { owner_id: string }>`
    select found.*, webhooks.owner_id from (
      select ${columns} from deliveries where id = ${id}
      union all
      (${membersOf(runsOf([id]))} and not exists (select from deliveries where deliveries.id = ${id}))
    ) as found
    join webhooks on webhooks.id = found.webhook_id`.execute(db);
  return rows[0];
}

/** Puts deliveries on their way again, and gives them; an attempt that is under way no longer counts. */
export async function sendOnceMore(trx: Transaction, ids: readonly number[]): Promise<DeliveryRow[]> {
  // From now on they have rows, which stand for them.
  await sql`
    insert into deliveries (${columns}) overriding system value ${membersOf(runsOf(ids))} on conflict (id) do nothing`.execute(
    trx,
  );
  const { rows } = await sql<DeliveryRow>`
    update deliveries set status = 'pending', reason = null, due_at = now(), claimed_by = null, fence = fence + 1, failures = 0
    where id = any(${ids}::bigint[]) returning *`.execute(trx);
  return rows;
}

const keptDays = 30;
const maxKept = 100_000;
const removedAtOnce = 5_000;
/** Each may be a thousand deliveries. */
const runsRemovedAtOnce = 500;

/** Removes what ended long ago, what is too much of one webhook, and what deleted webhooks left; gives whether there is more. */
export async function trimDeliveries(db: Database): Promise<boolean> {
  // Runs first: without its row, a delivery would look as it did before it was sent once more.
  const runs = await removeRuns(db);
  const rows = await removeRows(db);
  await sql`
    delete from webhook_sequences where not exists (select from webhooks where webhooks.id = webhook_id)
      or not exists (select from projects where projects.id = project_id)`.execute(db);
  return runs >= runsRemovedAtOnce || rows >= removedAtOnce;
}

/**
 * Of each webhook, the newest delivery before which there are enough. One that was sent once more counts twice: there are fewer
 * then, never more.
 */
const surplus = sql`(
  select webhooks.id as webhook_id, counted.id as up_to from webhooks cross join lateral (
    select id from (
      select id, sum(count) over (order by id desc rows unbounded preceding) - count as newer from (
        select id, count from delivered_runs where webhook_id = webhooks.id
        union all
        select id, 1 from deliveries where webhook_id = webhooks.id and status <> 'pending'
      ) as kept
    ) as kept where newer >= ${maxKept} order by id desc limit 1
  ) as counted
)`;

async function removeRuns(db: Database): Promise<number> {
  const { numAffectedRows = 0n } = await sql`
    delete from delivered_runs where id = any(array(
      select id from delivered_runs where created_at < now() - ${keptDays} * interval '1 day'
        or not exists (select from webhooks where webhooks.id = delivered_runs.webhook_id)
      limit ${runsRemovedAtOnce}
    ))`.execute(db);
  const { numAffectedRows: tooMany = 0n } = await sql`
    delete from delivered_runs where id = any(array(
      select run.id from ${surplus} as surplus
      join delivered_runs as run on run.webhook_id = surplus.webhook_id and run.id <= surplus.up_to
      limit ${runsRemovedAtOnce}
    ))`.execute(db);
  return Number(numAffectedRows + tooMany);
}

async function removeRows(db: Database): Promise<number> {
  const isInNoRun = sql`not coalesce((
    select deliveries.id < run.id + run.count from delivered_runs as run where run.id <= deliveries.id order by run.id desc limit 1
  ), false)`;
  const { numAffectedRows = 0n } = await sql`
    delete from deliveries where id = any(array(
      select id from deliveries
      where (status <> 'pending' and created_at < now() - ${keptDays} * interval '1 day'
        or not exists (select from webhooks where webhooks.id = deliveries.webhook_id)) and ${isInNoRun}
      limit ${removedAtOnce}
    ))`.execute(db);
  const { numAffectedRows: tooMany = 0n } = await sql`
    delete from deliveries where id = any(array(
      select deliveries.id from ${surplus} as surplus
      join deliveries on deliveries.webhook_id = surplus.webhook_id and deliveries.id <= surplus.up_to
      where status <> 'pending' and ${isInNoRun}
      limit ${removedAtOnce}
    ))`.execute(db);
  return Number(numAffectedRows + tooMany);
}
