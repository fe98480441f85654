import { access, lstat, mkdir, readdir, readFile, rename, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { readHostId } from "../../deployment/index.ts";
import type { LeftOut } from "../../platform/archive/index.ts";
import type { Clock } from "../../platform/clock.ts";
import { count } from "../../platform/count.ts";
import { processExists } from "../../platform/process/index.ts";
import { removeFolder } from "../../platform/remove-folder.ts";
import { createSandbox } from "../../platform/sandbox/index.ts";
import type { Config } from "../config.ts";
import { readOwnMigrations } from "../open-database.ts";
import { requireWholeFolder } from "../restore-mark.ts";
import { BackupRefusal, explainFailure } from "./backup-refusal.ts";
import { copyArtifacts, tellLostArtifacts } from "./copy-artifacts.ts";
import { copyDatabase } from "./copy-database.ts";
import { syncFolder, writeDurably } from "./durable-file.ts";
import { leftOutList } from "./left-out-list.ts";
import { type Manifest, manifestName, type SavedApp } from "./manifest.ts";
import { appsFolderOf, type OpenedFolder, withOpenFolder } from "./open-folder.ts";
import { hasSameMigrations, ownTables } from "./own-tables.ts";
import { packApp } from "./pack-apps.ts";
import type { Progress } from "./progress.ts";
import { selectDeployed, selectDigests, selectKeyFingerprints, selectTables } from "./tables-store.ts";

interface Deps {
  readonly config: Config;
  readonly clock: Clock;
  readonly version: string;
  readonly progress: Progress;
  readonly signal: AbortSignal;
}

/** Its process while it is not finished. */
const processName = "process";

/** Makes a backup of a data folder, also while its service runs; the folder appears when the backup is whole. */
export async function createBackup(deps: Deps, target: string): Promise<Manifest> {
  await requireData(deps.config);
  await requireWholeFolder(deps.config.dataFolder);
  const partial = `${target}.partial`;
  await takePlace(target, partial).catch((error: unknown) => {
    throw explainFailure(error, target);
  });
  try {
    const manifest = await withOpenFolder(deps.config, { isAlone: false }, (opened) => fill(deps, opened, partial));
    await writeDurably(join(partial, manifestName), [Buffer.from(`${JSON.stringify(manifest, null, 2)}\n`)]);
    await removeFolder(join(partial, processName));
    await syncFolder(partial);
    await rename(partial, target);
    await syncFolder(dirname(target));
    return manifest;
  } catch (error) {
    // It may be what filled the disk.
    await removeFolder(partial).catch(() => undefined);
    deps.signal.throwIfAborted();
    throw explainFailure(error, target);
  }
}

async function fill(deps: Deps, { openSession }: OpenedFolder, partial: string): Promise<Manifest> {
  const { config, clock, version, progress } = deps;
  const session = await openSession();
  const migrations = await readOwnMigrations();
  if (!(await hasSameMigrations(session, migrations)))
    throw new BackupRefusal(
      "The database is of another version of Slipway. Use the 'slipway' of the service, or start this version once.",
    );
  const left = leftOutList();
  await session.query("begin isolation level repeatable read, read only");
  const tables = await selectTables(session, ownTables(migrations));
  const database = await copyDatabase(session, tables, partial, progress);
  const fingerprints = await selectKeyFingerprints(session);
  const deployed = await selectDeployed(session);
  const digests = await selectDigests(session);
  await session.query("commit");
  // After the database: what it refers to is there, and what came later does no harm.
  const artifacts = config.artifacts.s3 === undefined ? await saveArtifacts(deps, digests, partial, left.add) : null;
  const host = await readHostId(config.dataFolder, clock.now().getTime());
  const apps = await saveApps(
    deps,
    deployed.filter((one) => one.host === host),
    partial,
    left.add,
  );
  const elsewhere = deployed.length - deployed.filter((one) => one.host === host).length;
  return {
    ...{ format: 1, slipway_version: version, created_at: clock.now().toISOString() },
    migrations: migrations.map(({ name, checksum }) => ({ name, checksum })),
    master_key_fingerprints: fingerprints,
    ...{ data_folder: config.dataFolder, host, ...database, artifacts, apps },
    left_out: left.texts,
    not_included: [
      `The master key: keep ${config.masterKey === undefined ? join(config.dataFolder, "master-key") : "SLIPWAY_MASTER_KEY"} apart.`,
      "Tokens in files (admin-token), the config file and plugins.",
      ...(artifacts === null ? ["Artifacts: they are in the S3 bucket."] : []),
      ...(elsewhere > 0 ? [`Files of ${count(elsewhere, "deployment")} on other nodes.`] : []),
    ],
  };
}

async function saveArtifacts(
  { config, progress }: Deps,
  digests: readonly string[],
  partial: string,
  onLeftOut: (left: LeftOut) => void,
) {
  const copied = await copyArtifacts(config.artifactsFolder, join(partial, "artifacts"), progress);
  tellLostArtifacts(copied, digests, onLeftOut);
  return { count: copied.digests.size, bytes: copied.bytes };
}

async function saveApps(
  { config, progress, signal }: Deps,
  deployed: readonly { readonly id: string; readonly release_id: string | null }[],
  partial: string,
  onLeftOut: (left: LeftOut) => void,
): Promise<SavedApp[]> {
  if (deployed.length === 0) return [];
  // A part of its own: the service's sweep must not end our programs.
  const sandbox = await createSandbox({ mode: config.sandbox, dataFolder: config.dataFolder, part: "backup" });
  const apps: SavedApp[] = [];
  const sealedCopies = new Map<string, string>();
  for (const { id: deploymentId, release_id: live } of deployed) {
    const place = { appsFolder: appsFolderOf(config), deploymentId };
    const app = await packApp({ sandbox, signal, progress, onLeftOut, sealedCopies }, place, partial);
    if (app !== undefined) apps.push(app);
    // Somebody may have removed the deployment since the database was copied, also while it was packed.
    if (live !== null && !(await exists(join(place.appsFolder, deploymentId, "releases", live))))
      onLeftOut({ path: `apps/${deploymentId}/releases/${live}`, reason: "is missing", isLoss: true });
  }
  return apps;
}

/** A command with a wrong `--data` would otherwise make a database, and a backup of nothing. */
async function requireData({ databaseUrl, dataFolder }: Config): Promise<void> {
  const place = databaseUrl === undefined ? join(dataFolder, "postgres") : dataFolder;
  await access(place).catch(() => {
    throw new BackupRefusal(
      `There is no service's data in ${dataFolder}. Name its folder with --data or SLIPWAY_DATA.`,
    );
  });
}

/** Makes the unfinished folder; one that a dead backup left is replaced. */
async function takePlace(target: string, partial: string): Promise<void> {
  if (await exists(target))
    throw new BackupRefusal(`${target} exists already. Name a new folder: a backup never replaces another.`);
  if (await exists(partial)) {
    const names = await readdir(partial);
    const pid = names.includes(processName) ? Number(await readFile(join(partial, processName), "utf8")) : 0;
    if (pid > 0 && pid !== process.pid && processExists(pid))
      throw new BackupRefusal(`The process ${pid} is making this backup already, in ${partial}.`);
    if (names.length > 0 && !names.includes(processName) && !names.includes(manifestName))
      throw new BackupRefusal(`${partial} is not an unfinished backup. Remove it, or name another folder.`);
    await removeFolder(partial);
  }
  await mkdir(dirname(target), { recursive: true });
  await mkdir(partial, { mode: 0o700 });
  try {
    await writeFile(join(partial, processName), `${process.pid}\n`, { mode: 0o600 });
  } catch (error) {
    await removeFolder(partial).catch(() => undefined);
    throw error;
  }
}

/** Also a link that leads nowhere: no folder can take its place. */
async function exists(path: string): Promise<boolean> {
  return lstat(path).then(
    () => true,
    () => false,
  );
}
