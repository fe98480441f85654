import { lstat, readdir, readlink } from "node:fs/promises";
import { basename, join } from "node:path";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { createGzip } from "node:zlib";
import { type LeftOut, packLiveFolder } from "../../platform/archive/index.ts";
import { diskFault } from "../../platform/disk-fault.ts";
import { oneLine } from "../../platform/one-line.ts";
import { removeFolder } from "../../platform/remove-folder.ts";
import type { Sandbox } from "../../platform/sandbox/index.ts";
import { packSealed, type SealedCopies } from "./copy-sealed.ts";
import { copySqlite, isBesideDatabase, type SqliteCopies, usualLimits } from "./copy-sqlite.ts";
import { writeDurably } from "./durable-file.ts";
import type { SavedApp } from "./manifest.ts";
import { boundsOf } from "./pack-bounds.ts";
import type { Progress } from "./progress.ts";

interface Deps {
  readonly sandbox: Pick<Sandbox, "runCommand">;
  readonly signal: AbortSignal;
  readonly progress: Progress;
  readonly onLeftOut: (left: LeftOut) => void;
}

/**
 * Packs the versions and the data of a deployment, which may run meanwhile; undefined if it has no files here. Of what it
 * shares with others, `sealedCopies` knows where in the backup it is.
 */
export async function packApp(
  deps: Deps & { readonly sealedCopies: SealedCopies },
  { appsFolder, deploymentId }: { readonly appsFolder: string; readonly deploymentId: string },
  backup: string,
): Promise<SavedApp | undefined> {
  const from = join(appsFolder, deploymentId);
  const to = appFolder(backup, deploymentId);
  const foldersOf = (tree: string) =>
    foldersIn(join(from, tree)).catch((error: unknown) => {
      const reason = diskFault(error);
      if (reason === undefined) throw error;
      deps.onLeftOut({ path: `apps/${deploymentId}/${tree}`, reason, isLoss: true });
      return [] as string[];
    });
  const releases = (await foldersOf("releases")).filter((name) => /^\w+$/.test(name));
  const has_data = (await foldersOf(".")).includes("data");
  if (releases.length === 0 && !has_data) return undefined;
  // For all trees: each may be made to hold the backup up.
  let { togetherMs } = usualLimits;
  const pack = async (tree: string, file: string) => {
    deps.progress(`Packing ${deploymentId}/${tree}.`);
    togetherMs -= await packTree(
      deps,
      { folder: join(from, tree), account: deploymentId, shown: `apps/${deploymentId}/${tree}`, togetherMs },
      join(to, file),
    );
  };
  if (has_data) await pack("data", dataFile);
  for (const release of releases) await pack(`releases/${release}`, releaseFile(release));
  const sealed = await packSealed(
    { ...deps, copies: deps.sealedCopies },
    { from: join(from, "sealed"), to: join(to, "sealed"), shown: `apps/${deploymentId}/sealed` },
  );
  const target = await readlink(join(from, "current")).catch(() => undefined);
  const current = target === undefined ? "" : basename(target);
  const isKept = releases.includes(current);
  return { deployment_id: deploymentId, releases, sealed, current: isKept ? current : null, has_data };
}

export const dataFile = "data.tar.gz";

export function releaseFile(release: string): string {
  return `releases/${release}.tar.gz`;
}

/** Where the files of a release are kept as they were built. */
export function sealedFile(release: string): string {
  return `sealed/${release}.tar.gz`;
}

export function appFolder(backup: string, deploymentId: string): string {
  return join(backup, "apps", deploymentId);
}

interface Tree {
  readonly folder: string;
  readonly account: string;
  /** What messages call it. */
  readonly shown: string;
  /** How long its databases may hold the backup up. */
  readonly togetherMs: number;
}

/** Returns how long its databases have held the backup up. */
async function packTree(deps: Deps, { folder, account, shown, togetherMs }: Tree, file: string): Promise<number> {
  const onLeftOut = ({ path, ...left }: LeftOut) => deps.onLeftOut({ path: `${shown}/${oneLine(path, 200)}`, ...left });
  const scratch = `${file}.databases`;
  const { maxBytes, maxEntries } = await boundsOf(folder, deps.signal);
  const { copies, failures, waitedMs }: SqliteCopies = (await wasRun(folder))
    ? await copySqlite(deps, { folder, account, maxEntries }, scratch, { ...usualLimits, togetherMs })
    : { copies: new Map(), failures: new Map(), waitedMs: 0 };
  for (const [path, reason] of failures) onLeftOut({ path, reason: `cannot be copied (${reason})`, isLoss: true });
  const replaced = (path: string) => {
    const copy = copies.get(path);
    if (copy !== undefined) return { root: scratch, path: copy };
    return failures.has(path) || isBesideDatabase(path, copies) ? null : undefined;
  };
  const archive = Readable.from(packLiveFolder(folder, { onLeftOut, replaced, maxBytes }));
  const write = (bytes: AsyncIterable<Uint8Array>) => writeDurably(file, bytes);
  await pipeline(archive, createGzip({ level: 1 }), write, { signal: deps.signal });
  await removeFolder(scratch);
  return waitedMs;
}

/** What still belongs to root was never given to a program, so that nothing writes there. */
async function wasRun(folder: string): Promise<boolean> {
  if (process.getuid?.() !== 0) return true;
  // What is gone by now, or what the disk cannot read, is told when it is packed.
  const found = await lstat(folder).catch(() => undefined);
  return found?.uid !== 0;
}

async function foldersIn(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { withFileTypes: true }).catch((error: NodeJS.ErrnoException) => {
    if (error.code === "ENOENT") return [];
    throw error;
  });
  return entries.filter((entry) => entry.isDirectory()).map(({ name }) => name);
}
