import type { EventRecord } from "@slipway/contract";
import { Bell } from "../bell.ts";
import { type Database, isDatabaseUnavailable } from "../database/index.ts";
import type { Call } from "../http/index.ts";
import type { ProjectSignals } from "./project-signals.ts";
import { type EventRow, selectEvents } from "./store.ts";

interface Parts {
  readonly db: Database;
  readonly signals: ProjectSignals;
  /** Aborted when the service stops. */
  readonly stopping: AbortSignal;
  /** Asked again and again: a token may be revoked while its stream is open. */
  readonly isStillAdmitted: () => Promise<boolean>;
}

type Reply = Call["reply"];

const batchSize = 100;
const mostBufferedBytes = 1024 * 1024;
/** How long a reader may leave that much unread. */
const patienceMs = 5_000;
const heartbeatMs = 15_000;
/** Signals are only a hint: without any, readers look by themselves this often. */
const lookMs = 2_000;

/**
 * Writes a project's events as a stream, from the one after `after` on, until the reader goes, may no longer
 * read, or the service stops. A reader that does not keep up is dropped: it can come back with the last id it saw.
 */
export async function streamEvents(
  { db, signals, stopping, isStillAdmitted }: Parts,
  reply: Reply,
  projectId: string,
  after: number,
): Promise<void> {
  const gone = new AbortController();
  const stream = reply.raw;
  const until = AbortSignal.any([gone.signal, stopping]);
  stream.on("close", () => gone.abort());
  // Whatever was set on the reply (limits, ids, security) goes out with the head.
  reply.hijack();
  for (const [name, value] of Object.entries(reply.getHeaders()))
    if (value !== undefined) stream.setHeader(name, value);
  stream.writeHead(200, {
    "content-type": "text/event-stream; charset=utf-8",
    "cache-control": "no-store",
    "x-accel-buffering": "no",
  });
  stream.write("retry: 2000\n\n");
  const bell = new Bell();
  until.addEventListener("abort", () => bell.ring(), { once: true });
  signals.subscribe(projectId, () => bell.ring(), until);
  const heartbeat = setInterval(() => stream.write(": still here\n\n"), heartbeatMs);
  try {
    for (let last = after; !until.aborted; ) {
      const events = await selectEvents(db, projectId, last, batchSize);
      for (const event of events) {
        stream.write(toFrame(event));
        last = event.sequence;
        // Written faster than it can go out, by us; only who does not read in spite of being waited for is behind.
        if (stream.writableLength > mostBufferedBytes) await drained(stream, until);
        if (stream.writableLength > mostBufferedBytes) return;
      }
      if (events.length === batchSize) {
        await drained(stream, until);
        continue;
      }
      await bell.wait(lookMs);
      if (!(await isStillAdmitted())) return;
    }
  } catch (error) {
    // Where the database went away, the reader comes back by itself, with the last id it saw.
    if (!isDatabaseUnavailable(error)) reply.log.error({ err: error }, "a stream of events failed");
  } finally {
    clearInterval(heartbeat);
    gone.abort();
    if (stream.writableLength > mostBufferedBytes) stream.destroy();
    else stream.end();
  }
}

function toFrame(row: EventRow): string {
  return `id: ${row.sequence}\nevent: ${row.name}\ndata: ${JSON.stringify(showEvent(row))}\n\n`;
}

export function showEvent({ id, sequence, name, created_at, project_id, data }: EventRow): EventRecord {
  return { event_id: id, sequence, event: name, timestamp: created_at.toISOString(), project_id, data };
}

/** Waits until what was written has gone out, so that a long history is not held in memory. */
async function drained(stream: Reply["raw"], until: AbortSignal): Promise<void> {
  if (!stream.writableNeedDrain || until.aborted) return;
  const { promise, resolve } = Promise.withResolvers<void>();
  stream.once("drain", resolve);
  until.addEventListener("abort", () => resolve(), { once: true });
  const impatience = setTimeout(resolve, patienceMs);
  await promise;
  clearTimeout(impatience);
  stream.off("drain", resolve);
}
