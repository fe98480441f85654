import type { Caller } from "./caller.ts";
import { ConnectionError, SlipwayError } from "./errors.ts";
import { pause } from "./pause.ts";
import { backoffMs } from "./retry-delay.ts";
import { type SseEvent, SseParser } from "./sse-parser.ts";

export interface StreamOptions {
  readonly signal?: AbortSignal | undefined;
  /** How long the service may be unreachable before the stream fails. */
  readonly patienceMs?: number;
  /** After this long without data the connection counts as dead; the service sends a heartbeat every 15 seconds. */
  readonly idleMs?: number;
}

interface Stream<T> {
  /** Opens one connection, with the headers to resume from. */
  readonly open: (call: { headers: Record<string, string>; signal: AbortSignal }) => Promise<Response>;
  /** The value of an SSE event; undefined if the reader does not need it. */
  readonly read: (event: SseEvent) => T | undefined;
  /** The id of the last SSE event received; empty to start at the beginning. */
  readonly after: string;
  /** Whether an SSE event is a repeat, given the id of the last one received. */
  readonly isKnown: (event: SseEvent, last: string) => boolean;
}

/** `isKnown` of streams with numeric ids; nothing is before the first of them, which may be 0. */
export function isKnownNumber({ id }: SseEvent, last: string): boolean {
  return last !== "" && Number(id) <= Number(last);
}

/**
 * Yields the values of a stream, each once and in order. It never ends by itself: if the connection breaks or the service
 * restarts, it resumes after the last SSE event.
 */
export async function* resumingStream<T>(
  { url }: Pick<Caller, "url">,
  { open, read, after, isKnown }: Stream<T>,
  { signal, patienceMs = 120_000, idleMs = 45_000 }: StreamOptions,
): AsyncGenerator<T, never, void> {
  let last = after;
  let failures = 0;
  let lastDataAt = Date.now();
  for (;;) {
    try {
      const headers = { accept: "text/event-stream", ...(last !== "" && { "last-event-id": last }) };
      const openOnce = (until: AbortSignal) => open({ headers, signal: until });
      for await (const event of oneConnection({ url, signal, idleMs, open: openOnce })) {
        lastDataAt = Date.now();
        failures = 0;
        if (event === undefined || isKnown(event, last)) continue;
        if (event.id !== "") last = event.id;
        const value = read(event);
        if (value !== undefined) yield value;
      }
    } catch (error) {
      signal?.throwIfAborted();
      const isUnreachable = error instanceof ConnectionError || (error instanceof SlipwayError && error.isTransient);
      if (!isUnreachable || Date.now() - lastDataAt > patienceMs) throw error;
      await pause(Math.min(error instanceof SlipwayError ? (error.retryAfterMs ?? 0) : 0, 10_000), signal);
    }
    failures++;
    await pause(backoffMs(failures), signal);
  }
}

interface OneConnection {
  readonly url: string;
  readonly open: (signal: AbortSignal) => Promise<Response>;
  readonly signal: AbortSignal | undefined;
  readonly idleMs: number;
}

/** The SSE events of one connection, and undefined for each heartbeat. */
async function* oneConnection({
  url,
  open,
  signal,
  idleMs,
}: OneConnection): AsyncGenerator<SseEvent | undefined, void, void> {
  const request = { method: "GET", url };
  const silence = new AbortController();
  const wait = () => setTimeout(() => silence.abort(new ConnectionError(request, "no data arrives")), idleMs);
  let timer = wait();
  try {
    const response = await open(signal ? AbortSignal.any([signal, silence.signal]) : silence.signal);
    const reader = response.body!.getReader();
    const parser = new SseParser();
    try {
      for (;;) {
        const { done, value } = await reader.read().catch((error: unknown) => {
          silence.signal.throwIfAborted();
          throw new ConnectionError(request, error);
        });
        clearTimeout(timer);
        if (done) return;
        const events = parser.push(value);
        if (events.length === 0) yield undefined;
        // A slow reader is not a dead connection: the idle timer stands still while it works.
        yield* events;
        timer = wait();
      }
    } finally {
      // Also when the reader stops early.
      await reader.cancel().catch(() => undefined);
    }
  } finally {
    clearTimeout(timer);
  }
}
