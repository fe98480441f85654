import { sql } from "kysely";
import type { Database, Transaction } from "../../platform/database/index.ts";
import type { SavedHead } from "../workspaces/index.ts";
import type { MergeReport } from "./merge-report.ts";

/** What the builder made of a project's document, alone and merged with a person's changes. */
export interface Generation {
  readonly generated: SavedHead;
  /** Null: there was nothing to merge with. */
  readonly merged: SavedHead | null;
  readonly report: MergeReport | null;
}

const generationColumns = sql`generated, merged, report`;

export async function findGeneration(
  db: Database,
  projectId: string,
  planVersion: number,
): Promise<Generation | undefined> {
  const { rows } = await sql<Generation>`
    select ${generationColumns} from generations
    where project_id = ${projectId} and plan_version = ${planVersion}`.execute(db);
  return rows[0];
}

/** What was generated for all plans that a project has had, the newest first. */
export async function findGenerations(db: Database, projectId: string): Promise<VersionedGeneration[]> {
  const { rows } = await sql<VersionedGeneration>`
    select ${generationColumns}, plan_version as "planVersion", source_version as "sourceVersion" from generations
    where project_id = ${projectId} order by plan_version desc`.execute(db);
  return rows;
}

/** The generation of the newest plan. */
export async function findLatestGeneration(
  db: Database | Transaction,
  projectId: string,
): Promise<Generation | undefined> {
  const { rows } = await sql<Generation>`
    select ${generationColumns} from generations
    where project_id = ${projectId} order by plan_version desc limit 1`.execute(db);
  return rows[0];
}

interface VersionedGeneration extends Generation {
  readonly planVersion: number;
  /** The version of the newest put source that it contains. */
  readonly sourceVersion: number;
}

interface NewGeneration extends VersionedGeneration {
  readonly projectId: string;
}

/** Stores a generation, unless another attempt was first: then that one counts for all. */
export async function insertGeneration(db: Database, generation: NewGeneration): Promise<boolean> {
  const { projectId, planVersion, generated, merged, report, sourceVersion } = generation;
  const { numAffectedRows } = await sql`
    insert into generations (project_id, plan_version, generated, merged, report, source_version)
    values (${projectId}, ${planVersion}, ${JSON.stringify(generated)}, ${merged && JSON.stringify(merged)},
            ${report && JSON.stringify(report)}, ${sourceVersion})
    on conflict do nothing`.execute(db);
  return numAffectedRows === 1n;
}

/**
 * Gives the new plan of a project that went back what was generated for the checkpoint's plan, of which its files may have parts:
 * a source that was put later waits for the next run, also where they have none yet.
 */
export async function keepGeneration(trx: Transaction, projectId: string, checkpointId: string): Promise<void> {
  await sql`
    insert into generations (project_id, plan_version, generated, merged, report, source_version)
    select project.id, project.plan_version, made.generated, made.merged, made.report, made.source_version
    from projects as project
    join checkpoints as checkpoint on checkpoint.project_id = project.id and checkpoint.id = ${checkpointId},
    lateral (
      select * from generations
      where project_id = project.id and plan_version <= checkpoint.plan_version order by plan_version desc limit 1
    ) as made
    where project.id = ${projectId}
    on conflict do nothing`.execute(trx);
}

export interface LiveProject {
  readonly id: string;
  readonly generated: SavedHead;
  readonly sourceVersion: number;
}

export interface PutSource {
  readonly version: number;
  readonly source: SavedHead;
  readonly base: SavedHead | null;
  readonly baseProjectId: string | null;
  readonly putAt: Date;
}

interface Candidates {
  readonly live: LiveProject | null;
  readonly put: PutSource | null;
}

/** What the next run of an application could be merged with; a result of another builder has no base, and is none. */
export async function findCandidates(db: Database | Transaction, applicationId: string): Promise<Candidates> {
  const { rows } = await sql<{
    live_id: string | null;
    live_generated: SavedHead;
    live_version: number;
    version: number;
    source: SavedHead | null;
    base: SavedHead | null;
    base_project_id: string | null;
    put_at: Date;
  }>`
    select live.id as live_id, live.generated as live_generated, live.source_version as live_version,
      put.version, put.source, put.base, put.base_project_id, put.put_at
    from (values (1)) as one
    left join lateral (
      select newest.id, generation.generated, generation.source_version
      from (
        select id from projects where application_id = ${applicationId} and status = 'deployed' order by id desc limit 1
      ) as newest, lateral (
        select generated, source_version from generations where project_id = newest.id order by plan_version desc limit 1
      ) as generation
    ) as live on true
    left join application_sources as put on put.application_id = ${applicationId}`.execute(db);
  const row = rows[0]!;
  return {
    live:
      row.live_id === null ? null : { id: row.live_id, generated: row.live_generated, sourceVersion: row.live_version },
    put:
      row.source === null
        ? null
        : {
            version: row.version,
            source: row.source,
            base: row.base,
            baseProjectId: row.base_project_id,
            putAt: row.put_at,
          },
  };
}

export interface NewSource {
  readonly applicationId: string;
  readonly source: SavedHead;
  readonly base: SavedHead | null;
  readonly baseProjectId: string | null;
  readonly files: number;
  readonly sizeBytes: number;
  readonly putBy: string;
}

/** Replaces the source of an application; returns when. */
export async function upsertSource(trx: Transaction, put: NewSource): Promise<Date> {
  const { applicationId, source, base, baseProjectId, files, sizeBytes, putBy } = put;
  const { rows } = await sql<{ put_at: Date }>`
    insert into application_sources as known (application_id, version, source, base, base_project_id, files, size_bytes, put_by, put_at)
    values (${applicationId}, 1, ${JSON.stringify(source)}, ${base && JSON.stringify(base)}, ${baseProjectId}, ${files},
            ${sizeBytes}, ${putBy}, clock_timestamp())
    on conflict (application_id) do update set
      version = known.version + 1, source = excluded.source, base = excluded.base, base_project_id = excluded.base_project_id, files = excluded.files,
      size_bytes = excluded.size_bytes, put_by = excluded.put_by, put_at = excluded.put_at
    returning put_at`.execute(trx);
  return rows[0]!.put_at;
}

/** Locks the application until the transaction ends, so that two puts happen one after the other. */
export async function lockApplication(trx: Transaction, id: string): Promise<void> {
  await sql`select from applications where id = ${id} for update`.execute(trx);
}

/** The application of an owner's documents with this id. */
export async function findApplicationOf(
  db: Database,
  ownerId: string,
  documentId: string,
): Promise<string | undefined> {
  const { rows } = await sql<{ id: string }>`
    select id from applications
    where owner_id = ${ownerId} and md5(document_id) = md5(${documentId}) and document_id = ${documentId}`.execute(db);
  return rows[0]?.id;
}

/** What was generated for the newest run of an application, however that ended. */
export async function findNewestGenerated(
  db: Database,
  applicationId: string,
): Promise<{ projectId: string; generated: SavedHead } | undefined> {
  const { rows } = await sql<{ projectId: string; generated: SavedHead }>`
    select projects.id as "projectId", generations.generated
    from projects join generations on generations.project_id = projects.id
    where projects.application_id = ${applicationId}
    order by projects.id desc, generations.plan_version desc limit 1`.execute(db);
  return rows[0];
}

/** The application that a project is a run of. */
export async function findApplicationId(db: Database | Transaction, projectId: string): Promise<string | undefined> {
  const row = await db.selectFrom("projects").select("application_id").where("id", "=", projectId).executeTakeFirst();
  return row?.application_id;
}
