import { createHash } from "node:crypto";
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { DatabaseRefusal } from "./database-refusal.ts";

export interface Migration {
  readonly number: number;
  readonly name: string;
  readonly checksum: string;
  readonly sql: string;
}

export type AppliedMigration = Pick<Migration, "number" | "name" | "checksum">;

/** Reads the files `NNNN-name.sql` of a folder, in order. */
export async function readMigrations(folder: string): Promise<Migration[]> {
  const names = (await readdir(folder)).sort();
  const misnamed = names.find((name) => !/^\d{4}-[a-z0-9-]+\.sql$/.test(name));
  if (misnamed !== undefined) {
    throw new DatabaseRefusal("migration_misnamed", `${join(folder, misnamed)} is not named like 0001-first.sql.`);
  }
  return Promise.all(
    names.map(async (name) => {
      // Git on Windows may have changed the line ends.
      const sql = (await readFile(join(folder, name), "utf8")).replaceAll("\r\n", "\n");
      const checksum = createHash("sha256").update(sql).digest("hex");
      return { number: Number(name.slice(0, 4)), name, checksum, sql };
    }),
  );
}

/** The migrations that still have to run; refuses a database that does not match the code. */
export function planMigrations(
  migrations: readonly Migration[],
  applied: readonly AppliedMigration[],
): readonly Migration[] {
  refuseGaps(migrations, "in the code");
  refuseGaps(applied, "in the database");
  for (const one of applied) {
    const ours = migrations[one.number - 1];
    if (!ours) {
      throw new DatabaseRefusal(
        "database_newer",
        `The database is newer than this Slipway: it has the migration ${one.name}, which this version does not know. Start the newer Slipway, or restore a backup from before that migration.`,
      );
    }
    if (ours.checksum !== one.checksum) {
      throw new DatabaseRefusal(
        "migration_changed",
        `The migration ${ours.name} was changed after it was run on this database. Restore the file, and write the change as a new migration.`,
      );
    }
  }
  return migrations.slice(applied.length);
}

function refuseGaps(migrations: readonly AppliedMigration[], where: string): void {
  const at = migrations.findIndex(({ number }, index) => number !== index + 1);
  if (at === -1) return;
  const expected = String(at + 1).padStart(4, "0");
  throw new DatabaseRefusal(
    "migration_missing",
    `Migrations are numbered from 0001 on, without gaps and repeats; ${where}, ${migrations[at]!.name} is in the position of ${expected}.`,
  );
}
