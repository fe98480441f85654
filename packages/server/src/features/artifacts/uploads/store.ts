import { type Selectable, sql } from "kysely";
import type { Database, Schema, Transaction } from "../../../platform/database/index.ts";

export type UploadRow = Selectable<Schema["uploads"]>;

interface NewUpload {
  readonly id: string;
  readonly projectId: string;
  readonly userId: string;
  readonly type: string;
  readonly path: string;
  readonly mediaType: string;
  readonly sizeBytes: number;
  readonly digest: string | undefined;
  readonly now: Date;
  readonly expiresAt: Date;
}

/** Inserts an upload; undefined if the user has `maxOpen` open uploads already. */
export async function insertUpload(
  trx: Transaction,
  upload: NewUpload,
  maxOpen: number,
): Promise<UploadRow | undefined> {
  const { id, projectId, userId, type, path, mediaType, sizeBytes, digest = null, now, expiresAt } = upload;
  const { rows } = await sql<UploadRow>`
    insert into uploads (id, project_id, user_id, type, path, media_type, size_bytes, digest, created_at, expires_at)
    select ${id}, ${projectId}, ${userId}, ${type}, ${path}, ${mediaType}, ${sizeBytes}::bigint, ${digest}, ${now}::timestamptz, ${expiresAt}::timestamptz
    where (select count(*) from uploads where user_id = ${userId} and not is_complete) < ${maxOpen}
    returning *`.execute(trx);
  return rows[0];
}

/** An upload of the user that has not expired. */
export async function findUpload(
  db: Database | Transaction,
  id: string,
  userId: string,
  now: Date,
): Promise<UploadRow | undefined> {
  const { rows } = await sql<UploadRow>`
    select * from uploads where id = ${id} and user_id = ${userId} and expires_at > ${now}`.execute(db);
  return rows[0];
}

/** Appends a piece; undefined if another piece was appended meanwhile. */
export async function addPiece(
  db: Database,
  { id, start, digest, size }: { id: string; start: number; digest: string; size: number },
): Promise<UploadRow | undefined> {
  const { rows } = await sql<UploadRow>`
    with moved as (
      update uploads set received = received + ${size}::bigint
      where id = ${id} and received = ${start} and received + ${size}::bigint <= size_bytes and not is_complete
      returning *
    ), added as (
      insert into upload_pieces (upload_id, start, digest, size_bytes)
      select id, ${start}::bigint, ${digest}, ${size}::bigint from moved
    )
    select * from moved`.execute(db);
  return rows[0];
}

export async function countPieces(db: Database, id: string): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select count(*) from upload_pieces where upload_id = ${id}`.execute(db);
  return rows[0]!.count;
}

/** The digests of an upload's pieces, in order. */
export async function selectPieces(db: Database, id: string): Promise<string[]> {
  const { rows } = await sql<{ digest: string }>`
    select digest from upload_pieces where upload_id = ${id} order by start`.execute(db);
  return rows.map(({ digest }) => digest);
}

/** Marks an upload as complete; false if it was complete already. */
export async function completeUpload(trx: Transaction, id: string): Promise<boolean> {
  const { rows } = await sql`
    with pieces as (delete from upload_pieces where upload_id = ${id})
    update uploads set is_complete = true where id = ${id} and not is_complete returning id`.execute(trx);
  return rows.length > 0;
}

/** Removes an upload with its pieces. */
export async function deleteUpload(db: Database | Transaction, id: string): Promise<void> {
  await sql`delete from uploads where id = ${id}`.execute(db);
}

/** Removes expired uploads. */
export async function removeOldUploads(db: Database, now: Date): Promise<void> {
  await sql`delete from uploads where expires_at <= ${now}`.execute(db);
}
