import { sql } from "kysely";
import type { Database } from "../../platform/database/index.ts";
import { type Principal, readsAllProjects } from "../../platform/http/index.ts";

/** Which of these projects the caller may read. */
export async function selectReadableProjects(
  db: Database,
  ids: readonly string[],
  principal: Principal,
): Promise<ReadonlySet<string>> {
  const { rows } = await sql<{ id: string }>`
    select id from projects where id = any(${ids}::text[]) and (
      ${readsAllProjects(principal)} or owner_id = ${principal.userId}
      or exists (select from approvals where project_id = projects.id and ${principal.userName} = any(approvers))
    )`.execute(db);
  return new Set(rows.map(({ id }) => id));
}
