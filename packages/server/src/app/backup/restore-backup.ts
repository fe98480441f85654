import { access, mkdir, readdir, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { LeftOut } from "../../platform/archive/index.ts";
import { removeFolder } from "../../platform/remove-folder.ts";
import { loadKeyring } from "../../platform/secrets/index.ts";
import type { Config } from "../config.ts";
import { prepareTables, readOwnMigrations } from "../open-database.ts";
import { readRestoreMark, removeRestoreMark, writeRestoreMark } from "../restore-mark.ts";
import { BackupRefusal, explainFailure } from "./backup-refusal.ts";
import { copyArtifacts, listArtifacts, tellLostArtifacts } from "./copy-artifacts.ts";
import { writeDurably } from "./durable-file.ts";
import { leftOutList } from "./left-out-list.ts";
import { hasRows, loadDatabase, requireNoRows } from "./load-database.ts";
import { type Manifest, readManifest } from "./manifest.ts";
import { appsFolderOf, type OpenedFolder, withOpenFolder } from "./open-folder.ts";
import { areSame, ownTables } from "./own-tables.ts";
import type { Progress } from "./progress.ts";
import { selectDigests, selectMigrations, selectTables } from "./tables-store.ts";
import { unpackApp } from "./unpack-apps.ts";

interface Deps {
  readonly config: Config;
  readonly progress: Progress;
}

/** What was restored. */
export interface Restored extends Manifest {
  /** Files that the backup lacks, or that cannot be written at this place, with the reason. */
  readonly not_restored: readonly string[];
}

/** Restores a backup into a data folder and a database that are empty. The database comes last, in one transaction. */
export async function restoreBackup(deps: Deps, folder: string): Promise<Restored> {
  const { config } = deps;
  const manifest = await readManifest(folder);
  if (!areSame(manifest.migrations, await readOwnMigrations()))
    throw new BackupRefusal(
      `The backup was made by Slipway ${manifest.slipway_version}, whose database differs from this version's. Restore it with that version; then upgrade.`,
    );
  if (manifest.artifacts !== null && config.artifacts.s3 !== undefined)
    throw new BackupRefusal(
      "The backup has the artifacts of a folder, and artifact_store is s3. Restore with artifact_store: folder.",
    );
  await requireMasterKey(config, manifest);
  await takeKeyFolder(config.dataFolder);
  return withOpenFolder(config, { isAlone: true }, async (opened) => {
    const left = leftOutList();
    await fill({ ...deps, onLeftOut: left.add }, opened, folder, manifest);
    return { ...manifest, not_restored: left.texts };
  }).catch((error: unknown) => {
    throw explainFailure(error, config.dataFolder);
  });
}

interface FillDeps extends Deps {
  readonly onLeftOut: (left: LeftOut) => void;
}

async function fill(deps: FillDeps, opened: OpenedFolder, folder: string, manifest: Manifest) {
  const { config, progress, onLeftOut } = deps;
  const { dataFolder, artifactsFolder } = config;
  const appsFolder = appsFolderOf(config);
  const session = await opened.openSession();
  const tables = async () => selectTables(session, ownTables(await readOwnMigrations()));
  const isAgain = (await readRestoreMark(dataFolder)) === idOf(manifest);
  // Before anything is changed, the tables included.
  if ((await selectMigrations(session)).length > 0) {
    // It was killed between its last two steps: the rows come last, and all at once.
    if (isAgain && (await hasRows(session, await tables(), manifest))) return removeRestoreMark(dataFolder);
    await requireNoRows(session, await tables());
  }
  // Files of an earlier try are replaced.
  if (!isAgain) await requireNoFiles(artifactsFolder, appsFolder);
  await prepareTables(opened.database, opened.log);

  if (!isAgain) await writeRestoreMark(dataFolder, idOf(manifest));
  await removeFolder(appsFolder);
  for await (const digest of listArtifacts(artifactsFolder))
    await rm(join(artifactsFolder, digest.slice(0, 2), digest.slice(2)));
  if (manifest.artifacts !== null) await mkdir(artifactsFolder, { recursive: true, mode: 0o700 });
  const copied = manifest.artifacts && (await copyArtifacts(join(folder, "artifacts"), artifactsFolder, progress));
  const place = { backup: folder, appsFolder, progress, onLeftOut, sealedCopies: new Map<string, string>() };
  for (const app of manifest.apps) await unpackApp(app, place);
  await rm(join(dataFolder, "host-id"), { force: true });
  await writeDurably(join(dataFolder, "host-id"), [Buffer.from(`${manifest.host}\n`)]);
  const other = await opened.openSession();
  const aside = (statement: string) => other.query(statement);
  await loadDatabase({ session, aside, tables: await tables(), dataFolder, progress }, folder, manifest);
  if (copied !== null) tellLostArtifacts(copied, await selectDigests(session), onLeftOut);
  await removeRestoreMark(dataFolder);
}

async function requireNoFiles(artifactsFolder: string, appsFolder: string) {
  const apps = await readdir(appsFolder).catch(() => []);
  const artifacts = await listArtifacts(artifactsFolder).next();
  const full = apps.length > 0 ? appsFolder : artifacts.done === false ? artifactsFolder : undefined;
  if (full === undefined) return;
  throw new BackupRefusal(`${full} is not empty. Restore into a new data folder (--data), or move it away.`);
}

/** Without the key, every secret in the database would be lost: nothing is restored beside another one. */
async function requireMasterKey({ masterKey, dataFolder }: Config, manifest: Manifest): Promise<void> {
  const expected = Object.entries(manifest.master_key_fingerprints);
  const file = join(dataFolder, "master-key");
  const remedy = `Set SLIPWAY_MASTER_KEY to the key of the service that was backed up, or copy its master-key to ${file}.`;
  const hasFile = await access(file).then(
    () => true,
    () => false,
  );
  if (masterKey === undefined && !hasFile)
    throw new BackupRefusal(`The master key is missing; a backup does not contain it. ${remedy}`);
  const ours = (await loadKeyring({ variable: masterKey, file })).fingerprints();
  const newest = expected.at(-1)?.[0];
  const differing = expected.find(([version, fingerprint]) => {
    const own = ours.get(Number(version))?.toString("hex");
    return own === undefined ? version === newest : own !== fingerprint;
  });
  if (differing !== undefined)
    throw new BackupRefusal(`The master key of version ${differing[0]} is not the one of the backup. ${remedy}`);
}

/** A folder with nothing but the key was made for us, though it lacks the mark of a data folder. */
async function takeKeyFolder(dataFolder: string): Promise<void> {
  const names = await readdir(dataFolder).catch(() => []);
  if (names.length === 1 && names[0] === "master-key")
    await writeFile(join(dataFolder, ".gitignore"), "", { mode: 0o600 });
}

function idOf({ created_at, host }: Manifest): string {
  return `${host} ${created_at}\n`;
}
