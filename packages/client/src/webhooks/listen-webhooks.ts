import type { WebhookFrame } from "@slipway/contract";
import type { CallOptions } from "../call-types.ts";
import type { Caller } from "../caller.ts";
import { resumingStream, type StreamOptions } from "../resuming-stream.ts";

/** A delivery as a webhook would receive it, and the secret that signs it. */
export interface ListenedDelivery extends WebhookFrame {
  readonly secret: string;
}

interface ListenOptions extends StreamOptions {
  readonly query?: NonNullable<CallOptions<"streamWebhook">["query"]>;
  /** Receives the secret of each new connection. */
  readonly onSecret?: (secret: string) => void;
}

/**
 * Yields what a webhook would receive from now on, without registering one. It never ends by itself: if the connection
 * breaks or the service restarts, it resumes after the last delivery, with another secret.
 */
export function listenWebhooks(
  caller: Caller,
  { query = {}, onSecret, ...options }: ListenOptions = {},
): AsyncGenerator<ListenedDelivery, never, void> {
  let secret = "";
  return resumingStream(
    caller,
    {
      after: "",
      // A new connection sends its secret with the id it resumes from.
      isKnown: ({ event, id }, last) => event === "delivery" && id === last,
      open: (call) => caller.send("streamWebhook", { query, ...call }),
      read: ({ event, data }) => {
        if (event === "secret") {
          ({ secret } = JSON.parse(data) as { secret: string });
          onSecret?.(secret);
        }
        return event === "delivery" ? { ...(JSON.parse(data) as WebhookFrame), secret } : undefined;
      },
    },
    options,
  );
}
