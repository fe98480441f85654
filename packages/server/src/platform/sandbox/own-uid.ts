import { execFile } from "node:child_process";
import { createHash, randomInt } from "node:crypto";
import { lchownSync, lstatSync, opendirSync } from "node:fs";
import { stat } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { maxPathBytes } from "../path-length.ts";

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

/** Makes a user the owner of a folder and everything in it; it changes links and never follows them. */
export async function chownFolder(folder: string, uid: number, gid: number): Promise<void> {
  if (!chownSmallFolder(folder, uid, gid)) await run("chown", ["-hR", `${uid}:${gid}`, "--", folder]);
}

/**
 * Faster than starting `chown`. Safe from swapped links, because no process of the run exists yet. False where the folder is
 * large, or has a name that is not UTF-8, which another file may be found by, or a path that is too long.
 */
function chownSmallFolder(top: string, uid: number, gid: number): boolean {
  const entries = [top];
  for (let index = 0; index < entries.length; index += 1) {
    const path = entries[index]!;
    if (!lstatSync(path).isDirectory()) continue;
    // Piece by piece: an earlier run may have left a million names in it.
    const folder = opendirSync(path, { bufferSize: maxEntriesOfSmallFolder });
    try {
      for (let entry = folder.readSync(); entry !== null; entry = folder.readSync()) {
        const inner = join(path, entry.name);
        if (entry.name.includes("\ufffd") || Buffer.byteLength(inner) > maxPathBytes) return false;
        entries.push(inner);
        if (entries.length > maxEntriesOfSmallFolder) return false;
      }
    } finally {
      folder.closeSync();
    }
  }
  // The folder itself last: whoever finds it chowned takes the rest for done.
  for (const path of entries.toReversed()) lchownSync(path, uid, gid);
  return true;
}

/**
 * Gives an account its folder, unless it has it already: later files in it are the account's own. Other runs of the account
 * may work there, so what they made is not walked through.
 */
export async function giveFolder(folder: string, uid: number, gid: number): Promise<void> {
  if ((await stat(folder)).uid !== uid) await chownFolder(folder, uid, gid);
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
  if ((await stat(folder)).gid === gid) return;
  await run("chmod", ["-R", "g+rwX", "--", folder]);
  await run("find", [folder, "-type", "d", "-exec", "chmod", "g+s", "{}", "+"]);
  // Last, because the check above takes the group as the sign that all steps are done.
  await run("chown", ["-hR", `:${gid}`, "--", folder]);
}
