import { WebhookVerificationError } from "./verification-error.ts";

const encodedPrefix = "whsec_";
const algorithm = { name: "HMAC", hash: "SHA-256" } as const;

/** What headers are signed with: a secret `whsec_<base64>` stands for the bytes it encodes, any other for itself. */
export function headerKey(secret: string): Promise<CryptoKey> {
  if (!secret.startsWith(encodedPrefix)) return bodyKey(secret);
  const bytes = bytesOfBase64(secret.slice(encodedPrefix.length));
  if (bytes === undefined) throw noSecret("after 'whsec_' there must be base64");
  return keyOf(bytes);
}

/** What the signature inside of a body is made with: the secret's text, of whatever form. */
export function bodyKey(secret: string): Promise<CryptoKey> {
  return keyOf(new TextEncoder().encode(secret));
}

export async function hmac(key: CryptoKey, bytes: Uint8Array<ArrayBuffer>): Promise<Uint8Array<ArrayBuffer>> {
  return new Uint8Array(await crypto.subtle.sign(algorithm.name, key, bytes));
}

/** Compares without telling by its time how much was right. */
export function isHmac(
  key: CryptoKey,
  signature: Uint8Array<ArrayBuffer>,
  bytes: Uint8Array<ArrayBuffer>,
): Promise<boolean> {
  return crypto.subtle.verify(algorithm.name, key, signature, bytes);
}

function keyOf(bytes: Uint8Array<ArrayBuffer>): Promise<CryptoKey> {
  if (bytes.length === 0) throw noSecret("it is empty");
  return crypto.subtle.importKey("raw", bytes, algorithm, false, ["sign", "verify"]);
}

function noSecret(why: string): WebhookVerificationError {
  return new WebhookVerificationError("bad_secret", `The secret cannot be used: ${why}.`);
}

/** The bytes of a text in base64; nothing if it is none, or another text would stand for the same bytes. */
export function bytesOfBase64(text: string): Uint8Array<ArrayBuffer> | undefined {
  try {
    const binary = atob(text);
    return btoa(binary) === text ? Uint8Array.from(binary, (character) => character.charCodeAt(0)) : undefined;
  } catch {
    return undefined;
  }
}

export function base64Of(bytes: Uint8Array): string {
  return btoa(String.fromCharCode(...bytes));
}
