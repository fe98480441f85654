import { DatabaseRefusal } from "../database-refusal.ts";

/** Turns a failed file operation into a refusal for the operator; returns any other error unchanged. */
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

/** Turns the last output of `postgres` or `initdb` into a refusal for the operator. */
export function explainOutput(output: string, folder: string): DatabaseRefusal {
  const cause = new Error(output.trim());
  if (/No space left on device|Disk quota exceeded/.test(output)) return diskFull(folder, cause);
  if (/Permission denied|Read-only file system/.test(output)) return notWritable(folder, cause);
  if (/could not look up effective user ID/.test(output)) return userWithoutName(output, cause);
  const lastOutput = output.trim() === "" ? "It printed nothing." : `It printed:\n${output.trim()}`;
  return new DatabaseRefusal(
    "postgres_failed",
    `The embedded Postgres in ${folder} did not start; its log is in ${folder}/log. ${lastOutput}`,
  );
}

/** Whether Postgres did not start because another one uses the folder, or has only just left it. */
export function isFolderTaken(output: string): boolean {
  return /lock file ".*" (?:already exists|is empty)|pre-existing shared memory block|Is another postmaster/.test(
    output,
  );
}

/** Refuses to start this major version of Postgres on the files of another one. */
export function otherMajorVersion(found: string, ours: string, data: string): DatabaseRefusal {
  return new DatabaseRefusal(
    "other_major_version",
    `The database in ${data} was created by Postgres ${found}; this Slipway brings Postgres ${ours}, which cannot read it. Start the Slipway that created it, or let a Postgres ${found} serve that folder and set SLIPWAY_DATABASE_URL to it. To upgrade, dump it with pg_dump and load the dump into a new data folder.`,
  );
}

/** `initdb` requires a user with a name; in containers, users often have only a number. */
function userWithoutName(output: string, cause: unknown): DatabaseRefusal {
  const uid = /user ID (\d+)/.exec(output)?.[1];
  return new DatabaseRefusal(
    "user_without_name",
    `The user ${uid} has no name on this system, and Postgres creates no database without one. Add a line for it to /etc/passwd, run Slipway as a user that has one, or set SLIPWAY_DATABASE_URL to a Postgres of your own.`,
    { cause },
  );
}

function diskFull(folder: string, cause: unknown): DatabaseRefusal {
  return new DatabaseRefusal(
    "disk_full",
    `There is no space left on the disk of ${folder}. Free some space, or choose another folder with --data, and start again.`,
    { cause },
  );
}

function notWritable(path: string, cause: unknown): DatabaseRefusal {
  return new DatabaseRefusal(
    "folder_not_writable",
    `This user cannot write to ${path}. Give it to the user that runs Slipway, or choose another folder with --data.`,
    { cause },
  );
}
