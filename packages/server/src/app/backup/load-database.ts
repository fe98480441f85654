import { createReadStream } from "node:fs";
import { createGunzip } from "node:zlib";
import { type CopySession, isDatabaseUnavailable } from "../../platform/database/index.ts";
import { BackupRefusal } from "./backup-refusal.ts";
import { tableFile } from "./copy-database.ts";
import type { Manifest } from "./manifest.ts";
import type { Progress } from "./progress.ts";
import { renumberTransactions } from "./renumber-store.ts";
import {
  copyStatement,
  countRows,
  findTableWithRows,
  lockTables,
  moveReleases,
  resumeChecks,
  setSequence,
  suspendChecks,
  type Table,
} from "./tables-store.ts";

interface Load {
  readonly session: CopySession;
  /** Runs a statement on another connection, outside the transaction. */
  readonly aside: (statement: string) => Promise<unknown>;
  readonly tables: readonly Table[];
  readonly dataFolder: string;
  readonly progress: Progress;
}

/** Loads the tables of a backup in one transaction: all of them, or nothing. */
export async function loadDatabase(
  { session, aside, tables, dataFolder, progress }: Load,
  folder: string,
  manifest: Manifest,
): Promise<void> {
  await session.query("begin");
  await lockTables(session, tables);
  // Once more: a service may have been started on the empty database meanwhile.
  await requireNoRows(session, tables);
  const checks = await suspendChecks(session, tables);
  for (const table of tables) {
    progress(`Loading the table ${table.name}.`);
    const rows = await loadTable(session, table, folder);
    if (rows !== manifest.tables[table.name])
      throw new BackupRefusal(
        `${tableFile(folder, table.name)} has ${rows} rows, not the ${manifest.tables[table.name]} of the manifest. Restore another backup.`,
      );
  }
  progress("Numbering transactions.");
  await renumberTransactions(session, aside);
  await moveReleases(session, { host: manifest.host, from: manifest.data_folder, to: dataFolder });
  for (const sequence of manifest.sequences) await setSequence(session, sequence);
  progress("Checking that rows refer to each other.");
  await resumeChecks(session, tables, checks);
  await session.query("commit");
  await session.query("analyze");
}

/** Migrations put rows into it. */
const seeded = ["event_cursors"];

/** Refuses a database that somebody uses. */
export async function requireNoRows(session: CopySession, tables: readonly Table[]): Promise<void> {
  const table = await findTableWithRows(
    session,
    tables.filter(({ name }) => !seeded.includes(name)),
  );
  if (table === undefined) return;
  throw new BackupRefusal(
    `The database is in use: '${table}' has rows. Restore into a new data folder (--data) or an empty database.`,
  );
}

/** Whether the tables have just as many rows as a backup: then they were loaded. */
export async function hasRows(session: CopySession, tables: readonly Table[], manifest: Manifest): Promise<boolean> {
  let all = 0;
  for (const { name } of tables) {
    const count = await countRows(session, name);
    if (count !== manifest.tables[name]) return false;
    if (!seeded.includes(name)) all += count;
  }
  // An empty one is loaded again.
  return all > 0;
}

async function loadTable(session: CopySession, table: Table, folder: string): Promise<number> {
  const file = tableFile(folder, table.name);
  const gzipped = createReadStream(file);
  const rows = createGunzip();
  gzipped.on("error", (error) => rows.destroy(error));
  try {
    return await session.copyIn(copyStatement(table, "from stdin"), gzipped.pipe(rows));
  } catch (error) {
    if (isDatabaseUnavailable(error)) throw error;
    const said = error instanceof Error ? error.message : String(error);
    throw new BackupRefusal(`${file} cannot be loaded: ${said}. Restore another backup.`, { cause: error });
  } finally {
    gzipped.destroy();
  }
}
