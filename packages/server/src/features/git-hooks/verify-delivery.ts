import { createHash, createHmac, timingSafeEqual } from "node:crypto";
import type { IncomingHttpHeaders } from "node:http";

/** Whether the git server that sent the body knows the secret: by a signature, or by the secret itself. */
export function isGenuine(headers: IncomingHttpHeaders, body: Uint8Array, secret: string): boolean {
  const token = headers["x-gitlab-token"];
  if (typeof token === "string") return isSame(token, secret);
  const signature = headers["x-hub-signature-256"] ?? prefixed(headers["x-gitea-signature"]);
  if (typeof signature !== "string") return false;
  return isSame(signature.toLowerCase(), `sha256=${createHmac("sha256", secret).update(body).digest("hex")}`);
}

/**
 * Identifies a delivery: the same if the git server sends it again. No signature covers the headers, so whoever recorded a
 * signed delivery could send it as a new one: its body alone counts, which differs from push to push.
 */
export function deliveryIdOf(headers: IncomingHttpHeaders, body: Uint8Array): string {
  const isSigned = headers["x-gitlab-token"] === undefined;
  const given = isSigned ? undefined : (headers["idempotency-key"] ?? headers["x-gitlab-event-uuid"]);
  // A header that is no name counts as none: then the same body is the same delivery.
  if (typeof given === "string" && /^[\x21-\x7e]{1,200}$/.test(given)) return given;
  return createHash("sha256").update(body).digest("hex");
}

function prefixed(signature: string | string[] | undefined): string | undefined {
  return typeof signature === "string" ? `sha256=${signature}` : undefined;
}

/** In a time that says nothing about where two texts differ, nor how long they are. */
function isSame(one: string, other: string): boolean {
  const digest = (text: string) => createHash("sha256").update(text).digest();
  return timingSafeEqual(digest(one), digest(other));
}
