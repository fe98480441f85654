import type { WebhookEventName } from "@slipway/contract";
import { HmacKey } from "./hmac-key.ts";

/** What a body tells. */
export interface Told {
  readonly event: WebhookEventName;
  readonly timestamp: string;
  readonly project_id: string;
  readonly data: Readonly<Record<string, unknown>>;
}

/**
 * The body as it is posted: its signature stands last, and is made over the bytes without that member, so a receiver cuts
 * the tail of fixed length and adds `}`.
 */
export function writeBody({ event, timestamp, project_id, data }: Told, { bodyKey }: SigningSecret): string {
  const unsigned = JSON.stringify({ event, timestamp, project_id, data });
  return `${unsigned.slice(0, -1)},"signature":"sha256=${bodyKey.sign(unsigned, "hex")}"}`;
}

export interface Signed {
  /** The event's id, the same on every attempt. */
  readonly id: string;
  readonly timestampSeconds: number;
  readonly body: string;
}

/** The keys that a secret stands for, in the body and in the header: making one costs more than using it. */
export interface SigningSecret {
  readonly bodyKey: HmacKey;
  readonly headerKey: HmacKey;
}

export function signingSecret(text: string): SigningSecret {
  return { bodyKey: new HmacKey(Buffer.from(text, "utf8")), headerKey: new HmacKey(headerKey(text)) };
}

/** The `webhook-signature` header of Standard Webhooks: one signature for each secret, the newest first. */
export function signatureHeader({ id, timestampSeconds, body }: Signed, secrets: readonly SigningSecret[]): string {
  const signed = `${id}.${timestampSeconds}.${body}`;
  return secrets.map(({ headerKey }) => `v1,${headerKey.sign(signed, "base64")}`).join(" ");
}

const encodedPrefix = "whsec_";

/** What a secret of that form stands for; any other stands for itself. */
function headerKey(secret: string): Buffer {
  return secret.startsWith(encodedPrefix)
    ? Buffer.from(secret.slice(encodedPrefix.length), "base64")
    : Buffer.from(secret, "utf8");
}

/** Why a secret cannot be used; nothing if it can. */
export function whyNoSecret(secret: string): string | undefined {
  // Half a character has no bytes of its own: what is signed here could not be verified anywhere.
  if (!secret.isWellFormed() || /\p{Cc}/u.test(secret)) return "It must be a text without control characters.";
  if (!secret.startsWith(encodedPrefix)) return undefined;
  const encoded = secret.slice(encodedPrefix.length);
  const isBase64 = encoded.length % 4 === 0 && /^[A-Za-z0-9+/]+={0,2}$/.test(encoded);
  if (isBase64 && Buffer.from(encoded, "base64").length >= 16) return undefined;
  return "After 'whsec_' there must be at least 16 bytes in base64, such as 'openssl rand -base64 24' prints.";
}

/** A secret made of 24 bytes of chance. */
export function encodeSecret(bytes: Uint8Array): string {
  return encodedPrefix + Buffer.from(bytes).toString("base64");
}
