import { base64Of, bodyKey, headerKey, hmac } from "./secret-key.ts";
import type { WebhookSecrets } from "./verify-webhook.ts";

/** The headers that sign a delivery. */
export type SignedHeaders = Record<"webhook-id" | "webhook-timestamp" | "webhook-signature", string>;

export interface UnsignedDelivery {
  /** The event's id, the same on every attempt. */
  readonly id: string;
  /** When it is sent, in seconds since 1970. */
  readonly timestamp: string | number;
  readonly body: string;
}

/** Signs a body as the service does, to test receivers. Several secrets give several signatures, in this order. */
export async function signWebhook(
  secrets: WebhookSecrets,
  { id, timestamp, body }: UnsignedDelivery,
): Promise<SignedHeaders> {
  const signed = new TextEncoder().encode(`${id}.${timestamp}.${body}`);
  const all = typeof secrets === "string" ? [secrets] : secrets;
  const signatures = all.map(async (secret) => `v1,${base64Of(await hmac(await headerKey(secret), signed))}`);
  return {
    "webhook-id": id,
    "webhook-timestamp": String(timestamp),
    "webhook-signature": (await Promise.all(signatures)).join(" "),
  };
}

export interface UnsignedEvent {
  readonly event: string;
  readonly timestamp: string;
  readonly project_id: string;
  readonly data: Readonly<Record<string, unknown>>;
}

/** The body of an event, including its signature, as the service writes it. */
export async function writeWebhookBody(
  secret: string,
  { event, timestamp, project_id, data }: UnsignedEvent,
): Promise<string> {
  const unsigned = JSON.stringify({ event, timestamp, project_id, data });
  const signature = await hmac(await bodyKey(secret), new TextEncoder().encode(unsigned));
  const hex = Array.from(signature, (byte) => byte.toString(16).padStart(2, "0")).join("");
  return `${unsigned.slice(0, -1)},"signature":"sha256=${hex}"}`;
}
