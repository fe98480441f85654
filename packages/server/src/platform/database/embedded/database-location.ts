import { createHash } from "node:crypto";
import { chmod, lstat, mkdir, realpath, rename, rm, stat, symlink } from "node:fs/promises";
import { join } from "node:path";
import { DatabaseRefusal } from "../database-refusal.ts";
import type { Log } from "../log.ts";
import { closedFolderOnTheWay, type DatabaseUser, isRoot, nobody, ourselves } from "./database-user.ts";
import { ownFolder } from "./own-folder.ts";

/** Where the files of the database are, and which user owns them. */
export interface DatabaseLocation {
  readonly user: DatabaseUser;
  /** The folder that contains the others; only the user may enter it. */
  readonly home: string;
  readonly data: string;
  readonly logs: string;
}

/** For databases whose user may not enter a parent of the data folder. */
const outside = "/var/lib/slipway";

/** Finds the database of a data folder, or creates its folder. An existing one stays where it is. */
export async function locateDatabase(folder: string, log: Log): Promise<DatabaseLocation> {
  const inside = join(folder, "postgres");
  const found = await lstat(inside).catch(() => undefined);
  if (!isRoot()) {
    if (!found) await ownFolder(inside, ourselves());
    return existingLocation(inside);
  }
  if (found && (await holdsDatabase(inside))) return existingLocation(inside);
  if (found?.isSymbolicLink()) return existingLocation(inside);
  const closed = await closedFolderOnTheWay(folder, nobody);
  if (!closed) {
    await ownFolder(inside, nobody);
    return locationAt(inside, nobody);
  }
  // Left by a failed start: there is no database in it.
  if (found) await rm(inside, { recursive: true, force: true });
  await makeOutside(folder, inside, log);
  return existingLocation(inside);
}

async function existingLocation(inside: string): Promise<DatabaseLocation> {
  const home = await realpath(inside).catch((error: unknown) => {
    throw new DatabaseRefusal(
      "folder_not_ours",
      `${inside} is a link to a folder that does not exist. Restore the files of the database, or remove the link to begin with an empty database.`,
      { cause: error },
    );
  });
  const owner = await stat(home);
  // If root starts what a plain user created, the files stay that user's.
  const user = isRoot() ? { uid: owner.uid, gid: owner.gid } : ourselves();
  if (user.uid === 0) {
    throw new DatabaseRefusal(
      "cannot_drop_root",
      `The database in ${home} belongs to root, and Postgres does not run as root. Give it to another user: chown -R ${nobody.uid}:${nobody.gid} ${home}`,
    );
  }
  if (owner.uid !== user.uid) {
    throw new DatabaseRefusal(
      "folder_not_writable",
      `The database's folder ${home} belongs to another user (uid ${owner.uid}). Start Slipway as that user, or choose another folder with --data.`,
    );
  }
  const closed = isRoot() ? await closedFolderOnTheWay(home, user) : undefined;
  if (closed) {
    throw new DatabaseRefusal(
      "folder_closed",
      `The database in ${home} belongs to the user ${user.uid}, who may not enter ${closed}. Let others pass through it (chmod o+x ${closed}), or move the data folder.`,
    );
  }
  return locationAt(home, user);
}

/** Creates a folder outside the data folder and links to it, so that a moved data folder still finds it. */
async function makeOutside(folder: string, inside: string, log: Log): Promise<void> {
  const home = join(outside, createHash("sha256").update(folder).digest("hex").slice(0, 16));
  await mkdir(outside, { recursive: true });
  await chmod(outside, 0o711);
  // The link is created before the database: a database without a link belonged to a data folder that was removed.
  if ((await holdsDatabase(home)) && !(await lstat(inside).catch(() => undefined))) {
    // A new folder must not get the old database, and we must not delete it.
    const aside = `${home}-${Date.now()}`;
    await rename(home, aside);
    log.warn({ folder: aside }, "Moved aside the database of an earlier data folder with the same path.");
  }
  await ownFolder(home, nobody);
  await symlink(home, inside).catch((error: NodeJS.ErrnoException) => {
    // Another starter was faster, and chose the same folder.
    if (error.code !== "EEXIST") throw error;
  });
}

function locationAt(home: string, user: DatabaseUser): DatabaseLocation {
  return { user, home, data: join(home, "data"), logs: join(home, "log") };
}

async function holdsDatabase(home: string): Promise<boolean> {
  return (await stat(join(home, "data")).catch(() => undefined)) !== undefined;
}
