import type { Stats } from "node:fs";
import { stat } from "node:fs/promises";
import { dirname } from "node:path";

/** The user that Postgres runs as; it refuses to run as root. */
export interface DatabaseUser {
  readonly uid: number;
  readonly gid: number;
}

/** `nobody` on nearly every system; the number works where the name is missing. */
export const nobody: DatabaseUser = { uid: 65534, gid: 65534 };

export function isRoot(): boolean {
  return process.geteuid?.() === 0;
}

export function ourselves(): DatabaseUser {
  return { uid: process.geteuid!(), gid: process.getegid!() };
}

/** The first folder of a path that the user may not enter. */
export async function closedFolderOnTheWay(path: string, user: DatabaseUser): Promise<string | undefined> {
  for (const folder of wayTo(path)) {
    if (!mayEnter(await stat(folder), user)) return folder;
  }
  return undefined;
}

function wayTo(path: string): string[] {
  const parent = dirname(path);
  return parent === path ? [path] : [...wayTo(parent), path];
}

/** Postgres runs without supplementary groups, so the mode bits decide. */
function mayEnter({ uid, gid, mode }: Stats, user: DatabaseUser): boolean {
  if (uid === user.uid) return (mode & 0o100) !== 0;
  if (gid === user.gid) return (mode & 0o010) !== 0;
  return (mode & 0o001) !== 0;
}
