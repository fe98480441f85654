import type { Database, Transaction } from "../../platform/database/index.ts";
import type { PageRequest } from "../../platform/http/index.ts";

export interface AuditRow {
  readonly id: string;
  readonly at: Date;
  readonly actor: string;
  readonly actor_name: string;
  readonly action: string;
  readonly target: string;
  readonly address: string;
  readonly request_id: string;
  readonly detail: Record<string, unknown>;
}

export async function insertAudit(trx: Transaction, row: AuditRow): Promise<void> {
  await trx
    .insertInto("audit")
    .values({ ...row, detail: JSON.stringify(row.detail) })
    .execute();
}

/** Selects one more than the page holds, newest first. */
export async function selectAudit(db: Database, { limit, after }: PageRequest): Promise<AuditRow[]> {
  return db
    .selectFrom("audit")
    .selectAll()
    .$if(after !== undefined, (query) => query.where("id", "<", after ?? ""))
    .orderBy("id", "desc")
    .limit(limit + 1)
    .execute();
}
