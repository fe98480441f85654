import { createReadStream } from "node:fs";
import { link, mkdir, rm, stat } from "node:fs/promises";
import { dirname, join } from "node:path";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { createGunzip, createGzip } from "node:zlib";
import type { LeftOut } from "../../platform/archive/index.ts";
import { diskFault } from "../../platform/disk-fault.ts";
import { FileRefusal, listProjectFolder, openProjectFile } from "../../platform/project-files/index.ts";
import { BackupRefusal } from "./backup-refusal.ts";
import { writeDurably } from "./durable-file.ts";

/** Copies of files with several names, by what they are copies of: versions that were promoted share their files. */
export type SealedCopies = Map<string, string>;

interface PackDeps {
  readonly signal: AbortSignal;
  readonly onLeftOut: (left: LeftOut) => void;
  readonly copies: SealedCopies;
}

/**
 * Packs what a deployment keeps of its versions as they were built, for other environments, and names those versions. The
 * files are the service's own, and nobody ever writes to them.
 */
export async function packSealed(
  { signal, onLeftOut, copies }: PackDeps,
  { from, to, shown }: { readonly from: string; readonly to: string; readonly shown: string },
): Promise<string[]> {
  const packed: string[] = [];
  const none = (reason: string) => {
    onLeftOut({ path: shown, reason, isLoss: true });
    return [];
  };
  const entries = await listProjectFolder(from, ".").catch((error: unknown) => {
    const reason = whyLeftOut(error);
    if (reason === undefined) throw error;
    return isMissing(error) ? [] : none(reason);
  });
  for (const { name } of entries) {
    const [, release] = /^(\w+)\.tar$/.exec(name) ?? [];
    if (release === undefined) continue;
    const place = join(to, `${name}.gz`);
    let whyNotRead: unknown;
    const onNotRead = (error: unknown) => {
      whyNotRead = error;
    };
    try {
      await packOne(from, name, place, { signal, copies, onNotRead });
      packed.push(release);
    } catch (error) {
      // The same words may come from the disk of the backup, which ends it.
      const reason = error === whyNotRead ? whyLeftOut(error) : undefined;
      if (reason === undefined) throw error;
      await rm(place, { force: true });
      // Otherwise its version was removed meanwhile.
      if (!isMissing(error)) onLeftOut({ path: `${shown}/${name}`, reason, isLoss: true });
    }
  }
  return packed;
}

async function packOne(
  from: string,
  name: string,
  place: string,
  { signal, copies, onNotRead }: Pick<PackDeps, "signal" | "copies"> & { readonly onNotRead: (error: unknown) => void },
): Promise<void> {
  const noted = (error: unknown) => {
    onNotRead(error);
    throw error;
  };
  const file = await openProjectFile(from, name, { maxBytes: Number.POSITIVE_INFINITY, signal }).catch(noted);
  async function* chunks() {
    try {
      yield* file.chunks();
    } catch (error) {
      noted(error);
    }
  }
  try {
    if (await linkCopy(copies.get(file.identity), place)) return;
    const write = (bytes: AsyncIterable<Uint8Array>) => writeDurably(place, bytes);
    await pipeline(Readable.from(chunks()), createGzip({ level: 1 }), write, { signal });
    if (file.nameCount > 1) copies.set(file.identity, place);
  } finally {
    await file.close();
  }
}

/** Unpacks them again; those that share a file in the backup share one here. */
export async function unpackSealed(
  copies: SealedCopies,
  { file, place }: { readonly file: string; readonly place: string },
): Promise<void> {
  try {
    const { dev, ino, nlink } = await stat(file);
    const identity = `${dev}:${ino}`;
    if (await linkCopy(copies.get(identity), place)) return;
    await pipeline(createReadStream(file), createGunzip(), (bytes: AsyncIterable<Uint8Array>) =>
      writeDurably(place, bytes),
    );
    if (nlink > 1) copies.set(identity, place);
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    if (code === "ENOSPC" || code === "EDQUOT") throw error;
    throw new BackupRefusal(`${file} cannot be unpacked: ${message} Restore another backup.`, { cause: error });
  }
}

/** Gives a copy that is there already a second name; false where there is none, or the disk knows no such names. */
async function linkCopy(copy: string | undefined, place: string): Promise<boolean> {
  if (copy === undefined) return false;
  await mkdir(dirname(place), { recursive: true, mode: 0o700 });
  return link(copy, place).then(
    () => true,
    () => false,
  );
}

/** Undefined for an error that ends the backup, such as a full disk. */
function whyLeftOut(error: unknown): string | undefined {
  if (error instanceof FileRefusal && error.code !== "stuck") return error.message;
  return diskFault(error);
}

function isMissing(error: unknown): boolean {
  return error instanceof FileRefusal && error.code === "missing";
}
