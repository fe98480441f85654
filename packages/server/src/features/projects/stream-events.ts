import type { EventRecord } from "@slipway/contract";
import { type EventRow, type ProjectSignals, selectEvents } from "../../engine/events/index.ts";
import type { Database } from "../../platform/database/index.ts";
import { type Call, streamSse } from "../../platform/http/index.ts";

interface Deps {
  readonly db: Database;
  readonly signals: ProjectSignals;
  /** Aborted when the service stops. */
  readonly stopping: AbortSignal;
}

const batchSize = 100;

/** Streams the events of a project that come after the sequence `after`. */
export function streamEvents(
  { db, signals, stopping }: Deps,
  call: Pick<Call, "reply" | "isStillAdmitted">,
  projectId: string,
  after: number,
): Promise<void> {
  return streamSse(call, {
    after,
    pollMs: signals.pollMs,
    stopping,
    subscribe: (onSignal, until) => signals.subscribe(projectId, onSignal, until),
    read: async (last) => {
      const rows = await selectEvents(db, projectId, last, batchSize);
      const events = rows.map((row) => ({ id: row.sequence, event: row.name, data: showEvent(row) }));
      return { events, hasMore: rows.length === batchSize };
    },
  });
}

export function showEvent({ id, sequence, name, created_at, project_id, data }: EventRow): EventRecord {
  return { event_id: id, sequence, event: name, timestamp: created_at.toISOString(), project_id, data };
}
