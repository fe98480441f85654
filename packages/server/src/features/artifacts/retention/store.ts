import type { DamagedArtifact } from "@slipway/contract";
import { sql } from "kysely";
import { jobPayloadsSql } from "../../../engine/jobs/index.ts";
import type { StoredBlob } from "../../../platform/blobs/index.ts";
import type { Database } from "../../../platform/database/index.ts";

export type BlobProblem = "missing" | "changed";

/**
 * Whoever removes bytes has this long. Until then those who want them wait; afterwards nobody can tell whether they are there, and
 * they are written again.
 */
const removalLease = sql`interval '60 seconds'`;

/**
 * Writes down that these bytes are wanted from now on; nothing while somebody is removing them: ask again. Where a removal was
 * given up they may be gone, and are said to be missing.
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

/** Writes down blobs that were there before anybody counted them. */
export async function adoptBlobs(db: Database, blobs: readonly StoredBlob[]): Promise<void> {
  await sql`
    insert into blobs (digest, size_bytes)
    select * from unnest(${blobs.map(({ digest }) => digest)}::text[], ${blobs.map(({ size }) => size)}::bigint[])
    on conflict do nothing`.execute(db);
}

/** How many bytes there are in all, and of a project; without the blob itself, which may be there already. */
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
 * Blobs that nothing refers to and that nobody has kept for so long. All in one look, so that nothing is missed that is moved
 * meanwhile; in states any digest counts, whatever it stands for there. States are cut into words first: to look for digests in
 * the whole of them takes Postgres seven times as long. "except" has one plan for few and for many: another, made while there were
 * few, would compare each with each.
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
 * Says that somebody removes a blob from now on, if nobody has kept it since: it counts as never kept, and as looked at now. Gives
 * what the removal is known by; nothing where somebody else was quicker.
 */
export async function markRemoval(db: Database, digest: string, graceMs: number): Promise<string | undefined> {
  const { rows } = await sql<{ mark: string }>`
    update blobs set put_at = '-infinity', verified_at = now()
    where digest = ${digest} and put_at <= now() - ${graceMs} * interval '1 ms'
      and (put_at > '-infinity' or verified_at < now() - ${removalLease})
    returning verified_at::text as mark`.execute(db);
  return rows[0]?.mark;
}

/** Forgets a blob that was removed, unless somebody has taken it over since. */
export async function forgetBlob(db: Database, digest: string, mark: string): Promise<void> {
  await sql`
    delete from blobs
    where digest = ${digest} and put_at = '-infinity' and verified_at = ${mark}::timestamptz`.execute(db);
}

/** The blobs that were verified longest ago, of those that were kept so long ago. */
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

/** Writes down what was found; false where the blob is being removed, or was. */
export async function noteVerified(db: Database, digest: string, problem: BlobProblem | null): Promise<boolean> {
  const { rows } = await sql`
    update blobs set verified_at = now(), problem = ${problem} where digest = ${digest} and put_at > '-infinity'
    returning digest`.execute(db);
  return rows.length > 0;
}

/** How many blobs are known to be damaged. */
export async function countDamaged(db: Database): Promise<number> {
  const { rows } = await sql<{ count: number }>`select count(*) from blobs where problem is not null`.execute(db);
  return rows[0]!.count;
}

/** What is known to be wrong with a blob. */
export async function findProblem(db: Database, digest: string): Promise<BlobProblem | null> {
  const { rows } = await sql<{ problem: BlobProblem | null }>`
    select problem from blobs where digest = ${digest} and problem is not null`.execute(db);
  return rows[0]?.problem ?? null;
}

type UsedBlob = Omit<DamagedArtifact, "problem">;

/** What a project needs of the blob store, by digest: its artifacts, and its source code as it is saved. */
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
 * Forgets checkpoints that are too old or too many, with their artifacts; never a project's newest, nor the one that holds what
 * is live. Gives how many.
 */
export async function removeOldCheckpoints(
  db: Database,
  { days, count }: { days: number | undefined; count: number | undefined },
): Promise<number> {
  const { rows } = await sql<{ id: string }>`
    with ranked as (
      select checkpoints.id, checkpoints.created_at, row_number() over (partition by project_id order by checkpoints.id desc) as place,
        phase = 'deployment' and row_number() over (partition by project_id, phase order by checkpoints.id desc) = 1 as is_live
      from checkpoints
    ), gone as (
      delete from checkpoints using ranked
      where checkpoints.id = ranked.id and place > 1 and not is_live
        and (place > ${count ?? null}::bigint or ranked.created_at < now() - ${days ?? null}::integer * interval '1 day')
      returning checkpoints.id, checkpoints.project_id
    ), bare as (
      delete from artifacts using gone where artifacts.project_id = gone.project_id and artifacts.checkpoint_id = gone.id
    )
    select id from gone`.execute(db);
  return rows.length;
}
