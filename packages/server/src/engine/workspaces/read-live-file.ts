import { constants } from "node:fs";
import { type FileHandle, open, readlink, realpath } from "node:fs/promises";
import { join, sep } from "node:path";

/** A file of a folder in which somebody may be at work. */
export type LiveFile =
  | { readonly is: "folder_missing" }
  | { readonly is: "missing" }
  /** Without content: it is larger than was asked for. */
  | { readonly is: "file"; readonly sizeBytes: number; readonly content: Buffer | undefined };

/** Whether a path names something below a folder, and nothing else: not by climbing, not absolute, no part of git's own. */
function isInnerPath(path: string): boolean {
  const isPart = (part: string) => !["", ".", ".."].includes(part) && part.toLowerCase() !== ".git";
  return !path.includes("\0") && path.split("/").every(isPart);
}

/**
 * Reads a file of a tree whose owner may change it at any moment, links included. What counts is where the file lies that
 * was opened, and not what the path led to before: nothing outside of the tree is ever read.
 */
export async function readLiveFile(tree: string, path: string, maxBytes: number): Promise<LiveFile> {
  const root = await realpath(tree).catch(() => undefined);
  if (root === undefined) return { is: "folder_missing" };
  if (!isInnerPath(path)) return { is: "missing" };
  const place = await realpath(join(root, path)).catch(() => undefined);
  if (place === undefined || !place.startsWith(root + sep)) return { is: "missing" };
  // A pipe must not hold us up, and a link that has just been put there must not be followed.
  const flags = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;
  const handle = await open(place, flags).catch(() => undefined);
  if (handle === undefined) return { is: "missing" };
  try {
    const found = await handle.stat();
    if (!found.isFile() || !(await liesIn(root, place, handle))) return { is: "missing" };
    const content = found.size > maxBytes ? undefined : await readUpTo(handle, maxBytes);
    return { is: "file", sizeBytes: content?.length ?? found.size, content };
  } finally {
    await handle.close();
  }
}

/** A folder on the way may have become a link between looking and opening. */
async function liesIn(root: string, place: string, handle: FileHandle): Promise<boolean> {
  const opened = await readlink(`/proc/self/fd/${handle.fd}`).catch(() => realpath(place).catch(() => ""));
  return opened.startsWith(root + sep);
}

/** It may grow while it is read. */
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
