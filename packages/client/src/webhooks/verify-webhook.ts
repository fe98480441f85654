import { bodyKey, bytesOfBase64, headerKey, isHmac } from "./secret-key.ts";
import { WebhookVerificationError } from "./verification-error.ts";
import { readEvent, type WebhookEvent } from "./webhook-event.ts";

/** The headers of a Node server, or of a `Request`. */
export type WebhookHeaders = HeaderMap | HeaderRecord;
type HeaderMap = Pick<Headers, "get">;
type HeaderRecord = Readonly<Record<string, string | readonly string[] | undefined>>;

/** One secret, or several while a secret is rotated. */
export type WebhookSecrets = string | readonly string[];

export interface VerifyOptions {
  /** The maximum age of a delivery; an older one may be a recorded request that somebody replays. */
  readonly toleranceSeconds?: number;
  readonly now?: Date;
}

/** More than any sender needs; a limit against requests that cost much to verify. */
const maxSignatures = 10;

/**
 * Verifies the signature and time of a delivery and returns its event; throws a `WebhookVerificationError` otherwise. Pass
 * the body exactly as received: parsing and writing it again changes its bytes.
 */
export async function verifyWebhook(
  secrets: WebhookSecrets,
  headers: WebhookHeaders,
  body: string | Uint8Array,
  { toleranceSeconds = 300, now = new Date() }: VerifyOptions = {},
): Promise<WebhookEvent> {
  const id = headerOf(headers, "webhook-id");
  const timestamp = headerOf(headers, "webhook-timestamp");
  const signatures = signaturesOf(headerOf(headers, "webhook-signature"));
  if (!/^\d{1,12}$/.test(timestamp)) throw malformed("webhook-timestamp", "a number of seconds");
  const bytes = bytesOf(body);
  const signed = joined(bytesOf(`${id}.${timestamp}.`), bytes);
  await requireMatch(await keysOf(secrets, headerKey), signatures, signed);
  const lateSeconds = now.getTime() / 1000 - Number(timestamp);
  if (lateSeconds > toleranceSeconds)
    throw new WebhookVerificationError("stale", `The delivery was sent ${Math.round(lateSeconds)} seconds ago.`);
  if (-lateSeconds > toleranceSeconds)
    throw new WebhookVerificationError(
      "too_early",
      `The delivery's timestamp is ${Math.round(-lateSeconds)} seconds in the future.`,
    );
  return readEvent(bytes);
}

const signatureStart = ',"signature":"sha256=';
const signatureEnd = '"}';
const tailLength = signatureStart.length + 64 + signatureEnd.length;

/**
 * Verifies the signature inside a body and returns its event, for receivers that cannot read headers. The body has no time
 * of sending, so this does not detect replayed requests; `verifyWebhook` does.
 */
export async function verifyWebhookBody(secrets: WebhookSecrets, body: string | Uint8Array): Promise<WebhookEvent> {
  const bytes = bytesOf(body);
  const tail = new TextDecoder("latin1").decode(bytes.subarray(Math.max(0, bytes.length - tailLength)));
  const hex = /^,"signature":"sha256=([0-9a-f]{64})"\}$/.exec(tail)?.[1];
  if (hex === undefined)
    throw new WebhookVerificationError("malformed_body", "The body does not end with a signature.");
  const unsigned = joined(bytes.subarray(0, -tailLength), bytesOf("}"));
  await requireMatch(await keysOf(secrets, bodyKey), [bytesOfHex(hex)], unsigned);
  return readEvent(bytes);
}

async function keysOf(secrets: WebhookSecrets, keyOf: (secret: string) => Promise<CryptoKey>): Promise<CryptoKey[]> {
  const all = typeof secrets === "string" ? [secrets] : secrets;
  if (all.length === 0) throw new WebhookVerificationError("bad_secret", "No secret was given.");
  return Promise.all(all.map(async (secret) => keyOf(secret)));
}

async function requireMatch(
  keys: readonly CryptoKey[],
  signatures: readonly Uint8Array<ArrayBuffer>[],
  signed: Uint8Array<ArrayBuffer>,
): Promise<void> {
  for (const key of keys) for (const signature of signatures) if (await isHmac(key, signature, signed)) return;
  throw new WebhookVerificationError("bad_signature", "No signature matches the secret and the body.");
}

/** The signatures of version 1; other versions are ignored. */
function signaturesOf(header: string): Uint8Array<ArrayBuffer>[] {
  const ours = header.split(" ").filter((part) => part.startsWith("v1,"));
  return ours.slice(0, maxSignatures).flatMap((part) => bytesOfBase64(part.slice(3)) ?? []);
}

function headerOf(headers: WebhookHeaders, name: string): string {
  const value = isMap(headers) ? headers.get(name) : fieldOf(headers, name);
  if (value === null || value === undefined || value === "")
    throw new WebhookVerificationError("missing_header", `The header '${name}' is missing.`);
  if (typeof value !== "string") throw malformed(name, "given exactly once");
  return value;
}

/** Checks for the method, not the class: frameworks bring their own `Headers`. */
function isMap(headers: WebhookHeaders): headers is HeaderMap {
  return typeof headers["get"] === "function";
}

function fieldOf(headers: HeaderRecord, name: string): string | readonly string[] | undefined {
  const key = Object.keys(headers).find((one) => one.toLowerCase() === name);
  return key === undefined ? undefined : headers[key];
}

function malformed(name: string, what: string): WebhookVerificationError {
  return new WebhookVerificationError("malformed_header", `The header '${name}' must be ${what}.`);
}

function bytesOf(body: string | Uint8Array): Uint8Array<ArrayBuffer> {
  return typeof body === "string" ? new TextEncoder().encode(body) : new Uint8Array(body);
}

function bytesOfHex(hex: string): Uint8Array<ArrayBuffer> {
  return Uint8Array.from(hex.match(/../g) ?? [], (pair) => Number.parseInt(pair, 16));
}

function joined(first: Uint8Array, second: Uint8Array): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(first.length + second.length);
  bytes.set(first);
  bytes.set(second, first.length);
  return bytes;
}
