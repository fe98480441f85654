import { createHash } from "node:crypto";
import { link, mkdir, open, rename, rm } from "node:fs/promises";
import { basename, dirname } from "node:path";
import { pipeline } from "node:stream/promises";
import { packFolder, unpackFolder } from "../platform/archive/index.ts";
import { openProjectFile } from "../platform/project-files/index.ts";
import { SecretFinder } from "../platform/secrets/index.ts";

/**
 * Keeps the files of a version as they were built, before anything of it runs: programs may change their folder, and what
 * they write in one environment must not reach another. Returns the digest, which is the same for the same files.
 */
export async function sealFiles(folder: string, file: string, signal: AbortSignal): Promise<string> {
  await mkdir(dirname(file), { recursive: true, mode: 0o700 });
  const hash = createHash("sha256");
  const packed = packFolder(folder, { leavesOut: (name) => name === ".git", signal });
  // Never in place: the file may have a second name in another environment.
  const unfinished = `${file}.new`;
  await rm(unfinished, { force: true });
  // Opened here: a stream that is ended before it has opened its file would make it after we have removed it.
  const opened = await open(unfinished, "wx", 0o600);
  try {
    await pipeline(hashed(packed, hash), opened.createWriteStream(), { signal });
    await rename(unfinished, file);
  } catch (error) {
    await rm(unfinished, { force: true });
    throw error;
  }
  return hash.digest("hex");
}

/** Whether sealed files hold one of these values: a build may have written it there. Then they are removed. */
export async function holdsSecret(file: string, values: readonly string[]): Promise<boolean> {
  const finder = new SecretFinder(values);
  if (finder.isIdle || (await finder.findIn(chunksOf(file))).size === 0) return false;
  await rm(file, { force: true });
  return true;
}

/** Unpacks sealed files into a new folder; says why not if they are not those that were sealed. */
export async function unsealFiles(
  file: string,
  { digest, folder, signal }: { readonly digest: string; readonly folder: string; readonly signal: AbortSignal },
): Promise<string | undefined> {
  const hash = createHash("sha256");
  await mkdir(folder, { recursive: true, mode: 0o700 });
  // Git's own were left out; what only other systems take for them is a file like any other.
  await unpackFolder(hashed(chunksOf(file, signal), hash), folder, { hasRepositories: true });
  return hash.digest("hex") === digest ? undefined : "The files that were kept of the version are damaged.";
}

/** Gives sealed files a second name, without a copy: nobody ever writes to them. False if they are gone. */
export async function linkSealed(from: string, to: string): Promise<boolean> {
  await mkdir(dirname(to), { recursive: true, mode: 0o700 });
  await rm(to, { force: true });
  return link(from, to).then(
    () => true,
    (error: NodeJS.ErrnoException) => {
      if (error.code === "ENOENT") return false;
      throw error;
    },
  );
}

/** Without a sandbox, programs of the version can put a pipe in its place, for which the service would wait for ever. */
async function* chunksOf(file: string, signal?: AbortSignal): AsyncGenerator<Uint8Array> {
  const opened = await openProjectFile(dirname(file), basename(file), { maxBytes: Number.POSITIVE_INFINITY, signal });
  try {
    yield* opened.chunks();
  } finally {
    await opened.close();
  }
}

async function* hashed(
  chunks: AsyncIterable<Uint8Array>,
  hash: ReturnType<typeof createHash>,
): AsyncGenerator<Uint8Array> {
  for await (const chunk of chunks) {
    hash.update(chunk);
    yield chunk;
  }
}
