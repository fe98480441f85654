import { createHash } from "node:crypto";
import { FileRefusal, openProjectFile } from "../../platform/project-files/index.ts";

/** What is known of files at one moment, by their paths. */
export type FileDigests = ReadonlyMap<string, FileDigest>;

interface FileDigest {
  readonly digest: string;
  readonly bytes: number;
}

interface Where {
  readonly folder: string;
  readonly signal: AbortSignal;
}

/** What is larger is not accepted as a result. */
const maxBytes = 512 * 1024 ** 2;
const maxNamed = 5;

export async function digestsOf(paths: Iterable<string>, where: Where): Promise<FileDigests> {
  const found = new Map<string, FileDigest>();
  for (const path of paths) found.set(path, await digestOf(path, { ...where, maxBytes }));
  return found;
}

/** Those that are no longer what they were. */
export async function changedSince(digests: FileDigests, where: Where): Promise<readonly string[]> {
  const changed: string[] = [];
  for (const [path, { digest, bytes }] of digests) {
    // A larger one has changed, and may be so large that reading it would never end.
    const now = await digestOf(path, { ...where, maxBytes: bytes });
    if (now.digest !== digest) changed.push(path);
  }
  return changed;
}

/** The first few of them, for people. */
export function nameChanged(paths: Iterable<string>): string {
  const names = [...paths];
  return names.slice(0, maxNamed).join(", ") + (names.length > maxNamed ? ", …" : "");
}

/** Of a file that cannot be read: why, which may change as well. */
async function digestOf(
  path: string,
  { folder, ...options }: Where & { readonly maxBytes: number },
): Promise<FileDigest> {
  try {
    const file = await openProjectFile(folder, path, options);
    try {
      const hash = createHash("sha256");
      for await (const chunk of file.chunks()) hash.update(chunk);
      return { digest: hash.digest("hex"), bytes: file.sizeBytes };
    } finally {
      await file.close();
    }
  } catch (error) {
    if (error instanceof FileRefusal && error.code !== "stuck") return { digest: error.code, bytes: 0 };
    throw error;
  }
}
