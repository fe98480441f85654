import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { BackupRefusal } from "./backup-refusal.ts";
import type { AppliedMigration, Sequence } from "./tables-store.ts";

/** What a backup says of itself, in `manifest.json`; it is written last. */
export interface Manifest {
  readonly format: 1;
  readonly slipway_version: string;
  readonly created_at: string;
  readonly migrations: readonly AppliedMigration[];
  /** By version; the keys themselves are not in the backup. */
  readonly master_key_fingerprints: Readonly<Record<string, string>>;
  /** The data folder, and the name under which the database knows it. */
  readonly data_folder: string;
  readonly host: string;
  /** How many rows each table has. */
  readonly tables: Readonly<Record<string, number>>;
  readonly sequences: readonly Sequence[];
  /** Null: they are in a bucket. */
  readonly artifacts: { readonly count: number; readonly bytes: number } | null;
  readonly apps: readonly SavedApp[];
  /** Files that could not be read, with the reason. */
  readonly left_out: readonly string[];
  readonly not_included: readonly string[];
}

/** The files of a deployment. */
export interface SavedApp {
  readonly deployment_id: string;
  readonly releases: readonly string[];
  /** Those whose files are kept as they were built, for other environments; earlier backups have none. */
  readonly sealed?: readonly string[];
  /** The release that `current` leads to. */
  readonly current: string | null;
  readonly has_data: boolean;
}

export const manifestName = "manifest.json";

/** Reads a backup's manifest; refuses what is not a whole backup of a format that we know. */
export async function readManifest(folder: string): Promise<Manifest> {
  const text = await readFile(join(folder, manifestName), "utf8").catch((error: NodeJS.ErrnoException) => {
    if (error.code !== "ENOENT" && error.code !== "ENOTDIR") throw error;
    throw new BackupRefusal(
      `${folder} is not a whole backup: it has no ${manifestName}. Name a folder that 'slipway backup' made.`,
    );
  });
  const manifest = parsed(text);
  if (manifest?.format !== 1) {
    const made = typeof manifest?.slipway_version === "string" ? ` by Slipway ${manifest.slipway_version}` : "";
    throw new BackupRefusal(
      `${folder} was made${made} in a format that this Slipway does not know. Restore it with that version.`,
    );
  }
  const ids = manifest.apps.flatMap(({ deployment_id, releases, sealed = [], current }) => [
    deployment_id,
    ...releases,
    ...sealed,
    current ?? "a",
  ]);
  // They become paths.
  if (!ids.every((id) => /^\w+$/.test(id)) || !/^\w+$/.test(manifest.host))
    throw new BackupRefusal(`${join(folder, manifestName)} is damaged. Restore another backup.`);
  return manifest;
}

function parsed(text: string): Manifest | undefined {
  try {
    return JSON.parse(text) as Manifest;
  } catch {
    return undefined;
  }
}
