import { once } from "node:events";
import { constants, type Dirent } from "node:fs";
import { lstat, open, opendir, rm, rmdir, unlink } from "node:fs/promises";
import { platform } from "node:process";
import { spawnProgram } from "./process/index.ts";
import { FileRefusal, stuckFileCalls } from "./project-files/index.ts";

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
  if (!(await removeSmallFolder(path))) await removeByProgram(path);
}

/** Removes a small folder in this process, without a program. Whether it is gone; if not, some of it may be. */
export async function removeSmallFolder(path: string): Promise<boolean> {
  return platform === "linux" && stuckFileCalls() === 0 && (await removeSmall(path));
}

/** What ends the waiting for each program that runs. */
const waiting = new Set<() => void>();
let isLeft = false;

/** The process ends, and waits for no program that removes a folder: those go on, and the next start removes what is left. */
export function leaveRemovals(): void {
  isLeft = true;
  for (const leave of waiting) leave();
}

/** Removes any folder, by a program. */
export async function removeByProgram(path: string): Promise<void> {
  if (platform === "win32") return rm(path, { recursive: true, force: true });
  if (await runOn(path, "rm", ["-rf"])) return;
  // Root needs no right to remove. Who makes its `rm` fail still writes there, and may exchange what is opened for links.
  if (process.getuid?.() !== 0) await runOn(path, "chmod", ["-R", "u+rwX"]);
  if (!(await runOn(path, "rm", ["-rf"]))) throw new Error(`rm could not remove ${path}.`);
}

/** Whether the program succeeded; rejects when nobody waits for it any more. */
async function runOn(path: string, program: string, options: readonly string[]): Promise<boolean> {
  const env = { PATH: process.env["PATH"], LC_ALL: "C" };
  const child = spawnProgram(program, [...options, "--", path], { env, stdio: "ignore" });
  const { promise: left, reject } = Promise.withResolvers<never>();
  const leave = () => {
    child.unref();
    reject(new FileRefusal("stuck", path, "is still being removed."));
  };
  waiting.add(leave);
  if (isLeft) leave();
  try {
    const [code] = await Promise.race([once(child, "close"), left]);
    return code === 0;
  } finally {
    waiting.delete(leave);
  }
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
