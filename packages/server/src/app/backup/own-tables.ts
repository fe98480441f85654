import type { CopySession } from "../../platform/database/index.ts";
import { type AppliedMigration, selectMigrations } from "./tables-store.ts";

interface KnownMigration extends AppliedMigration {
  readonly sql: string;
}

/** The tables that our migrations make; a database may have tables of others beside them. */
export function ownTables(migrations: readonly Pick<KnownMigration, "sql">[]): string[] {
  return migrations.flatMap(({ sql }) =>
    [...sql.matchAll(/^\s*create (?:unlogged )?table (?:if not exists )?(\w+)/gim)].map(([, name]) => name!),
  );
}

/** Whether the database has all migrations of this Slipway, and no others. */
export async function hasSameMigrations(session: CopySession, migrations: readonly KnownMigration[]): Promise<boolean> {
  return areSame(await selectMigrations(session), migrations);
}

export function areSame(some: readonly AppliedMigration[], others: readonly AppliedMigration[]): boolean {
  return (
    some.length === others.length &&
    some.every(({ name, checksum }, index) => name === others[index]!.name && checksum === others[index]!.checksum)
  );
}
