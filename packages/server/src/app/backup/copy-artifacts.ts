import { createReadStream } from "node:fs";
import { readdir, rm } from "node:fs/promises";
import { join } from "node:path";
import type { LeftOut } from "../../platform/archive/index.ts";
import { diskFault } from "../../platform/disk-fault.ts";
import { writeDurably } from "./durable-file.ts";
import type { Progress } from "./progress.ts";

interface CopiedArtifacts {
  readonly digests: ReadonlySet<string>;
  readonly bytes: number;
  /** Those whose bytes are not what their name says. */
  readonly damaged: readonly string[];
  /** Those that the disk cannot read, and folders of them, with the reason. */
  readonly unreadable: ReadonlyMap<string, string>;
}

/** Copies the artifacts of one folder into another, and compares each with its digest. */
export async function copyArtifacts(from: string, to: string, progress: Progress): Promise<CopiedArtifacts> {
  const digests = new Set<string>();
  const damaged: string[] = [];
  const unreadable = new Map<string, string>();
  let bytes = 0;
  for await (const digest of listArtifacts(from, (folder, fault) => unreadable.set(folder, fault))) {
    progress(`Copying artifacts: ${digests.size}.`);
    const place = artifactFile(to, digest);
    let whyNotRead: unknown;
    const read = readArtifact(artifactFile(from, digest), (error) => {
      whyNotRead = error;
    });
    const copied = await writeDurably(place, read).catch(async (error: NodeJS.ErrnoException) => {
      // The same words may come from the disk of the backup, which ends it.
      const fault = error === whyNotRead ? diskFault(error) : undefined;
      if (fault !== undefined) unreadable.set(digest, fault);
      else if (error.code !== "ENOENT") throw error;
      // Otherwise nobody needed it any more, and it was removed meanwhile.
      await rm(place, { force: true });
      return undefined;
    });
    if (copied === undefined) continue;
    if (copied.digest !== digest) damaged.push(digest);
    digests.add(digest);
    bytes += copied.bytes;
  }
  return { digests, bytes, damaged, unreadable };
}

async function* readArtifact(file: string, onFailure: (error: unknown) => void): AsyncGenerator<Uint8Array> {
  try {
    yield* createReadStream(file, { highWaterMark: 1 << 20 });
  } catch (error) {
    onFailure(error);
    throw error;
  }
}

/** Tells what is wrong with the artifacts that were copied, and which of those that the database counts on are not there. */
export function tellLostArtifacts(
  { digests, damaged, unreadable }: Omit<CopiedArtifacts, "bytes">,
  needed: readonly string[],
  onLeftOut: (left: LeftOut) => void,
): void {
  for (const digest of damaged)
    onLeftOut({ path: `artifacts/${digest}`, reason: "is damaged: its bytes have changed", isLoss: true });
  for (const [path, reason] of unreadable) onLeftOut({ path: `artifacts/${path}`, reason, isLoss: true });
  for (const digest of needed)
    if (!digests.has(digest) && !unreadable.has(digest))
      onLeftOut({ path: `artifacts/${digest}`, reason: "is missing", isLoss: true });
}

/** The digests of the artifacts in a folder, which may be missing; without `onFault`, one that cannot be read ends it. */
export async function* listArtifacts(
  folder: string,
  onFault?: (folder: string, fault: string) => void,
): AsyncGenerator<string> {
  const orNone = (path: string) => (error: unknown) => {
    const fault = diskFault(error);
    if (fault === undefined || onFault === undefined) throw error;
    onFault(path, fault);
    return [];
  };
  for (const start of await namesIn(folder).catch(orNone(".")))
    if (/^[0-9a-f]{2}$/.test(start))
      for (const rest of await namesIn(join(folder, start)).catch(orNone(start)))
        if (/^[0-9a-f]{62}$/.test(rest)) yield start + rest;
}

async function namesIn(folder: string): Promise<string[]> {
  return readdir(folder).catch((error: NodeJS.ErrnoException) => {
    if (error.code === "ENOENT") return [];
    throw error;
  });
}

function artifactFile(folder: string, digest: string): string {
  return join(folder, digest.slice(0, 2), digest.slice(2));
}
