import { sql } from "kysely";
import type { Database } from "../../platform/database/index.ts";

/** The digest of a project's current artifact at a path. */
export async function findDigest(db: Database, projectId: string, path: string): Promise<string | undefined> {
  const row = await db
    .selectFrom("artifacts")
    .select("digest")
    .where("project_id", "=", projectId)
    .where("checkpoint_id", "is", null)
    .where("path", "=", path)
    .executeTakeFirst();
  return row?.digest ?? undefined;
}

/** The digest of the artifact at a path in the application's latest run before this one that has it. */
export async function findPreviousDigest(db: Database, projectId: string, path: string): Promise<string | undefined> {
  const { rows } = await sql<{ digest: string }>`
    select artifacts.digest
    from projects as this
    join projects as before on before.application_id = this.application_id and before.id < this.id
    join artifacts on artifacts.project_id = before.id and artifacts.checkpoint_id is null and artifacts.path = ${path}
    where this.id = ${projectId}
    order by before.id desc
    limit 1`.execute(db);
  return rows[0]?.digest;
}
