import { WebhookVerificationError } from "./verification-error.ts";

const encodedPrefix = "whsec_";
const algorithm = { name: "HMAC", hash: "SHA-256" } as const;

/** The key of header signatures: the decoded bytes of a `whsec_<base64>` secret, else the secret's own text. */
export function headerKey(secret: string): Promise<CryptoKey> {
  if (!secret.startsWith(encodedPrefix)) return bodyKey(secret);
  const bytes = bytesOfBase64(secret.slice(encodedPrefix.length));
  if (bytes === undefined) throw invalidSecret("base64 must follow 'whsec_'");
  return keyOf(bytes);
}

/** The key of the signature inside a body: always the secret's own text. */
export function bodyKey(secret: string): Promise<CryptoKey> {
  return keyOf(new TextEncoder().encode(secret));
}

export async function hmac(key: CryptoKey, bytes: Uint8Array<ArrayBuffer>): Promise<Uint8Array<ArrayBuffer>> {
  return new Uint8Array(await crypto.subtle.sign(algorithm.name, key, bytes));
}

/** Compares in constant time. */
export function isHmac(
  key: CryptoKey,
  signature: Uint8Array<ArrayBuffer>,
  bytes: Uint8Array<ArrayBuffer>,
): Promise<boolean> {
  return crypto.subtle.verify(algorithm.name, key, signature, bytes);
}

function keyOf(bytes: Uint8Array<ArrayBuffer>): Promise<CryptoKey> {
  if (bytes.length === 0) throw invalidSecret("it is empty");
  return crypto.subtle.importKey("raw", bytes, algorithm, false, ["sign", "verify"]);
}

function invalidSecret(reason: string): WebhookVerificationError {
  return new WebhookVerificationError("bad_secret", `The secret is not valid: ${reason}.`);
}

/** Decodes base64; undefined unless the text is the canonical encoding of its bytes. */
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
