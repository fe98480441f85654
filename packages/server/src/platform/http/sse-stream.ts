import { isDatabaseUnavailable } from "../database/index.ts";
import { answers, inTurns, takeTurns } from "../in-turns.ts";
import { WakeUp } from "../wake-up/index.ts";
import type { Call } from "./handlers.ts";
import { untilGone } from "./until-gone.ts";

/** One server-sent event. A client that reconnects with its id continues after it. */
interface SseEvent<Id extends string | number> {
  readonly id: Id;
  readonly event: string;
  /** What stands in it as JSON; bytes are JSON already, made once for several readers. */
  readonly data: unknown;
}

interface SseBatch<Id extends string | number> {
  /** They are taken one by one, so large ones can be made as they go. */
  readonly events: Iterable<SseEvent<Id>>;
  /** Where to go on, if that is further than the last of these events. */
  readonly end?: Id;
  readonly hasMore: boolean;
}

interface SseSource<Id extends string | number> {
  /** The last event that the client has. */
  readonly after: Id;
  /** The next events after this one, in order, in batches. */
  readonly read: (after: Id) => Promise<SseBatch<Id>>;
  /** Calls back when there may be more events; a hint that may get lost. */
  readonly subscribe: (onSignal: () => void, until: AbortSignal) => void;
  /** Aborted when the service stops. */
  readonly stopping: AbortSignal;
  /** How often to poll without a signal. */
  readonly pollMs: number;
}

type Reply = Call["reply"];

const maxBufferedBytes = 1024 * 1024;
/** How long a client may leave that much unread. */
const maxDrainMs = 5_000;
/** How often a comment is sent on an idle stream, so that proxies keep the connection open. */
const heartbeatMs = 15_000;

/**
 * Answers a call with server-sent events, until the client leaves, loses its right to read, or the service stops. A client
 * that does not keep up is disconnected; it can reconnect with the last id it received.
 */
export async function streamSse<Id extends string | number>(
  { reply, isStillAdmitted }: Pick<Call, "reply" | "isStillAdmitted">,
  { after, read, subscribe, stopping, pollMs }: SseSource<Id>,
): Promise<void> {
  const over = new AbortController();
  const stream = reply.raw;
  const until = AbortSignal.any([untilGone(reply), stopping, over.signal]);
  begin(reply);
  const wakeUp = new WakeUp();
  until.addEventListener("abort", () => wakeUp.wake(), { once: true });
  subscribe(() => wakeUp.wake(), until);
  const heartbeat = setInterval(() => stream.write(": still here\n\n"), heartbeatMs);
  const turn = takeTurns(undefined, answers);
  try {
    for (let last = after; !until.aborted; ) {
      // A signal wakes all readers at once, and what each of them asks is work, too.
      await turn();
      const { events, end, hasMore } = await read(last);
      for await (const event of inTurns(events, answers)) {
        if (until.aborted) return;
        send(stream, event);
        last = event.id;
        // The service writes faster than any network: only a client that stays behind after a wait is too slow.
        if (stream.writableLength > maxBufferedBytes) await drained(stream, until);
        if (stream.writableLength > maxBufferedBytes) return;
      }
      last = end ?? last;
      if (hasMore) await drained(stream, until);
      else await wakeUp.wait(pollMs);
      // A token may be revoked while its stream is open, also while a slow client reads a long history.
      if (until.aborted || !(await isStillAdmitted())) return;
    }
  } catch (error) {
    // When the database is unavailable, the client reconnects by itself with the last id it received.
    if (!isDatabaseUnavailable(error)) reply.log.error({ err: error }, "An event stream failed.");
  } finally {
    clearInterval(heartbeat);
    over.abort();
    if (stream.writableLength > maxBufferedBytes) stream.destroy();
    else stream.end();
  }
}

function begin(reply: Reply): void {
  const stream = reply.raw;
  // Hijacked replies lose the headers set so far: rate limits, request id, security.
  reply.hijack();
  for (const [name, value] of Object.entries(reply.getHeaders()))
    if (value !== undefined) stream.setHeader(name, value);
  stream.writeHead(200, {
    "content-type": "text/event-stream; charset=utf-8",
    "cache-control": "no-store",
    "x-accel-buffering": "no",
  });
  stream.write("retry: 2000\n\n");
}

function send(stream: Reply["raw"], { id, event, data }: SseEvent<string | number>): void {
  const head = `id: ${id}\nevent: ${event}\ndata: `;
  if (!(data instanceof Uint8Array)) return void stream.write(`${head}${JSON.stringify(data)}\n\n`);
  stream.write(head);
  stream.write(data);
  stream.write("\n\n");
}

/** Waits until the client has read what was written, so that a long history is never buffered in memory. */
async function drained(stream: Reply["raw"], until: AbortSignal): Promise<void> {
  if (!stream.writableNeedDrain || until.aborted) return;
  const { promise, resolve } = Promise.withResolvers<void>();
  const goOn = () => resolve();
  stream.once("drain", goOn);
  until.addEventListener("abort", goOn);
  const timer = setTimeout(goOn, maxDrainMs);
  await promise;
  clearTimeout(timer);
  stream.off("drain", goOn);
  // A long history waits thousands of times.
  until.removeEventListener("abort", goOn);
}
