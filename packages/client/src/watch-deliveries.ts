import type { Caller } from "./caller.ts";
import { resumingStream, type StreamOptions } from "./resuming-stream.ts";

/** Yields whenever deliveries of a webhook were made, attempted or sent again: read the list then. It never ends by itself. */
export function watchDeliveries(
  caller: Caller,
  webhookId: string,
  options: StreamOptions = {},
): AsyncGenerator<"changed", never, void> {
  return resumingStream(
    caller,
    {
      after: "",
      isKnown: () => false,
      open: (call) => caller.send("listDeliveries", { params: { webhook_id: webhookId }, ...call }),
      read: ({ event }) => (event === "changed" ? event : undefined),
    },
    options,
  );
}
