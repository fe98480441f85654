import { posix } from "node:path";
import { pipeline } from "node:stream/promises";
import { createGzip } from "node:zlib";
import { packFolder } from "../../platform/archive/index.ts";
import { leavingLinks } from "../../platform/git/index.ts";
import {
  FileRefusal,
  readProjectLink,
  removeProjectFile,
  walkProjectFiles,
  writeProjectFile,
} from "../../platform/project-files/index.ts";
import { SecretFinder } from "../../platform/secrets/index.ts";
import { freePlace } from "./read-result.ts";
import type { PublishFailure, ReleaseToPublish } from "./release.ts";

/** An artifact of this size can still be stored; the whole archive is in memory while it is packed. */
export const maxPackedBytes = 64 * 1024 * 1024;
/** What compresses to less than that and is larger than this was made to fill somebody's disk. */
const maxUnpackedBytes = 512 * 1024 * 1024;

interface ArchiveOptions {
  /** The folder whose content it holds, from the release's folder on. */
  readonly root?: string;
  /** Its name; at the top of the release, unless the result has a file of this name itself. */
  readonly name: string;
  /** Whether the program needs its installed packages to run. */
  readonly hasPackages?: boolean;
}

/** Packs the files of a release into a gzipped tar archive in its folder, and says where; or why it cannot be. */
export async function packArchive(
  release: ReleaseToPublish,
  { name, ...further }: ArchiveOptions,
): Promise<{ readonly path: string } | PublishFailure> {
  const path = await freePlace(release, name);
  const options = { ...further, path };
  try {
    return (await pack(release, options)) ?? { path };
  } catch (error) {
    // Packages are often larger than anything else, and whoever unpacks the archive can install them.
    const isTooLarge = error instanceof FileRefusal && error.code === "too_large";
    if (!isTooLarge || options.hasPackages !== true) throw error;
    return (await pack(release, { ...options, hasPackages: false })) ?? { path };
  }
}

async function pack(
  { folder, signal, secrets = {} }: ReleaseToPublish,
  { root = ".", path, hasPackages = false }: Omit<ArchiveOptions, "name"> & { readonly path: string },
): Promise<PublishFailure | undefined> {
  await removeProjectFile(folder, path, { signal });
  const leftOut = [".git", "__pycache__", ...(hasPackages ? [] : ["node_modules"])];
  const leavesOut = (name: string) => leftOut.includes(name);
  const place = posix.join(folder, root);
  const leaving = await findLeaving(place, leavesOut, signal);
  const options = { leavesOut, keepsLink: (link: string) => !leaving.has(link), maxFileBytes: maxUnpackedBytes };
  const files = () => bounded(packFolder(place, options), path, signal);
  const finder = new SecretFinder(Object.values(secrets));
  if (!finder.isIdle && (await finder.findIn(files())).size > 0) return secretFound;
  const chunks: Uint8Array[] = [];
  await pipeline(files(), createGzip(), async (packed) => {
    let size = 0;
    for await (const chunk of packed as AsyncIterable<Uint8Array>) {
      size += chunk.length;
      if (size > maxPackedBytes) throw tooLarge(path);
      chunks.push(chunk);
    }
  });
  await writeProjectFile(folder, path, Buffer.concat(chunks), { signal, isExecutable: false });
  return undefined;
}

/** Passes chunks of what is in an archive on, up to a limit for all of them. */
export async function* bounded(
  chunks: AsyncIterable<Uint8Array>,
  path: string,
  signal: AbortSignal,
): AsyncGenerator<Uint8Array> {
  let size = 0;
  for await (const chunk of chunks) {
    signal.throwIfAborted();
    size += chunk.length;
    if (size > maxUnpackedBytes) throw tooLarge(path);
    yield chunk;
  }
}

function tooLarge(path: string): FileRefusal {
  const limit = `${maxPackedBytes / 2 ** 20} MiB packed and ${maxUnpackedBytes / 2 ** 20} MiB unpacked`;
  return new FileRefusal(
    "too_large",
    path,
    `is too large: at most ${limit}. Keep what a build leaves behind out of it.`,
  );
}

/** Links that leave the archive, also by way of others, would lead to somebody's own files where it is unpacked. */
async function findLeaving(
  folder: string,
  leavesOut: (name: string) => boolean,
  signal: AbortSignal,
): Promise<ReadonlySet<string>> {
  const links = new Map<string, string>();
  for await (const { path, kind } of walkProjectFiles(folder, { leavesOut, signal }))
    if (kind === "link") links.set(path, await readProjectLink(folder, path, { signal }));
  return new Set(await Array.fromAsync(leavingLinks(links)));
}

/** Why a release with a secret in it is refused. */
export const secretFound: PublishFailure = {
  failure: "The release contains the value of a secret, so it is not published. Keep secrets out of what scripts make.",
  output: "",
};
