import type { ReleaseKind } from "@slipway/contract";
import { type Selectable, sql } from "kysely";
import type { Database, Schema, Transaction } from "../platform/database/index.ts";
import { storableText } from "../platform/one-line.ts";
import type { Masked } from "../platform/secrets/index.ts";
import type { PublishedRelease } from "./releases/index.ts";
import type { DeploymentRow } from "./store.ts";
import type { ReleasePlan } from "./supervisor/index.ts";
import type { WentLive } from "./went-live.ts";

export type ReleaseRow = Omit<Selectable<Schema["releases"]>, "plan" | "traffic" | "artifact" | "went_live"> & {
  readonly plan: ReleasePlan | null;
  readonly traffic: StoredTraffic | null;
  readonly artifact: SealedArtifact | null;
  readonly went_live: WentLive | null;
};

/** The files of a version as they were built. */
export interface SealedArtifact {
  readonly digest: string;
  /** The path that led to it, as its `usage` names it. */
  readonly current: string;
  /** What it is, if it is not reached over HTTP by its own means. */
  readonly published: PublishedRelease | null;
}

/** Requests to a version, as its row keeps them. */
export interface StoredTraffic {
  readonly requests: number;
  readonly failed: number;
  readonly dropped: number;
  readonly p99_ms: number;
}

interface NewRelease {
  readonly deploymentId: string;
  readonly releaseId: string;
  readonly projectId: string;
  readonly attempt: number;
  readonly environment: string;
  readonly host: string;
  /** Where it runs. */
  readonly target: string;
  readonly version: string;
  readonly strategy: string;
  readonly now: Date;
}

/** A version as it was opened. */
interface OpenedRelease {
  readonly row: ReleaseRow;
  /** The versions of attempts that never ended, in place of which it was opened. */
  readonly superseded: readonly string[];
}

/**
 * Opens a version of the project's application: the deployment is made with its first one. An attempt that is repeated
 * finds what it has brought live. What it had only begun is given up: the node that began it may still be at it, so it
 * shares neither row nor files with what comes after it. A deployment that lives in another data folder, or at another
 * target, is left alone: that is the answer.
 */
export async function openRelease(
  trx: Transaction,
  release: NewRelease,
): Promise<OpenedRelease | { readonly elsewhere: string } | { readonly otherTarget: string }> {
  const { deploymentId, releaseId, projectId, attempt, environment, host, target, version, strategy, now } = release;
  const { rows } = await sql<Pick<DeploymentRow, "id" | "host" | "target" | "release_id">>`
    insert into deployments as known (id, application_id, environment, host, target, created_at, updated_at)
    select ${deploymentId}, application_id, ${environment}, ${host}, ${target}, ${now}, ${now}
    from projects where id = ${projectId}
    on conflict (application_id, environment) do update set
      -- What was never live may still go elsewhere.
      target = case when known.release_id is null then excluded.target else known.target end
    returning id, host, target, release_id`.execute(trx);
  const { id, release_id: wanted, ...known } = rows[0]!;
  if (known.host !== host) return { elsewhere: known.host };
  if (known.target !== target) return { otherTarget: known.target };
  const live = await trx
    .selectFrom("releases")
    .selectAll()
    .where("id", "=", wanted)
    .where("project_id", "=", projectId)
    .where("attempt", "=", attempt)
    .where("status", "=", "live")
    .executeTakeFirst();
  if (live !== undefined) return { row: live as ReleaseRow, superseded: [] };
  const superseded = await trx
    .updateTable("releases")
    .set({ status: "failed", error: "It was interrupted, and begun again.", ended_at: now })
    .where("deployment_id", "=", id)
    .where("project_id", "=", projectId)
    .where("status", "=", "preparing")
    .returning(["id", "attempt", "version", "migrated_at"])
    .execute();
  const before = superseded.find((one) => one.attempt === attempt && one.version === version);
  const opened = await trx
    .insertInto("releases")
    .values((build) => ({
      ...{ id: releaseId, deployment_id: id, project_id: projectId, attempt, version, strategy, created_at: now },
      number: build
        .selectFrom("releases")
        .select(sql<number>`coalesce(max(number), 0) + 1`.as("next"))
        .where("deployment_id", "=", id),
      ...{ kind: "server", usage: "", migrated_at: before?.migrated_at ?? null },
    }))
    .returningAll()
    .executeTakeFirstOrThrow();
  return { row: opened as ReleaseRow, superseded: superseded.map((one) => one.id) };
}

export async function findRelease(db: Database, id: string): Promise<ReleaseRow | undefined> {
  const row = await db.selectFrom("releases").selectAll().where("id", "=", id).executeTakeFirst();
  return row as ReleaseRow | undefined;
}

/** The versions of a deployment, newest first. */
export async function selectReleases(db: Database, deploymentId: string, limit: number): Promise<ReleaseRow[]> {
  const rows = await db
    .selectFrom("releases")
    .selectAll()
    .where("deployment_id", "=", deploymentId)
    .orderBy("number", "desc")
    .limit(limit)
    .execute();
  return rows as ReleaseRow[];
}

/** Whether the project of a version is at bringing it live: as its own, or by a promotion, which changes no status. */
const isUnderWay = sql<boolean>`(projects.status = 'deployment' or exists (
  select from json_each(coalesce(projects.state -> 'promotions' -> 'of', '{}'::json)) as promotion
  where promotion.value ->> 'is' = 'running' and (promotion.value ->> 'number')::integer = -releases.attempt
))`;

/** The project that is deploying a version of it at the moment. */
export async function findDeployingProject(trx: Transaction, deploymentId: string): Promise<string | undefined> {
  const row = await trx
    .selectFrom("releases")
    .innerJoin("projects", "projects.id", "releases.project_id")
    .select("projects.id")
    .where("releases.deployment_id", "=", deploymentId)
    .where("releases.status", "=", "preparing")
    .where(isUnderWay)
    .executeTakeFirst();
  return row?.id;
}

/** The versions on this node that nobody will bring live any more: their nodes died, and their projects have ended. */
export async function selectAbandoned(
  db: Database,
  host: string,
): Promise<{ readonly deploymentId: string; readonly releaseId: string }[]> {
  return db
    .selectFrom("releases")
    .innerJoin("deployments", "deployments.id", "releases.deployment_id")
    .innerJoin("projects", "projects.id", "releases.project_id")
    .select(["deployments.id as deploymentId", "releases.id as releaseId"])
    .where("deployments.host", "=", host)
    .where("releases.status", "=", "preparing")
    .where(sql<boolean>`not ${isUnderWay}`)
    .execute();
}

/** The version that was live before this one. */
export async function findPreviousRelease(
  db: Database | Transaction,
  deploymentId: string,
  releaseId: string | null,
): Promise<ReleaseRow | undefined> {
  const row = await db
    .selectFrom("releases")
    .selectAll()
    .where("deployment_id", "=", deploymentId)
    .where("live_at", "is not", null)
    .where("status", "!=", "failed")
    .$if(releaseId !== null, (query) => query.where("id", "!=", releaseId!))
    .orderBy("live_at", "desc")
    .limit(1)
    .executeTakeFirst();
  return row as ReleaseRow | undefined;
}

interface LiveRelease {
  readonly deploymentId: string;
  readonly releaseId: string;
  readonly port: number | null;
  /** Where it is reached, if that is not a port of this machine. */
  readonly url?: string | null;
  readonly now: Date;
  /** Left out of one that was live before. */
  readonly wentLive?: WentLive;
  /** It was wanted already: what people have asked for since then stands. */
  readonly wasWanted?: true;
  /** Left out of one that was wanted already: as it was noted last. */
  readonly health?: "healthy" | undefined;
}

/** Notes that a version is live: those before it are retired. False: it was given up meanwhile, and stays so. */
export async function noteLive(trx: Transaction, live: LiveRelease): Promise<boolean> {
  const { deploymentId, releaseId, port, url = null, now, wentLive, wasWanted = false } = live;
  const health = wasWanted ? live.health : "healthy";
  const { numUpdatedRows } = await trx
    .updateTable("releases")
    .set({ status: "live", live_at: now, ended_at: null, error: null })
    .$if(wentLive !== undefined, (query) => query.set({ went_live: JSON.stringify(wentLive) }))
    .where("id", "=", releaseId)
    .$if(!wasWanted, (query) => query.where("status", "=", "preparing"))
    .executeTakeFirst();
  if (numUpdatedRows === 0n) return false;
  await trx
    .updateTable("releases")
    .set({ status: "retired", ended_at: now })
    .where("deployment_id", "=", deploymentId)
    .where("status", "=", "live")
    .where("id", "!=", releaseId)
    .execute();
  await trx
    .updateTable("deployments")
    .set({
      port,
      url,
      updated_at: now,
      ...(health && { health }),
      ...(wasWanted ? {} : { release_id: releaseId, rolled_back_from: null, wanted: "running" }),
    })
    .set(sql`version`, sql`version + 1`)
    .where("id", "=", deploymentId)
    .execute();
  return true;
}

export async function noteFailed(db: Database, releaseId: string, error: Masked, now: Date): Promise<void> {
  await db
    .updateTable("releases")
    .set({ status: "failed", error: storableText(error), ended_at: now })
    .where("id", "=", releaseId)
    .where("status", "!=", "failed")
    .execute();
}

/** What is known of a version once it was built. */
export async function describeRelease(
  db: Database,
  releaseId: string,
  { kind, usage, plan }: { kind: ReleaseKind; usage: string; plan: ReleasePlan | null },
): Promise<void> {
  await db
    .updateTable("releases")
    .set({ kind, usage, plan: plan === null ? null : JSON.stringify(plan) })
    .where("id", "=", releaseId)
    .execute();
}

/** Notes that the files of a version are kept as they were built. */
export async function noteSealed(db: Database, releaseId: string, artifact: SealedArtifact): Promise<void> {
  await db
    .updateTable("releases")
    .set({ artifact: JSON.stringify(artifact) })
    .where("id", "=", releaseId)
    .execute();
}

/** The versions of this content that the project made, whose files are kept on this node: the one it built first. */
export async function selectSealed(
  db: Database,
  { projectId, version, host }: { readonly projectId: string; readonly version: string; readonly host: string },
): Promise<(ReleaseRow & { readonly artifact: SealedArtifact })[]> {
  const rows = await db
    .selectFrom("releases")
    .innerJoin("deployments", "deployments.id", "releases.deployment_id")
    .selectAll("releases")
    .where("releases.project_id", "=", projectId)
    .where("releases.version", "=", version)
    .where("releases.artifact", "is not", null)
    .where("releases.status", "in", ["live", "retired"])
    .where("deployments.host", "=", host)
    // Those of promotions have negative numbers.
    .orderBy("releases.attempt", "desc")
    .execute();
  return rows as (ReleaseRow & { readonly artifact: SealedArtifact })[];
}

/** Whether the deployment that a version of the project was built for is still there: promotions have negative numbers. */
export async function hasBuilt(
  db: Database,
  { projectId, version }: { readonly projectId: string; readonly version: string },
): Promise<boolean> {
  const row = await db
    .selectFrom("releases")
    .select("id")
    .where("project_id", "=", projectId)
    .where("version", "=", version)
    .where("attempt", ">", 0)
    .executeTakeFirst();
  return row !== undefined;
}

export async function noteMigrated(db: Database, releaseId: string, now: Date): Promise<void> {
  await db.updateTable("releases").set({ migrated_at: now }).where("id", "=", releaseId).execute();
}

export async function noteTraffic(db: Database, releaseId: string, traffic: StoredTraffic): Promise<void> {
  await db
    .updateTable("releases")
    .set({ traffic: JSON.stringify(traffic) })
    .where("id", "=", releaseId)
    .execute();
}
