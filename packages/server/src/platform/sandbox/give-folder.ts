import { lstat } from "node:fs/promises";
import { FileRefusal } from "../project-files/index.ts";
import { timeLimit } from "../time-limit.ts";
import { chownSmallFolder } from "./chown-small-folder.ts";
import { diskCalls } from "./disk-room.ts";
import { maxLookMs } from "./look-at-paths.ts";
import { runUntil } from "./run-until.ts";

interface GiveOptions {
  readonly signal?: AbortSignal | undefined;
  readonly limitMs?: number;
}

/** A million files on a slow disk take less. */
const maxGiveMs = 5 * 60_000;

/**
 * Makes a user the owner of a folder and everything in it; it changes links and never follows them. Who was sent the folder
 * may move what is in it ahead of the program that goes through it, which would then never end.
 */
export async function chownFolder(folder: string, uid: number, gid: number, options?: GiveOptions): Promise<void> {
  await within("given to its user", options, (over) => chown(folder, uid, gid, over));
}

/**
 * Gives an account its folder, unless it has it already: later files in it are the account's own. Other runs of the account
 * may work there, so what they made is not walked through.
 */
export async function giveFolder(folder: string, uid: number, gid: number, options?: GiveOptions): Promise<void> {
  await within("given to its user", options, async (over) => {
    if ((await ownerOf(folder, over)).uid !== uid) await chown(folder, uid, gid, over);
  });
}

/** The last call for each folder. */
const sharing = new Map<string, Promise<void>>();

/**
 * Opens a folder to the group of all runs; the setgid bit gives later files to the group too. One call after the other: the
 * first run would work in the folder, and exchange what it finds there for links, while the call of the second still walks.
 */
export function shareFolder(folder: string, gid: number, options?: GiveOptions): Promise<void> {
  return within("shared", options, (over) => {
    const before = sharing.get(folder) ?? Promise.resolve();
    const turn = before
      .catch(() => undefined)
      .then(() => share(folder, gid, over))
      .finally(() => {
        if (sharing.get(folder) === turn) sharing.delete(folder);
      });
    sharing.set(folder, turn);
    return turn;
  });
}

async function chown(folder: string, uid: number, gid: number, over: AbortSignal): Promise<void> {
  if (await chownSmallFolder(folder, { uid, gid }, over)) return;
  await runUntil(over, "chown", ["-hR", `${uid}:${gid}`, "--", folder]);
}

async function share(folder: string, gid: number, over: AbortSignal): Promise<void> {
  over.throwIfAborted();
  if ((await ownerOf(folder, over)).gid === gid) return;
  await runUntil(over, "chmod", ["-R", "g+rwX", "--", folder]);
  await runUntil(over, "find", [folder, "-type", "d", "-exec", "chmod", "g+s", "{}", "+"]);
  // Last, because the check above takes the group as the sign that all steps are done.
  await runUntil(over, "chown", ["-hR", `:${gid}`, "--", folder]);
}

/** Whose a folder is. A program tells where another disk that does not answer holds the thread for such calls. */
async function ownerOf(folder: string, over: AbortSignal): Promise<{ readonly uid: number; readonly gid: number }> {
  try {
    return await diskCalls.run(() => lstat(folder), { path: folder, signal: over, limitMs: maxLookMs });
  } catch (error) {
    if (!(error instanceof FileRefusal)) throw error;
    const [uid, gid] = (await runUntil(over, "stat", ["-c", "%u %g", "--", folder])).split(" ").map(Number);
    return { uid: uid!, gid: gid! };
  }
}

/** Waits until nobody wants it any more, or it takes too long: a disk that never answers ends no work on it. */
async function within(
  what: string,
  { signal, limitMs = maxGiveMs }: GiveOptions = {},
  work: (over: AbortSignal) => Promise<void>,
): Promise<void> {
  signal?.throwIfAborted();
  const limit = timeLimit(limitMs);
  const over = signal === undefined ? limit : AbortSignal.any([signal, limit]);
  const { promise: left, reject } = Promise.withResolvers<never>();
  const leave = () => reject(over.reason);
  over.addEventListener("abort", leave, { once: true });
  try {
    await Promise.race([work(over), left]);
  } catch (error) {
    signal?.throwIfAborted();
    if (!limit.aborted) throw error;
    throw new Error(`A folder could not be ${what} within ${limitMs / 1000} seconds.`, { cause: error });
  } finally {
    over.removeEventListener("abort", leave);
  }
}
