import type { WebhookFrame } from "@slipway/contract";
import type { CallOptions } from "../call-types.ts";
import type { Client } from "../client.ts";
import { resumingStream, type StreamOptions } from "../resuming-stream.ts";

/** A delivery as a webhook would be posted it, and the secret that it is signed with. */
export interface ListenedDelivery extends WebhookFrame {
  readonly secret: string;
}

interface ListenOptions extends StreamOptions {
  readonly query?: NonNullable<CallOptions<"streamWebhook">["query"]>;
  /** Told at the beginning of each connection what its deliveries are signed with. */
  readonly onSecret?: (secret: string) => void;
}

/**
 * What a webhook would be posted from now on, without one. It does not end by itself; where the connection breaks or the service restarts, it goes
 * on after the last delivery, with another secret.
 */
export function listenWebhooks(
  client: Client,
  { query = {}, onSecret, ...options }: ListenOptions = {},
): AsyncGenerator<ListenedDelivery, never, void> {
  let secret = "";
  return resumingStream(
    client,
    {
      after: "",
      // A new connection tells its secret with the id where it goes on.
      isKnown: ({ event, id }, last) => event === "delivery" && id === last,
      open: (call) => client.send("streamWebhook", { query, ...call }),
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
