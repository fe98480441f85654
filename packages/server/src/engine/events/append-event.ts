import type { EventData, EventName } from "@slipway/contract";
import type { Clock } from "../../platform/clock.ts";
import type { Transaction } from "../../platform/database/index.ts";
import { newId } from "../../platform/ids.ts";
import { boundedData } from "./bounded-data.ts";
import { insertEvent, type NewEvent } from "./store.ts";

/** Appends an event of a project, in the transaction of the change it reports. */
export async function appendEvent<N extends EventName>(
  trx: Transaction,
  clock: Clock,
  projectId: string,
  name: N,
  data: EventData<N>,
): Promise<void> {
  await insertEvent(trx, newEvent(clock.now(), projectId, name, data));
}

/** Creates an event without writing it. */
export function newEvent<N extends EventName>(now: Date, projectId: string, name: N, data: EventData<N>): NewEvent {
  const id = newId("event", now.getTime());
  return { project_id: projectId, id, name, data: boundedData(data), created_at: now };
}
