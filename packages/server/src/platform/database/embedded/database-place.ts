import { createHash } from "node:crypto";
import { chmod, lstat, mkdir, realpath, rename, rm, stat, symlink } from "node:fs/promises";
import { join } from "node:path";
import { DatabaseRefusal } from "../database-refusal.ts";
import type { Log } from "../log.ts";
import { closedFolderOnTheWay, type DatabaseUser, isRoot, nobody, ourselves } from "./database-user.ts";
import { ownFolder } from "./own-folder.ts";

/** Where the database's files are, and whose they are. */
export interface DatabasePlace {
  readonly user: DatabaseUser;
  /** The folder that holds everything below; only the user may enter it. */
  readonly home: string;
  readonly data: string;
  readonly logs: string;
}

/** For databases whose data folder lies behind a folder that is closed to their user. */
const outside = "/var/lib/slipway";

/** Finds the database's place in or for a data folder, or makes it. What is there already decides. */
export async function placeDatabase(folder: string, log: Log): Promise<DatabasePlace> {
  const inside = join(folder, "postgres");
  const found = await lstat(inside).catch(() => undefined);
  if (!isRoot()) {
    if (!found) await ownFolder(inside, ourselves());
    return existingPlace(inside);
  }
  if (found && (await holdsDatabase(inside))) return existingPlace(inside);
  if (found?.isSymbolicLink()) return existingPlace(inside);
  const closed = await closedFolderOnTheWay(folder, nobody);
  if (!closed) {
    await ownFolder(inside, nobody);
    return placeAt(inside, nobody);
  }
  // Left by a start that came to nothing: there is no database in it.
  if (found) await rm(inside, { recursive: true, force: true });
  await makeOutside(folder, inside, log);
  return existingPlace(inside);
}

async function existingPlace(inside: string): Promise<DatabasePlace> {
  const home = await realpath(inside).catch((error: unknown) => {
    throw new DatabaseRefusal(
      "folder_not_ours",
      `${inside} is a link to a place that is not there. Bring the database's files back, or remove the link to begin with an empty database.`,
      { cause: error },
    );
  });
  const owner = await stat(home);
  // Also where an operator runs as root what a plain user began: the files stay that user's.
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
      `The database's folder ${home} belongs to another user (uid ${owner.uid}). Start Slipway as that user, or choose another place with --data.`,
    );
  }
  const closed = isRoot() ? await closedFolderOnTheWay(home, user) : undefined;
  if (closed) {
    throw new DatabaseRefusal(
      "folder_closed",
      `The database in ${home} belongs to the user ${user.uid}, to whom ${closed} is closed. Let others pass through it (chmod o+x ${closed}), or move the data folder.`,
    );
  }
  return placeAt(home, user);
}

/** A place of its own outside the data folder, with a link to it: a data folder that is moved still finds it. */
async function makeOutside(folder: string, inside: string, log: Log): Promise<void> {
  const home = join(outside, createHash("sha256").update(folder).digest("hex").slice(0, 16));
  await mkdir(outside, { recursive: true });
  await chmod(outside, 0o711);
  // The link is made before the database: one without a link is that of a data folder that was removed.
  if ((await holdsDatabase(home)) && !(await lstat(inside).catch(() => undefined))) {
    // Neither take up the old database for a new folder, nor throw it away.
    const aside = `${home}-${Date.now()}`;
    await rename(home, aside);
    log.warn({ folder: aside }, "The database of an earlier data folder in the same place was set aside.");
  }
  await ownFolder(home, nobody);
  await symlink(home, inside).catch((error: NodeJS.ErrnoException) => {
    // Another starter was faster, and came to the same place.
    if (error.code !== "EEXIST") throw error;
  });
}

function placeAt(home: string, user: DatabaseUser): DatabasePlace {
  return { user, home, data: join(home, "data"), logs: join(home, "log") };
}

async function holdsDatabase(home: string): Promise<boolean> {
  return (await stat(join(home, "data")).catch(() => undefined)) !== undefined;
}
