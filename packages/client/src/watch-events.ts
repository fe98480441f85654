import type { EventRecord } from "@slipway/contract";
import type { Caller } from "./caller.ts";
import { isKnownNumber, resumingStream, type StreamOptions } from "./resuming-stream.ts";

export interface WatchOptions extends StreamOptions {
  /** The sequence of the last event received; by default the stream starts at the first. */
  readonly after?: number;
}

/** Yields a project's events, each once and in order: past events, then new ones. It never ends by itself. */
export function watchEvents(
  caller: Caller,
  projectId: string,
  { after = 0, ...options }: WatchOptions = {},
): AsyncGenerator<EventRecord, never, void> {
  return resumingStream(
    caller,
    {
      after: after > 0 ? String(after) : "",
      isKnown: isKnownNumber,
      open: (call) => caller.send("listEvents", { params: { project_id: projectId }, ...call }),
      read: ({ data }) => JSON.parse(data) as EventRecord,
    },
    options,
  );
}
