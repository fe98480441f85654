import type { EventData, EventName } from "@slipway/contract";
import type { Clock } from "../clock.ts";
import type { Transaction } from "../database/index.ts";
import { newId } from "../new-id.ts";
import { insertEvent } from "./store.ts";

/** Writes down what happened to a project, in the transaction that makes it happen. */
export async function appendEvent<N extends EventName>(
  trx: Transaction,
  clock: Clock,
  projectId: string,
  name: N,
  data: EventData<N>,
): Promise<void> {
  const now = clock.now();
  await insertEvent(trx, {
    project_id: projectId,
    id: newId("event", now.getTime()),
    name,
    data: data as Record<string, unknown>,
    created_at: now,
  });
}
