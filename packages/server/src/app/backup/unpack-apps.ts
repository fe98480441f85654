import { createReadStream } from "node:fs";
import { mkdir, symlink } from "node:fs/promises";
import { join } from "node:path";
import { createGunzip } from "node:zlib";
import { type LeftOut, unpackFolder } from "../../platform/archive/index.ts";
import { oneLine } from "../../platform/one-line.ts";
import { BackupRefusal } from "./backup-refusal.ts";
import { type SealedCopies, unpackSealed } from "./copy-sealed.ts";
import type { SavedApp } from "./manifest.ts";
import { appFolder, dataFile, releaseFile, sealedFile } from "./pack-apps.ts";
import type { Progress } from "./progress.ts";

interface Place {
  readonly backup: string;
  readonly appsFolder: string;
  readonly progress: Progress;
  readonly sealedCopies: SealedCopies;
  /** Called for what cannot be written at this place. */
  readonly onLeftOut: (left: LeftOut) => void;
}

/** Unpacks the files of a deployment. They belong to whoever does it; the sandbox gives them to the program's account. */
export async function unpackApp(
  { deployment_id, releases, sealed = [], current, has_data }: SavedApp,
  { backup, appsFolder, progress, sealedCopies, onLeftOut }: Place,
): Promise<void> {
  const from = appFolder(backup, deployment_id);
  const to = join(appsFolder, deployment_id);
  const unpack = async (file: string, tree: string) => {
    progress(`Unpacking ${deployment_id}/${tree}.`);
    const folder = join(to, tree);
    await mkdir(folder, { recursive: true, mode: 0o700 });
    const shown = `apps/${deployment_id}/${tree}`;
    await unpackTree(join(from, file), folder, ({ path, ...left }) =>
      onLeftOut({ path: `${shown}/${oneLine(path, 200)}`, ...left }),
    );
  };
  if (has_data) await unpack(dataFile, "data");
  for (const release of releases) await unpack(releaseFile(release), `releases/${release}`);
  for (const release of sealed) {
    progress(`Unpacking ${deployment_id}/sealed/${release}.`);
    const place = join(to, "sealed", `${release}.tar`);
    await unpackSealed(sealedCopies, { file: join(from, sealedFile(release)), place });
  }
  if (current !== null) await symlink(`releases/${current}`, join(to, "current"));
}

async function unpackTree(file: string, folder: string, onLeftOut: Place["onLeftOut"]): Promise<void> {
  const gzipped = createReadStream(file);
  const archive = createGunzip();
  gzipped.on("error", (error) => archive.destroy(error));
  try {
    await unpackFolder(gzipped.pipe(archive), folder, { hasRepositories: true, hasHardLinks: true, onLeftOut });
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    if (code === "ENOSPC" || code === "EDQUOT") throw error;
    throw new BackupRefusal(`${file} cannot be unpacked: ${message} Restore another backup.`, { cause: error });
  } finally {
    gzipped.destroy();
  }
}
