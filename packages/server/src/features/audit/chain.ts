import { createHash } from "node:crypto";
import type { AuditRow } from "./store.ts";

/** What the first entry of the chain follows. */
export const chainStart: Buffer = Buffer.alloc(32);

/**
 * The hash of an entry at its position: SHA-256 of the previous hash and of the entry as a JSON array, with the keys of
 * objects in order. Whoever changes an entry must change every hash after it.
 */
export function chainHash(previous: Uint8Array, position: number, row: AuditRow): Buffer {
  const { id, at, actor, actor_name, action, target, address, request_id, detail } = row;
  const fields = [position, id, at.toISOString(), actor, actor_name, action, target, address, request_id, detail];
  return createHash("sha256").update(previous).update(JSON.stringify(fields, withSortedKeys)).digest();
}

/** Postgres keeps the keys of an object in an order of its own. */
function withSortedKeys(_key: string, value: unknown): unknown {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return value;
  return Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)));
}
