import type { Clock } from "../../platform/clock.ts";
import type { Transaction } from "../../platform/database/index.ts";
import type { Call, Principal } from "../../platform/http/index.ts";
import { sortableId } from "../../platform/ids.ts";
import { type AuditRow, insertAudit } from "./store.ts";

interface Change {
  /** What was done, such as `project.create`. */
  readonly action: string;
  /** The id of what was changed. */
  readonly target: string;
  /** Further details; never a secret. */
  readonly detail?: Readonly<Record<string, unknown>>;
}

export interface Actor {
  readonly request: Pick<Call["request"], "ip" | "id" | "principal">;
  /** The actor, where it is not the caller of the request. */
  readonly principal?: Pick<Principal, "userId" | "userName" | "apiKeyId"> | undefined;
}

/** Writes an audit entry in the transaction of the change. */
export async function recordChange(trx: Transaction, clock: Clock, actor: Actor, change: Change): Promise<void> {
  await insertAudit(trx, auditEntry(clock.now(), actor, change));
}

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
