/** Why a backup or a restore does not happen; the message says what to do, so no stack is printed. */
export class BackupRefusal extends Error {
  override readonly name = "BackupRefusal";
}

/** A full disk is nobody's mistake in the code. */
export function explainFullDisk(error: unknown, place: string): unknown {
  const { code } = error as NodeJS.ErrnoException;
  if (code !== "ENOSPC" && code !== "EDQUOT") return error;
  return new BackupRefusal(`There is no space left on the disk of ${place}. Make room, and try again.`, {
    cause: error,
  });
}
