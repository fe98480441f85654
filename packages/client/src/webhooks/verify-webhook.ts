import { bodyKey, bytesOfBase64, headerKey, isHmac } from "./secret-key.ts";
import { WebhookVerificationError } from "./verification-error.ts";
import { readEvent, type WebhookEvent } from "./webhook-event.ts";

/** As a server of Node has them, or one that uses `Request`. */
export type WebhookHeaders = HeaderMap | HeaderRecord;
type HeaderMap = Pick<Headers, "get">;
type HeaderRecord = Readonly<Record<string, string | readonly string[] | undefined>>;

/** One secret, or all that are right for now, while one takes the place of another. */
export type WebhookSecrets = string | readonly string[];

export interface VerifyOptions {
  /** How far the time of sending may be from now: what is older may be recorded and sent again by somebody else. */
  readonly toleranceSeconds?: number;
  readonly now?: Date;
}

/** More than any sender has; who sends more does so to keep us busy. */
const mostSignatures = 10;

/**
 * The event of a delivery, once its signature and its time were found right; else it throws a `WebhookVerificationError`. Give the body as it
 * came: parsed and written again, it is another one.
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
    throw new WebhookVerificationError("stale", `It was sent ${Math.round(lateSeconds)} seconds ago.`);
  if (-lateSeconds > toleranceSeconds)
    throw new WebhookVerificationError("too_early", `It is from ${Math.round(-lateSeconds)} seconds in the future.`);
  return readEvent(bytes);
}

const signatureStart = ',"signature":"sha256=';
const signatureEnd = '"}';
const tailLength = signatureStart.length + 64 + signatureEnd.length;

/**
 * The event of a body, once the signature inside of it was found right: for receivers that never see headers. It does not tell when it was sent, so
 * whoever recorded one can send it again; `verifyWebhook` notices that.
 */
export async function verifyWebhookBody(secrets: WebhookSecrets, body: string | Uint8Array): Promise<WebhookEvent> {
  const bytes = bytesOf(body);
  const tail = new TextDecoder("latin1").decode(bytes.subarray(Math.max(0, bytes.length - tailLength)));
  const hex = /^,"signature":"sha256=([0-9a-f]{64})"\}$/.exec(tail)?.[1];
  if (hex === undefined) throw new WebhookVerificationError("malformed_body", "The body does not end in a signature.");
  const unsigned = joined(bytes.subarray(0, -tailLength), bytesOf("}"));
  await requireMatch(await keysOf(secrets, bodyKey), [bytesOfHex(hex)], unsigned);
  return readEvent(bytes);
}

async function keysOf(secrets: WebhookSecrets, keyOf: (secret: string) => Promise<CryptoKey>): Promise<CryptoKey[]> {
  const all = typeof secrets === "string" ? [secrets] : secrets;
  if (all.length === 0) throw new WebhookVerificationError("bad_secret", "There is no secret to verify with.");
  return Promise.all(all.map(async (secret) => keyOf(secret)));
}

async function requireMatch(
  keys: readonly CryptoKey[],
  signatures: readonly Uint8Array<ArrayBuffer>[],
  signed: Uint8Array<ArrayBuffer>,
): Promise<void> {
  for (const key of keys) for (const signature of signatures) if (await isHmac(key, signature, signed)) return;
  throw new WebhookVerificationError("bad_signature", "No signature is right for this secret and these bytes.");
}

/** Those of the version that we know; what else stands beside them is for others. */
function signaturesOf(header: string): Uint8Array<ArrayBuffer>[] {
  const ours = header.split(" ").filter((part) => part.startsWith("v1,"));
  return ours.slice(0, mostSignatures).flatMap((part) => bytesOfBase64(part.slice(3)) ?? []);
}

function headerOf(headers: WebhookHeaders, name: string): string {
  const value = isMap(headers) ? headers.get(name) : fieldOf(headers, name);
  if (value === null || value === undefined || value === "")
    throw new WebhookVerificationError("missing_header", `The header '${name}' is missing.`);
  if (typeof value !== "string") throw malformed(name, "there once");
  return value;
}

/** Not by its class: frameworks bring their own. */
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
