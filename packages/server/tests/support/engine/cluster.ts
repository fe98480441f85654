import { mkdtemp, rm } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { connectDatabase, type Database, type Schema } from "../../../src/platform/database/index.ts";
import { fastFolder } from "../database/fast-folder.ts";
import { quietLog } from "../database/quiet-log.ts";
import { createTestDatabase } from "../database/test-database.ts";
import type { Service } from "../run-service.ts";
import { until } from "../until.ts";
import { whenDone } from "../when-done.ts";
import type { WrittenProject } from "./documents.ts";
import { expectSound } from "./expect-sound.ts";

export const migrations = fileURLToPath(new URL("../../../src/platform/database/migrations", import.meta.url));

/** What several nodes share. */
export interface Cluster {
  readonly databaseUrl: string;
  /** The test's own way to the database. */
  readonly db: Database;
  /** A data folder that is gone after the test file. */
  readonly data: string;
}

/** A database and a data folder for nodes. Call it at the top of a test file. */
export async function createCluster(): Promise<Cluster> {
  const { connection, url } = await createTestDatabase(migrations);
  const { db, close } = connectDatabase<Schema>(connection, { log: quietLog });
  whenDone(close);
  const folder = await mkdtemp(join(fastFolder(), "slipway-cluster-"));
  whenDone(() => rm(folder, { recursive: true, force: true }));
  return { databaseUrl: url, db, data: join(folder, "data") };
}

/** Sends documents to nodes, in turn; gives what was written by the projects' ids. */
export async function submitAll(
  nodes: readonly Service[],
  written: readonly WrittenProject[],
): Promise<Map<string, WrittenProject>> {
  const projects = new Map<string, WrittenProject>();
  for (const [at, one] of written.entries())
    projects.set((await nodes[at % nodes.length]!.createProject(one.document)).project_id, one);
  return projects;
}

export async function untilEnded({ db }: Pick<Cluster, "db">, projectId: string) {
  const query = db.selectFrom("projects").select(["status", "error"]).where("id", "=", projectId);
  return until(async () => {
    const project = await query.executeTakeFirstOrThrow();
    return ["deployed", "failed"].includes(project.status) && project;
  });
}

/** Waits until so many of the project's tasks are done. */
export async function untilDone({ db }: Pick<Cluster, "db">, projectId: string, count: number): Promise<void> {
  const query = db.selectFrom("events").select("id").where("project_id", "=", projectId);
  const done = query.where("name", "=", "agent.task_completed");
  await until(async () => (await done.execute()).length >= count);
}

/** Waits until they have ended, and expects that they have as written. */
export async function expectAllSound(
  { db, data }: Pick<Cluster, "db" | "data">,
  projects: ReadonlyMap<string, WrittenProject>,
): Promise<void> {
  for (const [id, written] of projects) {
    await untilEnded({ db }, id);
    await expectSound(db, data, id, written);
  }
}
