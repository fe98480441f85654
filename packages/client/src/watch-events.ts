import type { EventRecord } from "@slipway/contract";
import type { Client } from "./client.ts";
import { isKnownNumber, resumingStream, type StreamOptions } from "./resuming-stream.ts";

export interface WatchOptions extends StreamOptions {
  /** The sequence of the last event that you have; 0, or nothing: from the first. */
  readonly after?: number;
}

/** The events of a project, each once and in order: those that were, then those that come. It does not end by itself. */
export function watchEvents(
  client: Client,
  projectId: string,
  { after = 0, ...options }: WatchOptions = {},
): AsyncGenerator<EventRecord, never, void> {
  return resumingStream(
    client,
    {
      after: after > 0 ? String(after) : "",
      isKnown: isKnownNumber,
      open: (call) => client.send("listEvents", { params: { project_id: projectId }, ...call }),
      read: ({ data }) => JSON.parse(data) as EventRecord,
    },
    options,
  );
}
