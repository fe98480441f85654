import type { EventRecord } from "@slipway/contract";
import type { Client } from "./client.ts";
import { ConnectionError, SlipwayError } from "./errors.ts";
import { pause } from "./pause.ts";
import { backoffMs } from "./retry-delay.ts";
import { type SseFrame, SseParser } from "./sse-parser.ts";

export interface WatchOptions {
  /** The sequence of the last event that you have; 0, or nothing: from the first. */
  readonly after?: number;
  readonly signal?: AbortSignal | undefined;
  /** How long the service may be away before the watch gives up. */
  readonly patienceMs?: number;
  /** A connection over which nothing comes for so long is dead; the service says every 15 seconds that it is there. */
  readonly idleMs?: number;
}

/**
 * The events of a project, each once and in order: those that were, then those that come. It does not end by itself; where the
 * connection breaks or the service restarts, it goes on after the last event.
 */
export async function* watchEvents(
  client: Client,
  projectId: string,
  { after = 0, signal, patienceMs = 120_000, idleMs = 45_000 }: WatchOptions = {},
): AsyncGenerator<EventRecord, never, void> {
  let last = after;
  let failures = 0;
  let hadConnectionAt = Date.now();
  for (;;) {
    try {
      for await (const frame of openStream(client, projectId, { last, signal, idleMs })) {
        hadConnectionAt = Date.now();
        failures = 0;
        const event = frame === undefined ? undefined : (JSON.parse(frame.data) as EventRecord);
        if (event === undefined || event.sequence <= last) continue;
        last = event.sequence;
        yield event;
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

/** One connection: its frames, and nothing whenever it shows in another way that it is alive. */
async function* openStream(
  client: Client,
  projectId: string,
  { last, signal, idleMs }: { last: number; signal: AbortSignal | undefined; idleMs: number },
): AsyncGenerator<SseFrame | undefined, void, void> {
  const request = { method: "GET", url: client.url };
  const silence = new AbortController();
  const wait = () => setTimeout(() => silence.abort(new ConnectionError(request, "nothing comes any more")), idleMs);
  let timer = wait();
  try {
    const response = await client.send("listEvents", {
      params: { project_id: projectId },
      headers: { accept: "text/event-stream", ...(last > 0 && { "last-event-id": String(last) }) },
      signal: signal ? AbortSignal.any([signal, silence.signal]) : silence.signal,
    });
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
