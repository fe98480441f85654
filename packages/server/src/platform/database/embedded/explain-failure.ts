import { DatabaseRefusal } from "../database-refusal.ts";

/** What a failed file operation means to the operator; any other error comes back as it is. */
export function explainFileError(error: unknown, folder: string): unknown {
  if (error instanceof DatabaseRefusal || !(error instanceof Error)) return error;
  const { code, path } = error as NodeJS.ErrnoException;
  switch (code) {
    case "ENOSPC":
    case "EDQUOT":
      return diskFull(folder, error);
    case "EACCES":
    case "EPERM":
    case "EROFS":
      return notWritable(path ?? folder, error);
    case "ENOTDIR":
    case "EEXIST":
      return new DatabaseRefusal("folder_not_writable", `${path ?? folder} is in the way: it is not a folder.`, {
        cause: error,
      });
    default:
      return error;
  }
}

/** What the last words of `postgres` or `initdb` mean to the operator. */
export function explainOutput(output: string, folder: string): DatabaseRefusal {
  const cause = new Error(output.trim());
  if (/No space left on device|Disk quota exceeded/.test(output)) return diskFull(folder, cause);
  if (/Permission denied|Read-only file system/.test(output)) return notWritable(folder, cause);
  if (/could not look up effective user ID/.test(output)) return userWithoutName(output, cause);
  const told = output.trim() === "" ? "It said nothing." : `It said:\n${output.trim()}`;
  return new DatabaseRefusal(
    "postgres_failed",
    `The embedded Postgres in ${folder} did not start; its log is in ${folder}/log. ${told}`,
  );
}

/** Whether Postgres did not start because another one has the folder, or has only just left it. */
export function isFolderTaken(output: string): boolean {
  return /lock file ".*" already exists|pre-existing shared memory block|Is another postmaster/.test(output);
}

/** Refuses to start this major version of Postgres on the files of another one. */
export function otherMajorVersion(found: string, ours: string, data: string): DatabaseRefusal {
  return new DatabaseRefusal(
    "other_major_version",
    `The database in ${data} was made by Postgres ${found}; this Slipway brings Postgres ${ours}, which cannot read it. Start the Slipway that made it, or let a Postgres ${found} serve that folder and set SLIPWAY_DATABASE_URL to it. To change over, write it out with pg_dump and load that into a new data folder.`,
  );
}

/** `initdb` insists on a name, though it needs none: users that exist as a number only are common in containers. */
function userWithoutName(output: string, cause: unknown): DatabaseRefusal {
  const uid = /user ID (\d+)/.exec(output)?.[1];
  return new DatabaseRefusal(
    "user_without_name",
    `The user ${uid} has no name on this system, and Postgres does not make a database without. Add a line for it to /etc/passwd, run Slipway as a user that has one, or set SLIPWAY_DATABASE_URL to a Postgres of your own.`,
    { cause },
  );
}

function diskFull(folder: string, cause: unknown): DatabaseRefusal {
  return new DatabaseRefusal(
    "disk_full",
    `There is no space left on the disk of ${folder}. Make some room, or choose another place with --data, and start again.`,
    { cause },
  );
}

function notWritable(path: string, cause: unknown): DatabaseRefusal {
  return new DatabaseRefusal(
    "folder_not_writable",
    `${path} cannot be written to by this user. Give it to the user that runs Slipway, or choose another place with --data.`,
    { cause },
  );
}
