import { isDatabaseUnavailable } from "../database/index.ts";
import { WakeUp } from "../wake-up/index.ts";
import type { Call } from "./handlers.ts";

/** One frame of an event stream. Who comes back with its id goes on after it. */
interface Frame<Id extends string | number> {
  readonly id: Id;
  readonly event: string;
  readonly data: unknown;
}

interface SseSource<Id extends string | number> {
  /** Where to begin. */
  readonly after: Id;
  /** What follows a frame, in order, some at a time. */
  readonly read: (after: Id) => Promise<{ readonly frames: readonly Frame<Id>[]; readonly hasMore: boolean }>;
  /** Calls back when there may be more; a hint that may be missed. */
  readonly subscribe: (onSignal: () => void, until: AbortSignal) => void;
  /** Aborted when the service stops. */
  readonly stopping: AbortSignal;
  /** Without any signal, it is looked this often. */
  readonly pollMs: number;
}

type Reply = Call["reply"];

const maxBufferedBytes = 1024 * 1024;
/** How long a reader may leave that much unread. */
const patienceMs = 5_000;
const heartbeatMs = 15_000;

/**
 * Answers a call with a stream of frames, until the reader goes, may no longer read, or the service stops. A reader that
 * does not keep up is dropped: it can come back with the last id it saw.
 */
export async function streamSse<Id extends string | number>(
  { reply, isStillAdmitted }: Pick<Call, "reply" | "isStillAdmitted">,
  { after, read, subscribe, stopping, pollMs }: SseSource<Id>,
): Promise<void> {
  const gone = new AbortController();
  const stream = reply.raw;
  const until = AbortSignal.any([gone.signal, stopping]);
  stream.on("close", () => gone.abort());
  begin(reply);
  const wakeUp = new WakeUp();
  until.addEventListener("abort", () => wakeUp.wake(), { once: true });
  subscribe(() => wakeUp.wake(), until);
  const heartbeat = setInterval(() => stream.write(": still here\n\n"), heartbeatMs);
  try {
    for (let last = after; !until.aborted; ) {
      const { frames, hasMore } = await read(last);
      for (const frame of frames) {
        stream.write(`id: ${frame.id}\nevent: ${frame.event}\ndata: ${JSON.stringify(frame.data)}\n\n`);
        last = frame.id;
        // Written faster than it can go out, by us; only who does not read in spite of being waited for is behind.
        if (stream.writableLength > maxBufferedBytes) await drained(stream, until);
        if (stream.writableLength > maxBufferedBytes) return;
      }
      if (hasMore) {
        await drained(stream, until);
        continue;
      }
      await wakeUp.wait(pollMs);
      // A token may be revoked while its stream is open.
      if (!(await isStillAdmitted())) return;
    }
  } catch (error) {
    // Where the database went away, the reader comes back by itself, with the last id it saw.
    if (!isDatabaseUnavailable(error)) reply.log.error({ err: error }, "a stream failed");
  } finally {
    clearInterval(heartbeat);
    gone.abort();
    if (stream.writableLength > maxBufferedBytes) stream.destroy();
    else stream.end();
  }
}

function begin(reply: Reply): void {
  const stream = reply.raw;
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
