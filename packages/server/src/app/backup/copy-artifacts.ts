import { createReadStream } from "node:fs";
import { readdir, rm } from "node:fs/promises";
import { join } from "node:path";
import type { LeftOut } from "../../platform/archive/index.ts";
import { writeDurably } from "./durable-file.ts";
import type { Progress } from "./progress.ts";

interface CopiedArtifacts {
  readonly digests: ReadonlySet<string>;
  readonly bytes: number;
  /** Those whose bytes are not what their name says. */
  readonly damaged: readonly string[];
}

/** Copies the artifacts of one folder into another, and compares each with its digest. */
export async function copyArtifacts(from: string, to: string, progress: Progress): Promise<CopiedArtifacts> {
  const digests = new Set<string>();
  const damaged: string[] = [];
  let bytes = 0;
  for await (const digest of listArtifacts(from)) {
    progress(`Copying artifacts: ${digests.size}.`);
    const place = artifactFile(to, digest);
    const copied = await writeDurably(
      place,
      createReadStream(artifactFile(from, digest), { highWaterMark: 1 << 20 }),
    ).catch(async (error: NodeJS.ErrnoException) => {
      if (error.code !== "ENOENT") throw error;
      // Nobody needed it any more, and it was removed meanwhile.
      await rm(place, { force: true });
      return undefined;
    });
    if (copied === undefined) continue;
    if (copied.digest !== digest) damaged.push(digest);
    digests.add(digest);
    bytes += copied.bytes;
  }
  return { digests, bytes, damaged };
}

/** Tells what is wrong with the artifacts that were copied, and which of those that the database counts on are not there. */
export function tellLostArtifacts(
  { digests, damaged }: Pick<CopiedArtifacts, "digests" | "damaged">,
  needed: readonly string[],
  onLeftOut: (left: LeftOut) => void,
): void {
  for (const digest of damaged)
    onLeftOut({ path: `artifacts/${digest}`, reason: "is damaged: its bytes have changed", isLoss: true });
  for (const digest of needed)
    if (!digests.has(digest)) onLeftOut({ path: `artifacts/${digest}`, reason: "is missing", isLoss: true });
}

/** The digests of the artifacts in a folder, which may be missing. */
export async function* listArtifacts(folder: string): AsyncGenerator<string> {
  for (const start of await namesIn(folder))
    if (/^[0-9a-f]{2}$/.test(start))
      for (const rest of await namesIn(join(folder, start))) if (/^[0-9a-f]{62}$/.test(rest)) yield start + rest;
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
