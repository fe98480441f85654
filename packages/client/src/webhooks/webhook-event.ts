import type { WebhookEventData, WebhookEventName } from "@slipway/contract";
import { WebhookVerificationError } from "./verification-error.ts";

/** What a delivery tells, by the name of its event. A service that is newer than this client may send other names: pass them over. */
export type WebhookEvent = { [N in WebhookEventName]: WebhookEventOf<N> }[WebhookEventName];

interface WebhookEventOf<N extends WebhookEventName> {
  readonly event: N;
  /** When it happened; it may have been sent long after. */
  readonly timestamp: string;
  /** Empty for `webhook.test`. */
  readonly project_id: string;
  readonly data: WebhookEventData<N>;
  readonly signature: string;
}

/** Reads a body whose signature was found right. */
export function readEvent(body: Uint8Array): WebhookEvent {
  const value = parse(body) as Partial<Record<keyof WebhookEvent, unknown>> | null | undefined;
  const isEvent =
    typeof value?.event === "string" &&
    typeof value.timestamp === "string" &&
    typeof value.project_id === "string" &&
    typeof value.data === "object" &&
    value.data !== null;
  if (!isEvent) throw new WebhookVerificationError("malformed_body", "The body is no event, though it was signed.");
  return value as WebhookEvent;
}

function parse(body: Uint8Array): unknown {
  try {
    return JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(body));
  } catch {
    return undefined;
  }
}
