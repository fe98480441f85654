import { randomUUID } from "node:crypto";
import { constants } from "node:fs";
import { chmod, chown, type FileHandle, mkdir, open, rename, rm, stat } from "node:fs/promises";
import { dirname } from "node:path";
import { PathRefusal } from "./path-refusal.ts";

const maxBytes = 2 * 1024 * 1024;

/** The whole text of a file; refuses a path that is not a file, too large or not text. The path has no links. */
export async function readText(path: string, shown: string): Promise<string> {
  const file = await openFile(path, shown);
  try {
    const found = await file.stat();
    if (!found.isFile()) throw new PathRefusal(`'${shown}' is not a file.`);
    if (found.size > maxBytes) throw new PathRefusal(`'${shown}' is larger than ${maxBytes} bytes.`);
    const bytes = await file.readFile();
    if (bytes.includes(0)) throw new PathRefusal(`'${shown}' is not text.`);
    return bytes.toString("utf8");
  } finally {
    await file.close();
  }
}

async function openFile(path: string, shown: string): Promise<FileHandle> {
  try {
    // A pipe would block us, and a link may have appeared since the path was checked.
    return await open(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  } catch (error) {
    throw new PathRefusal(`'${shown}' cannot be read (${(error as NodeJS.ErrnoException).code}).`);
  }
}

export async function writeText(folder: string, path: string, text: string): Promise<void> {
  if (Buffer.byteLength(text) > maxBytes) throw new PathRefusal(`The content is larger than ${maxBytes} bytes.`);
  await writeFileIn(folder, path, text);
}

/** Writes a file by replacing it, so that nothing is written through a link or a hard link elsewhere. */
export async function writeFileIn(folder: string, path: string, content: string | Buffer): Promise<void> {
  const before = await stat(path).catch(() => undefined);
  if (before !== undefined && !before.isFile()) throw new PathRefusal("It is not a file.");
  const owner = await stat(folder);
  const temporary = `${path}.${randomUUID()}`;
  try {
    const made = await mkdir(dirname(path), { recursive: true });
    await handOver(made, dirname(path), owner);
    const file = await open(temporary, "wx", 0o644);
    try {
      await file.writeFile(content);
    } finally {
      await file.close();
    }
    if (before !== undefined) await chmod(temporary, before.mode & 0o777);
    await handOver(temporary, temporary, owner);
    await rename(temporary, path);
  } catch (error) {
    await rm(temporary, { force: true });
    throw new PathRefusal(`It cannot be written (${(error as NodeJS.ErrnoException).code}).`);
  }
}

/** Gives what root makes here to the folder's owner: the agent's own programs must be able to change it. */
async function handOver(first: string | undefined, last: string, { uid, gid }: { uid: number; gid: number }) {
  if (first === undefined || process.getuid?.() !== 0) return;
  for (let path = last; path.length >= first.length; path = dirname(path)) await chown(path, uid, gid);
}
