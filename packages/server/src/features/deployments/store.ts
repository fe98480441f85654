import type { VerdictCounts } from "@slipway/contract";
import { sql } from "kysely";
import type { DeploymentRow, ReleaseRow } from "../../deployment/index.ts";
import type { Database, Transaction } from "../../platform/database/index.ts";

/** A version with what is known of its document's lines. */
export type ShownRelease = ReleaseRow & { readonly checks: VerdictCounts | null };

/** The deployments of an application by environment; with a name, those that it may mean. */
export async function selectDeployments(
  db: Database | Transaction,
  applicationId: string,
  named?: { readonly environments: readonly string[]; readonly id: string },
): Promise<DeploymentRow[]> {
  let query = db.selectFrom("deployments").selectAll().where("application_id", "=", applicationId);
  if (named !== undefined)
    query = query.where((where) =>
      where.or([where("environment", "in", [...named.environments]), where("id", "=", named.id)]),
    );
  return query.orderBy("environment").execute();
}

type ReleaseFilter =
  | { readonly ids: readonly string[] }
  | { readonly deploymentId: string; readonly limit: number }
  | { readonly projectId: string; readonly limit: number };

/** Versions, newest first. */
export async function selectShownReleases(
  db: Database | Transaction,
  filter: ReleaseFilter,
): Promise<readonly ShownRelease[]> {
  let query = db
    .selectFrom("releases")
    .innerJoin("projects", "projects.id", "releases.project_id")
    .selectAll("releases")
    .select(sql<VerdictCounts | null>`projects.state->'checks'`.as("checks"))
    .orderBy("releases.created_at", "desc")
    .orderBy("releases.number", "desc");
  if ("ids" in filter) query = query.where("releases.id", "in", [...filter.ids]);
  else query = query.limit(filter.limit);
  if ("deploymentId" in filter) query = query.where("releases.deployment_id", "=", filter.deploymentId);
  if ("projectId" in filter) query = query.where("releases.project_id", "=", filter.projectId);
  return "ids" in filter && filter.ids.length === 0 ? [] : ((await query.execute()) as ShownRelease[]);
}

/** Why the newest version of each of these deployments failed; none for the others. */
export async function selectLastErrors(
  db: Database | Transaction,
  deploymentIds: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  if (deploymentIds.length === 0) return new Map();
  const { rows } = await sql<{ deployment_id: string; error: string | null; status: string }>`
    select distinct on (deployment_id) deployment_id, error, status from releases
    where deployment_id = any(${deploymentIds}::text[])
    order by deployment_id, number desc`.execute(db);
  const failed = rows.filter(({ status }) => status === "failed");
  return new Map(failed.map(({ deployment_id, error }) => [deployment_id, error ?? ""]));
}

type Wanted = Partial<Pick<DeploymentRow, "wanted" | "replicas" | "restart_asked_at">>;

/** Says what people want of a deployment. */
export async function want(trx: Transaction, id: string, wanted: Wanted, now: Date): Promise<void> {
  await trx
    .updateTable("deployments")
    .set({ ...wanted, updated_at: now })
    .$if(wanted.wanted === "running", (query) =>
      query.set({ health: sql`case health when 'stopped' then 'starting' else health end` }),
    )
    .set(sql`version`, sql`version + 1`)
    .where("id", "=", id)
    .execute();
}

/** Deletes a deployment with its versions; its node removes the files. */
export async function deleteDeployment(trx: Transaction, id: string): Promise<void> {
  await trx
    .insertInto("removed_deployments")
    .columns(["id", "host", "target"])
    .expression((build) => build.selectFrom("deployments").select(["id", "host", "target"]).where("id", "=", id))
    .execute();
  await trx.deleteFrom("deployments").where("id", "=", id).execute();
}
