import type { ProjectStatus } from "@slipway/contract";
import { sql } from "kysely";
import { projectsChannel } from "../../src/engine/events/index.ts";
import type { Database } from "../../src/platform/database/index.ts";

/** Changes a project as another node would: in the database, and with a word to all nodes. */
export async function changeProject(db: Database, id: string, status: ProjectStatus): Promise<void> {
  await db
    .updateTable("projects")
    .set((eb) => ({ status, version: eb("version", "+", 1) }))
    .where("id", "=", id)
    .execute();
  await notifyOf(db, id);
}

/** Tells all nodes that a project changed. */
export async function notifyOf(db: Database, id: string): Promise<void> {
  await sql`select pg_notify(${projectsChannel}, ${JSON.stringify([id])})`.execute(db);
}
