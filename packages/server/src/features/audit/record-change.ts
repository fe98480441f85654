import type { Clock } from "../../platform/clock.ts";
import type { Transaction } from "../../platform/database/index.ts";
import type { Call, Principal } from "../../platform/http/index.ts";
import { sortableId } from "../../platform/ids.ts";
import { type AuditRow, insertAudit } from "./store.ts";

interface Change {
  /** What was done: `project.create`. */
  readonly action: string;
  /** To what: an id. */
  readonly target: string;
  /** What else is worth knowing; never a secret. */
  readonly detail?: Readonly<Record<string, unknown>>;
}

export interface Actor {
  readonly request: Pick<Call["request"], "ip" | "id" | "principal">;
  /** Who, where it is not the caller that the request tells. */
  readonly principal?: Pick<Principal, "userId" | "userName" | "apiKeyId"> | undefined;
}

/** Writes a change down, in the transaction that makes it. */
export async function recordChange(trx: Transaction, clock: Clock, actor: Actor, change: Change): Promise<void> {
  await insertAudit(trx, auditEntry(clock.now(), actor, change));
}

/** What is written down of a change. */
export function auditEntry(
  at: Date,
  { request, principal = request.principal }: Actor,
  { action, target, detail = {} }: Change,
): AuditRow {
  return {
    id: sortableId(at.getTime()),
    at,
    actor: principal?.userId ?? "",
    actor_name: principal?.userName ?? "",
    action,
    target,
    address: request.ip,
    request_id: request.id,
    detail: principal?.apiKeyId === undefined ? detail : { ...detail, api_key_id: principal.apiKeyId },
  };
}
