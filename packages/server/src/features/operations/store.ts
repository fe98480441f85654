import { sql } from "kysely";
import type { Database } from "../../platform/database/index.ts";

/** What the database says of itself. */
export async function readDatabase(
  db: Database,
): Promise<{ version: string; size_bytes: number; connections: number }> {
  const { rows } = await sql<{ version: string; size_bytes: number; connections: number }>`
    select current_setting('server_version') as version,
      pg_database_size(current_database())::float8 as size_bytes,
      (select count(*)::int from pg_stat_activity where datname = current_database()) as connections`.execute(db);
  return rows[0]!;
}
