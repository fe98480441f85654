import { constants } from "node:fs";
import { type FileHandle, open, readlink, realpath } from "node:fs/promises";
import { join, sep } from "node:path";

/** A file of a folder in which an agent may be working. */
export type LiveFile =
  | { readonly is: "folder_missing" }
  | { readonly is: "missing" }
  /** Content is undefined for a file that is larger than asked for. */
  | { readonly is: "file"; readonly sizeBytes: number; readonly content: Buffer | undefined };

/** Whether a path stays below its folder: not absolute, no `..`, nothing of git's own. */
function isInnerPath(path: string): boolean {
  const isPart = (part: string) => !["", ".", ".."].includes(part) && part.toLowerCase() !== ".git";
  return !path.includes("\0") && path.split("/").every(isPart);
}

/**
 * Reads a file of a tree that an agent may change at any moment, links included. It checks where the opened file lies,
 * not where the path led before: nothing outside of the tree is ever read.
 */
export async function readLiveFile(tree: string, path: string, maxBytes: number): Promise<LiveFile> {
  const root = await realpath(tree).catch(() => undefined);
  if (root === undefined) return { is: "folder_missing" };
  if (!isInnerPath(path)) return { is: "missing" };
  const file = await realpath(join(root, path)).catch(() => undefined);
  if (file === undefined || !file.startsWith(root + sep)) return { is: "missing" };
  // Opening a pipe must not block, and a link that was just put there must not be followed.
  const flags = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;
  const handle = await open(file, flags).catch(() => undefined);
  if (handle === undefined) return { is: "missing" };
  try {
    const found = await handle.stat();
    if (!found.isFile() || !(await liesIn(root, file, handle))) return { is: "missing" };
    const content = found.size > maxBytes ? undefined : await readUpTo(handle, maxBytes);
    return { is: "file", sizeBytes: content?.length ?? found.size, content };
  } finally {
    await handle.close();
  }
}

/** A folder on the way may have become a link between the check and the open. */
async function liesIn(root: string, file: string, handle: FileHandle): Promise<boolean> {
  const opened = await readlink(`/proc/self/fd/${handle.fd}`).catch(() => realpath(file).catch(() => ""));
  return opened.startsWith(root + sep);
}

/** Reads at most `maxBytes`: the file may grow meanwhile. */
async function readUpTo(handle: FileHandle, maxBytes: number): Promise<Buffer | undefined> {
  const { size } = await handle.stat();
  const buffer = Buffer.alloc(Math.min(size, maxBytes) + 1);
  let length = 0;
  for (;;) {
    const { bytesRead } = await handle.read(buffer, length, buffer.length - length, length);
    length += bytesRead;
    if (bytesRead === 0 || length === buffer.length) break;
  }
  return length > maxBytes ? undefined : buffer.subarray(0, length);
}
