import { type Selectable, sql } from "kysely";
import type { Database, Schema, Transaction } from "../../platform/database/index.ts";
import { patchFolder, patchPath } from "./artifact-path.ts";

export type ArtifactRow = Selectable<Schema["artifacts"]>;

interface NewArtifact {
  readonly projectId: string;
  readonly type: string;
  readonly path: string;
  readonly digest: string;
  readonly sizeBytes: number;
  readonly mediaType: string;
  readonly now: Date;
  /** Undefined: it is a current artifact of the project. */
  readonly checkpointId?: string;
}

/** Writes an artifact, replacing the one at its path. */
export async function putArtifact(trx: Transaction, artifact: NewArtifact): Promise<void> {
  const { projectId, type, path, digest, sizeBytes, mediaType, now, checkpointId = null } = artifact;
  await sql`
    insert into artifacts (project_id, type, path, digest, size_bytes, media_type, modified, checkpoint_id)
    values (${projectId}, ${type}, ${path}, ${digest}, ${sizeBytes}, ${mediaType}, ${now}, ${checkpointId})
    on conflict (project_id, checkpoint_id, md5(path)) do update set
      type = excluded.type, path = excluded.path, digest = excluded.digest, size_bytes = excluded.size_bytes,
      media_type = excluded.media_type, modified = excluded.modified`.execute(trx);
}

/** Copies the current artifacts of projects to checkpoints. Safe to run twice. */
export async function keepArtifacts(
  trx: Transaction,
  checkpoints: readonly { readonly id: string; readonly projectId: string }[],
): Promise<void> {
  const ids = checkpoints.map(({ id }) => id);
  const projectIds = checkpoints.map(({ projectId }) => projectId);
  await sql`
    insert into artifacts (project_id, type, path, digest, size_bytes, media_type, modified, checkpoint_id)
    select artifacts.project_id, type, path, digest, size_bytes, media_type, modified, kept.checkpoint_id
    from unnest(${projectIds}::text[], ${ids}::text[]) as kept (project_id, checkpoint_id)
    join artifacts on artifacts.project_id = kept.project_id and artifacts.checkpoint_id is null
    on conflict do nothing`.execute(trx);
}

const isForPeople = sql<boolean>`not starts_with(path, ${patchFolder})`;

interface AtCheckpoint {
  readonly checkpoint?: string | undefined;
}

/** The artifacts of a project that people read, by path: current ones, or those of a checkpoint. */
export async function selectArtifacts(
  db: Database,
  projectId: string,
  { checkpoint }: AtCheckpoint = {},
): Promise<ArtifactRow[]> {
  return db
    .selectFrom("artifacts")
    .selectAll()
    .where("project_id", "=", projectId)
    .where("checkpoint_id", "is not distinct from", checkpoint ?? null)
    .where(isForPeople)
    .orderBy(sql`path collate "C"`)
    .execute();
}

export interface FoundArtifacts {
  readonly matchedBy: "type" | "path" | "directory" | "name";
  /** Whether the name matched a type, a path, a directory or a file name. */
  readonly artifacts: readonly ArtifactRow[];
}

/** Finds artifacts that people read by a name: a type, else a path, a directory, a file name. */
export async function findArtifact(
  db: Database,
  projectId: string,
  called: string,
  { checkpoint }: AtCheckpoint = {},
): Promise<FoundArtifacts | undefined> {
  const directory = called.endsWith("/") ? called : `${called}/`;
  const { rows } = await sql<ArtifactRow & { matched_by: FoundArtifacts["matchedBy"] }>`
    with named as (
      select artifacts.*,
        case
          when type = ${called} then 1
          when path = ${called} then 2
          when starts_with(path, ${directory}) then 3
          when right(path, length(${called}) + 1) = '/' || ${called} then 4
        end as rank
      from artifacts
      where project_id = ${projectId} and checkpoint_id is not distinct from ${checkpoint ?? null} and ${isForPeople}
    )
    select project_id, type, path, digest, size_bytes, media_type, modified, checkpoint_id,
      (array['type', 'path', 'directory', 'name'])[rank] as matched_by
    from named where rank = (select min(rank) from named)
    order by path collate "C"`.execute(db);
  if (rows[0] === undefined) return undefined;
  return { matchedBy: rows[0].matched_by, artifacts: rows.map(({ matched_by, ...row }) => row) };
}

/** The patch that a worker has uploaded for its lease. */
export async function findPatch(
  db: Database,
  projectId: string,
  leaseId: string,
): Promise<Pick<ArtifactRow, "digest" | "size_bytes"> | undefined> {
  return db
    .selectFrom("artifacts")
    .select(["digest", "size_bytes"])
    .where("project_id", "=", projectId)
    .where("checkpoint_id", "is", null)
    .where("path", "=", patchPath(leaseId))
    .executeTakeFirst();
}

export type SourceTreeRow = Selectable<Schema["source_trees"]>;

export async function findSourceTree(
  db: Database,
  projectId: string,
  commit: string,
): Promise<SourceTreeRow | undefined> {
  return db
    .selectFrom("source_trees")
    .selectAll()
    .where("project_id", "=", projectId)
    .where("commit", "=", commit)
    .executeTakeFirst();
}

/** Concurrent inserts of the same commit are equal, so the first one counts. */
export async function insertSourceTree(db: Database, tree: SourceTreeRow): Promise<void> {
  await db
    .insertInto("source_trees")
    .values(tree)
    .onConflict((conflict) => conflict.doNothing())
    .execute();
}
