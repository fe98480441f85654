import { randomBytes } from "node:crypto";

/** A secret for a webhook that nobody can guess. */
export function newSecret(): string {
  return `whsec_${randomBytes(24).toString("base64")}`;
}
