import { DatabaseRefusal, isDatabaseUnavailable } from "../../platform/database/index.ts";

/** Why a backup or a restore does not happen; the message says what to do, so no stack is printed. */
export class BackupRefusal extends Error {
  override readonly name = "BackupRefusal";
}

/** A full disk, or a database that ends, is nobody's mistake in the code, and says nothing of a backup. */
export function explainFailure(error: unknown, place: string): unknown {
  const why = error instanceof BackupRefusal || error instanceof DatabaseRefusal ? undefined : whyOf(error, place);
  return why === undefined ? error : new BackupRefusal(why, { cause: error });
}

function whyOf(error: unknown, place: string): string | undefined {
  const { code, message } = error as NodeJS.ErrnoException;
  if (code === "ENOSPC" || code === "EDQUOT")
    return `There is no space left on the disk of ${place}. Make room, and try again.`;
  if (code === diskFull) return "The database's disk is full. Make room, and try again.";
  return isDatabaseUnavailable(error)
    ? `The database does not answer (${message}). See whether its disk has room, then try again.`
    : undefined;
}

/** Postgres's own code. */
const diskFull = "53100";
