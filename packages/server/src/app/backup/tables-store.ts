import type { CopySession } from "../../platform/database/index.ts";

export interface Table {
  readonly name: string;
  /** Those that a copy carries, in order. */
  readonly columns: readonly string[];
}

export interface Sequence {
  readonly name: string;
  /** As text: it may be larger than a number can hold. */
  readonly last: string;
}

/**
 * Columns that get a new value where the rows are loaded: a reader that follows the logs compares the transaction with
 * those that are open in its own database.
 */
const leftToDefault: Readonly<Record<string, readonly string[]>> = { logs: ["xid"] };

/** Of these tables, those that exist and outlive a crash, with their columns. */
export async function selectTables(session: CopySession, names: readonly string[]): Promise<Table[]> {
  const rows = await session.query<{ name: string; columns: string[] }>(
    `select relname as name, array_agg(attname::text order by attnum) as columns
       from pg_class join pg_attribute on attrelid = pg_class.oid
      where relnamespace = current_schema()::regnamespace and relkind = 'r' and relpersistence = 'p'
        and relname = any($1) and attnum > 0 and not attisdropped and attgenerated = ''
      group by relname order by relname`,
    [names],
  );
  return rows.map(({ name, columns }) => ({
    name,
    columns: columns.filter((column) => !leftToDefault[name]?.includes(column)),
  }));
}

/** The sequences of these tables that have been used. */
export async function selectSequences(session: CopySession, names: readonly string[]): Promise<Sequence[]> {
  const rows = await session.query<{ name: string; last: string | null }>(
    `select sequence.relname as name, pg_sequence_last_value(sequence.oid)::text as last
       from pg_class as sequence
       join pg_depend on objid = sequence.oid and classid = 'pg_class'::regclass and deptype in ('a', 'i')
       join pg_class as owner on owner.oid = refobjid
      where sequence.relkind = 'S' and owner.relnamespace = current_schema()::regnamespace and owner.relname = any($1)
      order by 1`,
    [names],
  );
  // Not in the condition: Postgres may ask there for the value of what is no sequence.
  return rows.flatMap(({ name, last }) => (last === null ? [] : [{ name, last }]));
}

export async function setSequence(session: CopySession, { name, last }: Sequence): Promise<void> {
  await session.query("select setval(quote_ident($1)::regclass, $2::bigint)", [name, last]);
}

export async function selectMigrations(session: CopySession): Promise<AppliedMigration[]> {
  const [known] = await session.query<{ exists: boolean }>(
    `select to_regclass('schema_migrations') is not null as "exists"`,
  );
  if (!known?.exists) return [];
  return session.query("select name, checksum from schema_migrations order by number");
}

export interface AppliedMigration {
  readonly name: string;
  readonly checksum: string;
}

/** The fingerprints of the master keys that the database was used with, by version. */
export async function selectKeyFingerprints(session: CopySession): Promise<Record<string, string>> {
  const rows = await session.query<{ version: number; fingerprint: string }>(
    "select version, encode(fingerprint, 'hex') as fingerprint from master_keys order by version",
  );
  return Object.fromEntries(rows.map(({ version, fingerprint }) => [String(version), fingerprint]));
}

/** The first of these tables that has rows. */
export async function findTableWithRows(session: CopySession, tables: readonly Table[]): Promise<string | undefined> {
  for (const { name } of tables) {
    const [row] = await session.query<{ has: boolean }>(`select exists (select from ${quoted(name)}) as has`);
    if (row?.has) return name;
  }
  return undefined;
}

export async function countRows(session: CopySession, table: string): Promise<number> {
  const [row] = await session.query<{ count: number }>(`select count(*)::int as count from ${quoted(table)}`);
  return row!.count;
}

/** Until the end of the transaction, nobody else reads or writes these tables. */
export async function lockTables(session: CopySession, tables: readonly Table[]): Promise<void> {
  await session.query(`lock table ${tables.map(({ name }) => quoted(name)).join(", ")} in access exclusive mode`);
}

interface ForeignKey {
  readonly table: string;
  readonly name: string;
  readonly definition: string;
}

/** Takes away what would check or change rows while they are loaded; returns what has to be put back. */
export async function suspendChecks(session: CopySession, tables: readonly Table[]): Promise<readonly ForeignKey[]> {
  const keys = await session.query<ForeignKey>(
    `select relname as "table", conname as name, pg_get_constraintdef(pg_constraint.oid) as definition
       from pg_constraint join pg_class on pg_class.oid = conrelid
      where contype = 'f' and relnamespace = current_schema()::regnamespace and relname = any($1)`,
    [tables.map(({ name }) => name)],
  );
  for (const { table, name } of keys)
    await session.query(`alter table ${quoted(table)} drop constraint ${quoted(name)}`);
  for (const { name } of tables) await session.query(`alter table ${quoted(name)} disable trigger user`);
  await session.query(`truncate ${tables.map(({ name }) => quoted(name)).join(", ")}`);
  return keys;
}

/** Puts the checks back: Postgres refuses a row that refers to one that is missing. */
export async function resumeChecks(session: CopySession, tables: readonly Table[], keys: readonly ForeignKey[]) {
  for (const { name } of tables) await session.query(`alter table ${quoted(name)} enable trigger user`);
  for (const { table, name, definition } of keys)
    await session.query(`alter table ${quoted(table)} add constraint ${quoted(name)} ${definition}`);
}

export function copyStatement({ name, columns }: Table, direction: "to stdout" | "from stdin"): string {
  return `copy ${quoted(name)} (${columns.map(quoted).join(", ")}) ${direction}`;
}

interface MovedFolder {
  readonly host: string;
  readonly from: string;
  readonly to: string;
}

/** Plans and the lines that say how to use a release name files by their absolute paths. */
export async function moveReleases(session: CopySession, { host, from, to }: MovedFolder): Promise<void> {
  await session.query(
    `update releases set
       usage = replace(usage, $2 || '/apps/', $3 || '/apps/'),
       plan = replace(plan::text, rtrim(to_json($2::text)::text, '"') || '/apps/',
                      rtrim(to_json($3::text)::text, '"') || '/apps/')::jsonb
     where deployment_id in (select id from deployments where host = $1)`,
    [host, from, to],
  );
}

interface DeployedFiles {
  readonly id: string;
  readonly host: string;
  /** The version that is live, or was when it was stopped; null: there has been none. */
  readonly release_id: string | null;
}

/** What is deployed, and on which node. */
export async function selectDeployed(session: CopySession): Promise<DeployedFiles[]> {
  return session.query("select id, host, release_id from deployments order by id");
}

/** Blobs that the database counts on. */
export async function selectDigests(session: CopySession): Promise<string[]> {
  const rows = await session.query<{ digest: string }>(
    "select digest from blobs where put_at <> '-infinity' and problem is distinct from 'missing'",
  );
  return rows.map(({ digest }) => digest);
}

function quoted(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}
