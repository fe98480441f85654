import type { Client } from "./client.ts";
import { ConnectionError, SlipwayError } from "./errors.ts";
import { pause } from "./pause.ts";
import { backoffMs } from "./retry-delay.ts";
import { type SseFrame, SseParser } from "./sse-parser.ts";

export interface StreamOptions {
  readonly signal?: AbortSignal | undefined;
  /** How long the service may be away before it is given up. */
  readonly patienceMs?: number;
  /** A connection over which nothing comes for so long is dead; the service says every 15 seconds that it is there. */
  readonly idleMs?: number;
}

interface Stream<T> {
  /** Opens it once, with headers that say from where to go on. */
  readonly open: (call: { headers: Record<string, string>; signal: AbortSignal }) => Promise<Response>;
  /** What a frame holds; nothing: it is not for whoever reads. */
  readonly read: (frame: SseFrame) => T | undefined;
  /** The id of the last frame that is known; empty: from where it begins. */
  readonly after: string;
  /** Whether a frame was had before, if this is the id of the last one. */
  readonly isKnown: (frame: SseFrame, last: string) => boolean;
}

/** For streams whose frames are numbered. */
export function isKnownNumber({ id }: SseFrame, last: string): boolean {
  return Number(id) <= Number(last);
}

/**
 * What the frames of a stream hold, each once and in order. It does not end by itself; where the connection breaks or the service restarts,
 * it goes on after the last one.
 */
export async function* resumingStream<T>(
  { url }: Pick<Client, "url">,
  { open, read, after, isKnown }: Stream<T>,
  { signal, patienceMs = 120_000, idleMs = 45_000 }: StreamOptions,
): AsyncGenerator<T, never, void> {
  let last = after;
  let failures = 0;
  let hadConnectionAt = Date.now();
  for (;;) {
    try {
      const headers = { accept: "text/event-stream", ...(last !== "" && { "last-event-id": last }) };
      const openOnce = (until: AbortSignal) => open({ headers, signal: until });
      for await (const frame of oneConnection({ url, signal, idleMs, open: openOnce })) {
        hadConnectionAt = Date.now();
        failures = 0;
        if (frame === undefined || isKnown(frame, last)) continue;
        if (frame.id !== "") last = frame.id;
        const value = read(frame);
        if (value !== undefined) yield value;
      }
    } catch (error) {
      signal?.throwIfAborted();
      const isAway = error instanceof ConnectionError || (error instanceof SlipwayError && error.isTransient);
      if (!isAway || Date.now() - hadConnectionAt > patienceMs) throw error;
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

/** One connection: its frames, and nothing whenever it shows in another way that it is alive. */
async function* oneConnection({
  url,
  open,
  signal,
  idleMs,
}: OneConnection): AsyncGenerator<SseFrame | undefined, void, void> {
  const request = { method: "GET", url };
  const silence = new AbortController();
  const wait = () => setTimeout(() => silence.abort(new ConnectionError(request, "nothing comes any more")), idleMs);
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
        const frames = parser.push(value);
        if (frames.length === 0) yield undefined;
        // Who reads slowly is not the connection's fault: no clock runs while they work.
        yield* frames;
        timer = wait();
      }
    } finally {
      // Also when whoever reads has had enough.
      await reader.cancel().catch(() => undefined);
    }
  } finally {
    clearTimeout(timer);
  }
}
