import { execFile } from "node:child_process";
import { createHash, randomInt } from "node:crypto";
import { closeSync, constants, fchownSync, lchownSync, lstatSync, opendirSync, openSync } from "node:fs";
import { lstat } from "node:fs/promises";
import { promisify } from "node:util";
import { timeLimit } from "../time-limit.ts";

const run = promisify(execFile);
const maxEntriesOfSmallFolder = 200;

/** Uids that nothing else on the machine assigns. */
export interface UidRange {
  readonly first: number;
  readonly count: number;
}

/** Unassigned in systemd's table of uids: above those of containers, below those that break signed 32-bit numbers. */
const high: UidRange = { first: 1_900_000_000, count: 1 << 24 };
/** For containers, which map only 65,536 uids: unassigned too, and neither root (0) nor the database's user (65534). */
const low: UidRange = { first: 60_600, count: 580 };

/** The range that this machine or container maps; undefined when it maps none. */
export function findUidRange(uidMap: string): UidRange | undefined {
  const mapped = uidMap
    .trim()
    .split("\n")
    .map((line) => line.trim().split(/\s+/).map(Number));
  const isMapped = ({ first, count }: UidRange) =>
    mapped.some(([inside = 0, , length = 0]) => inside <= first && first + count <= inside + length);
  return [high, low].find(isMapped);
}

/** Assigns each run its own uid. */
export class OwnUids {
  /** One group for all runs, through which they share package caches. */
  readonly gid: number;
  readonly #range: UidRange;
  readonly #taken = new Set<number>();
  /** How many runs each account has now. */
  readonly #shared = new Map<number, number>();

  constructor(range: UidRange) {
    this.#range = range;
    this.gid = range.first;
  }

  allocate(): number {
    if (this.#taken.size >= this.#range.count - 1) throw new Error("all uids for sandboxed processes are in use");
    for (;;) {
      const uid = this.#range.first + randomInt(1, this.#range.count);
      if (this.#taken.has(uid)) continue;
      this.#taken.add(uid);
      return uid;
    }
  }

  /** The account's uid: always the same, so that it can change the files of its earlier runs. */
  share(account: string): number {
    const digest = createHash("sha256").update(account).digest().readUInt32BE();
    const uid = this.#range.first + 1 + (digest % (this.#range.count - 1));
    this.#shared.set(uid, (this.#shared.get(uid) ?? 0) + 1);
    this.#taken.add(uid);
    return uid;
  }

  release(uid: number): void {
    const others = (this.#shared.get(uid) ?? 1) - 1;
    if (others > 0) this.#shared.set(uid, others);
    else {
      this.#shared.delete(uid);
      this.#taken.delete(uid);
    }
  }
}

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
export async function chownFolder(
  folder: string,
  uid: number,
  gid: number,
  { signal, limitMs = maxGiveMs }: GiveOptions = {},
): Promise<void> {
  if (chownSmallFolder(folder, uid, gid)) return;
  const limit = timeLimit(limitMs);
  // Ends the waiting, too: a program that waits for a disk cannot be killed.
  const over = signal === undefined ? limit : AbortSignal.any([signal, limit]);
  const options = { signal: over, killSignal: "SIGKILL" } as const;
  await run("chown", ["-hR", `${uid}:${gid}`, "--", folder], options).catch((error: unknown) => {
    signal?.throwIfAborted();
    if (!limit.aborted) throw error;
    throw new Error(`A folder could not be given to its user within ${limitMs / 1000} seconds.`, { cause: error });
  });
}

const folderFlags = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK | constants.O_DIRECTORY;

/**
 * Faster than starting `chown`, which goes from folder to folder in the same way: no process of the run exists yet, but one of
 * another run may have been sent a folder through a socket, and exchange what is in it for links. False where the folder is
 * large, has a name that is not UTF-8, which another file may be found by, or changes meanwhile.
 */
function chownSmallFolder(top: string, uid: number, gid: number): boolean {
  let left = maxEntriesOfSmallFolder;
  const give = (path: string): boolean => {
    const folder = openSync(path, folderFlags);
    try {
      const here = `/proc/self/fd/${folder}`;
      const names = namesIn(here, left);
      left -= names.length;
      if (left < 0) return false;
      for (const name of names) {
        const inner = `${here}/${name}`;
        if (name.includes("\ufffd")) return false;
        if (!lstatSync(inner).isDirectory()) lchownSync(inner, uid, gid);
        else if (!give(inner)) return false;
      }
      // The folder itself last: whoever finds it chowned takes the rest for done.
      fchownSync(folder, uid, gid);
      return true;
    } finally {
      closeSync(folder);
    }
  };
  try {
    return give(top);
  } catch {
    // The program says what is wrong with it.
    return false;
  }
}

/** Up to one more than may be. Piece by piece: an earlier run may have left a million names in it. */
function namesIn(path: string, max: number): string[] {
  const names: string[] = [];
  const folder = opendirSync(path, { bufferSize: maxEntriesOfSmallFolder });
  try {
    for (let entry = folder.readSync(); entry !== null && names.length <= max; entry = folder.readSync())
      names.push(entry.name);
  } finally {
    folder.closeSync();
  }
  return names;
}

/**
 * Gives an account its folder, unless it has it already: later files in it are the account's own. Other runs of the account
 * may work there, so what they made is not walked through.
 */
export async function giveFolder(folder: string, uid: number, gid: number, options?: GiveOptions): Promise<void> {
  if ((await lstat(folder)).uid !== uid) await chownFolder(folder, uid, gid, options);
}

/** The last call for each folder. */
const sharing = new Map<string, Promise<void>>();

/**
 * Opens a folder to the group of all runs; the setgid bit gives later files to the group too. One call after the other: the
 * first run would work in the folder, and exchange what it finds there for links, while the call of the second still walks.
 */
export function shareFolder(folder: string, gid: number): Promise<void> {
  const before = sharing.get(folder) ?? Promise.resolve();
  const turn = before
    .catch(() => undefined)
    .then(() => share(folder, gid))
    .finally(() => {
      if (sharing.get(folder) === turn) sharing.delete(folder);
    });
  sharing.set(folder, turn);
  return turn;
}

async function share(folder: string, gid: number): Promise<void> {
  if ((await lstat(folder)).gid === gid) return;
  await run("chmod", ["-R", "g+rwX", "--", folder]);
  await run("find", [folder, "-type", "d", "-exec", "chmod", "g+s", "{}", "+"]);
  // Last, because the check above takes the group as the sign that all steps are done.
  await run("chown", ["-hR", `:${gid}`, "--", folder]);
}
