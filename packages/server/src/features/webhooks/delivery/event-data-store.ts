import { sql } from "kysely";
import type { Database } from "../../../platform/database/index.ts";
import type { ClaimedDelivery } from "./delivery-store.ts";

/** An answer is a few megabytes at most: that of an event is bounded where it is written. */
const maxEventsAtOnce = 64;

type Data = Record<string, unknown>;

/** What each of the deliveries tells, in their order: read once for all deliveries of an event; null: the event is gone. */
export async function readEventData(db: Database, deliveries: readonly ClaimedDelivery[]): Promise<(Data | null)[]> {
  const ofLog = deliveries.filter(({ data, eventSequence }) => data === null && eventSequence !== null);
  const events = [...new Map(ofLog.map((delivery) => [keyOf(delivery), delivery])).values()];
  const known = new Map<string, Data>();
  for (let at = 0; at < events.length; at += maxEventsAtOnce)
    for (const row of await selectEvents(db, events.slice(at, at + maxEventsAtOnce))) known.set(keyOf(row), row.data);
  return deliveries.map((delivery) => delivery.data ?? known.get(keyOf(delivery)) ?? null);
}

type EventKey = Pick<ClaimedDelivery, "projectId" | "eventSequence">;

function keyOf({ projectId, eventSequence }: EventKey): string {
  return `${projectId} ${eventSequence}`;
}

async function selectEvents(db: Database, events: readonly EventKey[]): Promise<(EventKey & { data: Data })[]> {
  const { rows } = await sql<EventKey & { data: Data }>`
    select project_id as "projectId", sequence as "eventSequence", data
    from unnest(
      ${events.map(({ projectId }) => projectId)}::text[], ${events.map(({ eventSequence }) => eventSequence)}::bigint[]
    ) as wanted (project_id, sequence)
    join events using (project_id, sequence)`.execute(db);
  return rows;
}
