import { join } from "node:path";
import { pipeline } from "node:stream/promises";
import { createGzip } from "node:zlib";
import type { CopySession } from "../../platform/database/index.ts";
import { writeDurably } from "./durable-file.ts";
import type { Progress } from "./progress.ts";
import { copyStatement, type Sequence, selectSequences, type Table } from "./tables-store.ts";

interface CopiedDatabase {
  readonly tables: Readonly<Record<string, number>>;
  readonly sequences: readonly Sequence[];
}

/** Writes each table into a file, as of the snapshot of the session's transaction. */
export async function copyDatabase(
  session: CopySession,
  tables: readonly Table[],
  folder: string,
  progress: Progress,
): Promise<CopiedDatabase> {
  const counts: Record<string, number> = {};
  for (const table of tables) {
    progress(`Copying the table ${table.name}.`);
    counts[table.name] = await session.copyOut(copyStatement(table, "to stdout"), (rows) =>
      pipeline(rows, createGzip({ level: 1 }), (bytes) => writeDurably(tableFile(folder, table.name), bytes)),
    );
  }
  return {
    tables: counts,
    sequences: await selectSequences(
      session,
      tables.map(({ name }) => name),
    ),
  };
}

export function tableFile(folder: string, table: string): string {
  return join(folder, "database", `${table}.copy.gz`);
}
