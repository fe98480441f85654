import { type Selectable, sql } from "kysely";
import type { Database, Schema, Transaction } from "../platform/database/index.ts";
import { storableText } from "../platform/one-line.ts";
import type { Masked } from "../platform/secrets/index.ts";

export type DeploymentRow = Selectable<Schema["deployments"]>;

export async function findDeployment(db: Database, id: string): Promise<DeploymentRow | undefined> {
  return db.selectFrom("deployments").selectAll().where("id", "=", id).executeTakeFirst();
}

/** Who else locks or changes it waits until the transaction ends. */
export async function lockDeployment(trx: Transaction, id: string): Promise<DeploymentRow | undefined> {
  return trx.selectFrom("deployments").selectAll().where("id", "=", id).forUpdate().executeTakeFirst();
}

/** What people call a deployment: the document's id and the environment, and the version of one of its releases. */
export async function findNames(db: Database, deploymentId: string, releaseId: string | undefined) {
  const { rows } = await sql<{ application: string; environment: string; version: string | null }>`
    select applications.document_id as application, deployments.environment,
      (select version from releases where releases.id = ${releaseId ?? null}) as version
    from deployments join applications on applications.id = deployments.application_id
    where deployments.id = ${deploymentId}`.execute(db);
  const [{ version, ...names } = { application: "", environment: "", version: null }] = rows;
  return { ...names, version: version ?? "" };
}

export async function selectDeploymentsOf(db: Database, host: string): Promise<DeploymentRow[]> {
  return db.selectFrom("deployments").selectAll().where("host", "=", host).orderBy("id").execute();
}

/** Notes what was seen; returns whether that was news. */
export async function noteHealth(
  trx: Database | Transaction,
  deploymentId: string,
  { health, reason: said, now }: { health: DeploymentRow["health"]; reason: Masked | null; now: Date },
): Promise<boolean> {
  const reason = said === null ? null : storableText(said);
  const { numUpdatedRows } = await trx
    .updateTable("deployments")
    .set({ health, reason, updated_at: now })
    .set(sql`version`, sql`version + 1`)
    .where("id", "=", deploymentId)
    .where((where) => where.or([where("health", "!=", health), where("reason", "is distinct from", reason)]))
    .executeTakeFirst();
  return numUpdatedRows > 0n;
}

/** Notes that what ran at an address of this machine does not: nothing keeps it alive. It stays wanted. */
export async function noteStopped(
  db: Database,
  host: string,
  { keptAlive, now }: { readonly keptAlive: ReadonlySet<string>; readonly now: Date },
): Promise<void> {
  await sql`
    update deployments set health = 'stopped', reason = null, updated_at = ${now}, version = deployments.version + 1
    from releases
    where releases.id = deployments.release_id and releases.plan is not null
      and deployments.host = ${host} and deployments.port is not null
      and deployments.health in ('healthy', 'starting') and not deployments.id = any(${[...keptAlive]}::text[])
  `.execute(db);
}

/** Says which version is to be live, and which one is left by a rollback. */
export async function wantRelease(
  trx: Transaction | Database,
  deploymentId: string,
  { releaseId, from = null, now }: { readonly releaseId: string; readonly from?: string | null; readonly now: Date },
): Promise<void> {
  await trx
    .updateTable("deployments")
    .set({ release_id: releaseId, rolled_back_from: from, updated_at: now })
    .set(sql`version`, sql`version + 1`)
    .where("id", "=", deploymentId)
    .execute();
}

/** The script of the rollback has run, or there is none. */
export async function noteRollbackRun(db: Database, deploymentId: string, from: string): Promise<void> {
  await db
    .updateTable("deployments")
    .set({ rolled_back_from: null })
    .where("id", "=", deploymentId)
    .where("rolled_back_from", "=", from)
    .execute();
}

/** Wants nothing of it to run any more: there is no version to go back to. */
export async function stopWanting(db: Database, deploymentId: string, now: Date): Promise<void> {
  await db
    .updateTable("deployments")
    .set({ wanted: "stopped", updated_at: now })
    .set(sql`version`, sql`version + 1`)
    .where("id", "=", deploymentId)
    .execute();
}

export async function noteRestarted(db: Database, deploymentId: string, askedAt: Date): Promise<void> {
  await db
    .updateTable("deployments")
    .set({ restart_asked_at: null })
    .where("id", "=", deploymentId)
    .where("restart_asked_at", "=", askedAt)
    .execute();
}

/** Where a deployment ran that somebody removed, and whose files are still on this node. */
export async function findRemoved(
  db: Database,
  deploymentId: string,
  host: string,
): Promise<{ readonly target: string } | undefined> {
  return db
    .selectFrom("removed_deployments")
    .select("target")
    .where("id", "=", deploymentId)
    .where("host", "=", host)
    .executeTakeFirst();
}

/** The deployments whose files are to be removed from this node. */
export async function selectRemoved(db: Database, host: string): Promise<string[]> {
  const rows = await db.selectFrom("removed_deployments").select("id").where("host", "=", host).execute();
  return rows.map(({ id }) => id);
}

/** Its files are gone. */
export async function forgetRemoved(db: Database, deploymentId: string): Promise<void> {
  await db.deleteFrom("removed_deployments").where("id", "=", deploymentId).execute();
}
