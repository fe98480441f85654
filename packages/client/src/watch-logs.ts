import type { LogPage } from "@slipway/contract";
import type { CallOptions } from "./call-types.ts";
import type { Caller } from "./caller.ts";
import { isKnownNumber, resumingStream, type StreamOptions } from "./resuming-stream.ts";

type LogQuery = Omit<NonNullable<CallOptions<"readLogs">["query"]>, "follow" | "cursor">;

interface LogOptions extends StreamOptions {
  readonly query?: LogQuery;
  /** From the first line on, not only the last lines. */
  readonly isWhole?: boolean;
}

/** Yields the log lines of a project's agents and programs in batches: the last lines or all, then new ones. */
export function watchLogs(
  caller: Caller,
  projectId: string,
  { query = {}, isWhole = false, ...options }: LogOptions = {},
): AsyncGenerator<LogPage["lines"], never, void> {
  return resumingStream(
    caller,
    {
      after: isWhole ? "0" : "",
      isKnown: isKnownNumber,
      open: (call) =>
        caller.send("readLogs", { params: { project_id: projectId }, query: { ...query, follow: true }, ...call }),
      read: ({ data }) => (JSON.parse(data) as LogPage).lines,
    },
    options,
  );
}
