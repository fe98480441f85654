import type { DamagedArtifact } from "@slipway/contract";
import { sql } from "kysely";
import { jobPayloadsSql } from "../../../engine/jobs/index.ts";
import type { StoredBlob } from "../../../platform/blobs/index.ts";
import type { Database } from "../../../platform/database/index.ts";

export type BlobProblem = "missing" | "changed";

/**
 * How long a removal may take. Writers of the same bytes wait until then; after an expired removal, the bytes may be gone and
 * are written again.
 */
const removalLease = sql`interval '60 seconds'`;

/**
 * Records that a blob is in use from now on; undefined while a removal is in flight: try again. After an expired removal, the
 * blob counts as missing.
 */
export async function noteBlob(
  db: Database,
  { digest, size }: StoredBlob,
): Promise<{ problem: BlobProblem | null } | undefined> {
  const { rows } = await sql<{ problem: BlobProblem | null }>`
    insert into blobs (digest, size_bytes) values (${digest}, ${size})
    on conflict (digest) do update set put_at = now(),
      problem = case when blobs.put_at = '-infinity' then 'missing' else blobs.problem end
      where blobs.put_at > '-infinity' or blobs.verified_at < now() - ${removalLease}
    returning problem`.execute(db);
  return rows[0];
}

/** Records blobs that the database did not track before. */
export async function adoptBlobs(db: Database, blobs: readonly StoredBlob[]): Promise<void> {
  await sql`
    insert into blobs (digest, size_bytes)
    select * from unnest(${blobs.map(({ digest }) => digest)}::text[], ${blobs.map(({ size }) => size)}::bigint[])
    on conflict do nothing`.execute(db);
}

/** The bytes of all blobs, and of a project; without one blob, which may be stored already. */
export async function sumBytes(
  db: Database,
  projectId: string | undefined,
  besides: string,
): Promise<{ total: number; ofProject: number }> {
  const { rows } = await sql<{ total: number; ofProject: number }>`
    with used as (
      select digest from artifacts where project_id = ${projectId ?? null}
      union select upload_pieces.digest from upload_pieces join uploads on uploads.id = upload_id where project_id = ${projectId ?? null}
      union select found[1] from projects, regexp_matches(state::text, '[0-9a-f]{64}', 'g') as found
        where id = ${projectId ?? null}
      union select found[1] from checkpoints, regexp_matches(state::text, '[0-9a-f]{64}', 'g') as found
        where project_id = ${projectId ?? null}
      union select found[1] from generations, regexp_matches(concat(generated, merged), '[0-9a-f]{64}', 'g') as found
        where project_id = ${projectId ?? null}
    )
    select coalesce(sum(size_bytes), 0)::bigint as total,
      coalesce(sum(size_bytes) filter (where digest in (select digest from used)), 0)::bigint as "ofProject"
    from blobs where digest <> ${besides}`.execute(db);
  return rows[0]!;
}

/**
 * Blobs without references that nobody stored for the grace period. One statement, so that no reference can move unseen; in
 * the states of runs, any digest counts as a reference. Splitting states into words first is seven times as fast as searching
 * them. "except" keeps one plan: a plan made for few rows would compare each blob with each reference.
 */
export async function selectUnused(db: Database, graceMs: number, limit: number): Promise<string[]> {
  const { rows } = await sql<{ digest: string }>`
    with candidates as (
      select digest from blobs
      where put_at <= now() - ${graceMs} * interval '1 ms'
        and (put_at > '-infinity' or verified_at < now() - ${removalLease})
        and not exists (select from artifacts where artifacts.digest = blobs.digest)
    ), texts as (
      select concat(work, report) as text from worker_leases
      union all select state::text from projects
      union all select state::text from checkpoints
      union all ${jobPayloadsSql}
      union all select concat(generated, merged) from generations
      union all select concat(source, base) from application_sources
    ), words as (
      select word from texts, string_to_table(text, '"') as part, string_to_table(part, ' ') as word
      where length(part) >= 64 and length(word) >= 64
    ), used as (
      select digest from upload_pieces
      union all select word from words where length(word) = 64
      union all select found[1] from words, regexp_matches(word, '[0-9a-f]{64}', 'g') as found where length(word) > 64
    )
    select digest from candidates except select digest from used
    limit ${limit}`.execute(db);
  return rows.map(({ digest }) => digest);
}

/**
 * Begins the removal of a blob that is still unused; returns a token for it, or undefined where another node was first. The
 * blob then counts as never stored, and as verified now.
 */
export async function markRemoval(db: Database, digest: string, graceMs: number): Promise<string | undefined> {
  const { rows } = await sql<{ mark: string }>`
    update blobs set put_at = '-infinity', verified_at = now()
    where digest = ${digest} and put_at <= now() - ${graceMs} * interval '1 ms'
      and (put_at > '-infinity' or verified_at < now() - ${removalLease})
    returning verified_at::text as mark`.execute(db);
  return rows[0]?.mark;
}

/** Deletes the row of a removed blob, unless another removal or writer has taken it over. */
export async function forgetBlob(db: Database, digest: string, mark: string): Promise<void> {
  await sql`
    delete from blobs
    where digest = ${digest} and put_at = '-infinity' and verified_at = ${mark}::timestamptz`.execute(db);
}

/** The blobs whose last verification is oldest, of those stored long enough ago. */
export async function selectToVerify(
  db: Database,
  { verifiedMs, keptMs, limit }: { verifiedMs: number; keptMs: number; limit: number },
): Promise<StoredBlob[]> {
  const { rows } = await sql<StoredBlob>`
    select digest, size_bytes as size from blobs
    where (verified_at is null or verified_at < now() - ${verifiedMs} * interval '1 ms')
      and put_at > '-infinity' and put_at <= now() - ${keptMs} * interval '1 ms'
    order by verified_at nulls first, digest limit ${limit}`.execute(db);
  return rows;
}

/** Records the result of a verification; false where the blob is being removed, or was. */
export async function noteVerified(db: Database, digest: string, problem: BlobProblem | null): Promise<boolean> {
  const { rows } = await sql`
    update blobs set verified_at = now(), problem = ${problem} where digest = ${digest} and put_at > '-infinity'
    returning digest`.execute(db);
  return rows.length > 0;
}

export async function countDamaged(db: Database): Promise<number> {
  const { rows } = await sql<{ count: number }>`select count(*) from blobs where problem is not null`.execute(db);
  return rows[0]!.count;
}

/** The known damage of a blob. */
export async function findProblem(db: Database, digest: string): Promise<BlobProblem | null> {
  const { rows } = await sql<{ problem: BlobProblem | null }>`
    select problem from blobs where digest = ${digest} and problem is not null`.execute(db);
  return rows[0]?.problem ?? null;
}

type UsedBlob = Omit<DamagedArtifact, "problem">;

/** The blobs that a project uses, by digest: its artifacts, and its saved source code. */
export async function selectUses(
  db: Database,
  projectId: string,
  { after, limit }: { after: string; limit: number },
): Promise<UsedBlob[]> {
  const { rows } = await sql<UsedBlob>`
    with used as (
      select project_id, type, path, checkpoint_id, digest as sha256 from artifacts where project_id = ${projectId}
      union all
      select id, 'source_code', 'source/', null, state -> 'head' ->> 'bundle' from projects where id = ${projectId}
      union all
      select project_id, 'source_code', 'source/', id, state -> 'head' ->> 'bundle' from checkpoints
        where project_id = ${projectId}
    ), digests as (
      select distinct sha256 from used where sha256 > ${after} order by sha256 limit ${limit}
    )
    select used.* from used join digests using (sha256) order by sha256, path collate "C", checkpoint_id`.execute(db);
  return rows;
}

/**
 * Removes checkpoints beyond the retention, with their artifacts; never the newest of a project, nor the live one. Returns how
 * many.
 */
export async function removeOldCheckpoints(
  db: Database,
  { days, count }: { days: number | undefined; count: number | undefined },
): Promise<number> {
  const { rows } = await sql<{ id: string }>`
    with ranked as (
      select checkpoints.id, checkpoints.created_at, row_number() over (partition by project_id order by checkpoints.id desc) as rank,
        phase = 'deployment' and row_number() over (partition by project_id, phase order by checkpoints.id desc) = 1 as is_live
      from checkpoints
    ), gone as (
      delete from checkpoints using ranked
      where checkpoints.id = ranked.id and rank > 1 and not is_live
        and (rank > ${count ?? null}::bigint or ranked.created_at < now() - ${days ?? null}::integer * interval '1 day')
      returning checkpoints.id, checkpoints.project_id
    ), bare as (
      delete from artifacts using gone where artifacts.project_id = gone.project_id and artifacts.checkpoint_id = gone.id
    )
    select id from gone`.execute(db);
  return rows.length;
}
