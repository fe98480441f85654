import { chmod, lchown, lstat, mkdir } from "node:fs/promises";
import { DatabaseRefusal } from "../database-refusal.ts";
import { type DatabaseUser, ourselves } from "./database-user.ts";

/** Creates a folder that only the user may enter, or checks that it is one; follows no link. */
export async function ownFolder(path: string, user: DatabaseUser): Promise<void> {
  await mkdir(path, { mode: 0o700 }).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== "EEXIST") throw error;
  });
  const found = await lstat(path);
  // Ours and not yet the user's: another starter is between `mkdir` and `chown`, or died there.
  const isOurs = found.uid === user.uid || found.uid === ourselves().uid;
  if (!found.isDirectory() || !isOurs) {
    throw new DatabaseRefusal(
      "folder_not_ours",
      `${path} is in the way: it is not a folder, or belongs to somebody else (uid ${found.uid}). Remove it and start again.`,
    );
  }
  if (found.uid !== user.uid) await giveAway(path, user);
  if ((found.mode & 0o777) !== 0o700) await chmod(path, 0o700);
}

async function giveAway(path: string, user: DatabaseUser): Promise<void> {
  try {
    await lchown(path, user.uid, user.gid);
  } catch (error) {
    throw new DatabaseRefusal(
      "cannot_drop_root",
      `Postgres does not run as root, and ${path} could not be given to the user ${user.uid}. Start Slipway as a plain user, or set SLIPWAY_DATABASE_URL to a Postgres of your own.`,
      { cause: error },
    );
  }
}
