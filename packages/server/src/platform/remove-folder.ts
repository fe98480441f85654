import { execFile } from "node:child_process";
import { constants, type Dirent } from "node:fs";
import { lstat, open, opendir, rm, rmdir, unlink } from "node:fs/promises";
import { platform } from "node:process";
import { promisify } from "node:util";
import { stuckFileCalls } from "./project-files/index.ts";

const run = promisify(execFile);

/** Of more entries, or deeper, a program is quicker and holds up nobody. */
const maxEntries = 100;
const maxDepth = 20;

/**
 * Removes a folder, even with a million folders in it, with folders that are closed to their owner, or with paths longer
 * than the system accepts. A small one is removed here: to start a program copies the tables of all our memory. Others are
 * by a program: Node asks for everything in a folder at once, which holds up the event loop and all threads for seconds.
 * Either goes from folder to folder by short paths and follows no link.
 */
export async function removeFolder(path: string): Promise<void> {
  if (platform === "win32") return rm(path, { recursive: true, force: true });
  if (platform === "linux" && stuckFileCalls() === 0 && (await removeSmall(path))) return;
  const env = { PATH: process.env["PATH"], LC_ALL: "C" };
  await run("rm", ["-rf", "--", path], { env }).catch(async () => {
    // Root needs no right to remove. Who makes its `rm` fail still writes there, and may exchange what is opened for links.
    if (process.getuid?.() !== 0) await run("chmod", ["-R", "u+rwX", "--", path], { env }).catch(() => undefined);
    await run("rm", ["-rf", "--", path], { env });
  });
}

/** Whether it is gone; false where it is large or anything is odd about it, and then some of it may be left. */
async function removeSmall(path: string): Promise<boolean> {
  try {
    if (!(await emptyFolder(path, { entries: maxEntries }, maxDepth))) return false;
    await rmdir(path);
    return true;
  } catch {
    return lstat(path).then(
      () => false,
      ({ code }: NodeJS.ErrnoException) => code === "ENOENT",
    );
  }
}

const folderFlags = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK | constants.O_DIRECTORY;

/** Holds the folder open: its entries are removed from this very folder, whoever exchanges it for a link meanwhile. */
async function emptyFolder(path: string, budget: { entries: number }, depth: number): Promise<boolean> {
  if (depth === 0) return false;
  const folder = await open(path, folderFlags);
  try {
    const here = `/proc/self/fd/${folder.fd}`;
    const entries = await entriesOf(here, budget);
    if (entries === undefined) return false;
    for (const entry of entries) {
      const place = `${here}/${entry.name}`;
      if (!entry.isDirectory()) await unlink(place);
      else if (await emptyFolder(place, budget, depth - 1)) await rmdir(place);
      else return false;
    }
    return true;
  } finally {
    await folder.close();
  }
}

/** The entries of a folder; undefined where they are more than may be looked at. */
async function entriesOf(path: string, budget: { entries: number }): Promise<Dirent[] | undefined> {
  const entries: Dirent[] = [];
  for await (const entry of await opendir(path, { bufferSize: maxEntries })) {
    if (budget.entries === 0) return undefined;
    budget.entries -= 1;
    entries.push(entry);
  }
  return entries;
}
