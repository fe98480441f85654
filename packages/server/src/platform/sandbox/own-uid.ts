import { execFile } from "node:child_process";
import { randomInt } from "node:crypto";
import { lchownSync, lstatSync, readdirSync } from "node:fs";
import { stat } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";

const run = promisify(execFile);
const smallFolder = 200;

/** Numbers for users that nobody else gives out. */
export interface UidRange {
  readonly first: number;
  readonly count: number;
}

/** Left free by systemd's table of uids, above containers and below what breaks signed numbers. */
const high: UidRange = { first: 1_900_000_000, count: 1 << 24 };
/** For containers, which have only the first 65,536: free too, and without root (0) and the database's user (65534). */
const low: UidRange = { first: 60_600, count: 580 };

/** The range that this system (or the container that it is) can map; nothing when none is. */
export function findUidRange(uidMap: string): UidRange | undefined {
  const mapped = uidMap
    .trim()
    .split("\n")
    .map((line) => line.trim().split(/\s+/).map(Number));
  const isMapped = ({ first, count }: UidRange) =>
    mapped.some(([inside = 0, , length = 0]) => inside <= first && first + count <= inside + length);
  return [high, low].find(isMapped);
}

/** Gives each run a user number of its own. */
export class OwnUids {
  /** One group for all runs, through which they share package caches. */
  readonly gid: number;
  readonly #range: UidRange;
  readonly #taken = new Set<number>();

  constructor(range: UidRange) {
    this.#range = range;
    this.gid = range.first;
  }

  take(): number {
    if (this.#taken.size >= this.#range.count - 1) throw new Error("all user numbers for contained runs are taken");
    for (;;) {
      const uid = this.#range.first + randomInt(1, this.#range.count);
      if (this.#taken.has(uid)) continue;
      this.#taken.add(uid);
      return uid;
    }
  }

  giveBack(uid: number): void {
    this.#taken.delete(uid);
  }
}

/** Gives a folder and all in it to a user; links are changed, never followed. */
export async function giveFolder(folder: string, uid: number, gid: number): Promise<void> {
  if (!giveSmallFolder(folder, uid, gid)) await run("chown", ["-hR", `${uid}:${gid}`, "--", folder]);
}

/** Small folders are given away quicker than a program is started. Nobody else is in there yet, so that no link can come between. */
function giveSmallFolder(folder: string, uid: number, gid: number): boolean {
  const entries = [folder];
  for (let index = 0; index < entries.length; index += 1) {
    const path = entries[index]!;
    if (!lstatSync(path).isDirectory()) continue;
    for (const name of readdirSync(path)) entries.push(join(path, name));
    if (entries.length > smallFolder) return false;
  }
  for (const path of entries) lchownSync(path, uid, gid);
  return true;
}

/** Opens a folder to the group of all runs, once: what they make in there later belongs to the group by itself. */
export async function shareFolder(folder: string, gid: number): Promise<void> {
  if ((await stat(folder)).gid === gid) return;
  await run("chmod", ["-R", "g+rwX", "--", folder]);
  await run("find", [folder, "-type", "d", "-exec", "chmod", "g+s", "{}", "+"]);
  // Last: it is the sign that all of this is done.
  await run("chown", ["-hR", `:${gid}`, "--", folder]);
}
