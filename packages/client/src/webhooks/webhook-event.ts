import type { WebhookEventData, WebhookEventName } from "@slipway/contract";
import { WebhookVerificationError } from "./verification-error.ts";

/** The body of a delivery, by event name. A newer service may send names unknown to this client: ignore them. */
export type WebhookEvent = { [N in WebhookEventName]: WebhookEventOf<N> }[WebhookEventName];

interface WebhookEventOf<N extends WebhookEventName> {
  readonly event: N;
  /** When the event occurred; it may be delivered much later. */
  readonly timestamp: string;
  /** Empty for `webhook.test`. */
  readonly project_id: string;
  readonly data: WebhookEventData<N>;
  readonly signature: string;
}

/** Parses a body whose signature is verified. */
export function readEvent(body: Uint8Array): WebhookEvent {
  const value = parse(body) as Partial<Record<keyof WebhookEvent, unknown>> | null | undefined;
  const isEvent =
    typeof value?.event === "string" &&
    typeof value.timestamp === "string" &&
    typeof value.project_id === "string" &&
    typeof value.data === "object" &&
    value.data !== null;
  if (!isEvent) throw new WebhookVerificationError("malformed_body", "The body is signed, but it is not an event.");
  return value as WebhookEvent;
}

function parse(body: Uint8Array): unknown {
  try {
    return JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(body));
  } catch {
    return undefined;
  }
}
