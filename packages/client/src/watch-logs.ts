import type { LogPage } from "@slipway/contract";
import type { CallOptions } from "./call-types.ts";
import type { Client } from "./client.ts";
import { isKnownNumber, resumingStream, type StreamOptions } from "./resuming-stream.ts";

type LogQuery = Omit<NonNullable<CallOptions<"readLogs">["query"]>, "follow" | "cursor">;

/** Yields the log lines of a project's agents and programs in batches: the last lines, then new ones. */
export function watchLogs(
  client: Client,
  projectId: string,
  { query = {}, ...options }: StreamOptions & { readonly query?: LogQuery } = {},
): AsyncGenerator<LogPage["lines"], never, void> {
  return resumingStream(
    client,
    {
      after: "",
      isKnown: isKnownNumber,
      open: (call) =>
        client.send("readLogs", { params: { project_id: projectId }, query: { ...query, follow: true }, ...call }),
      read: ({ data }) => (JSON.parse(data) as LogPage).lines,
    },
    options,
  );
}
