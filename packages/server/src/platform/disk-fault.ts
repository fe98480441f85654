/** What the system says of bytes that a disk has and cannot read; a disk that is full says something else. */
const faults = ["EIO", "EREMOTEIO", "ENODATA"];

/** Why a file cannot be read though nobody has closed it, as the end of a sentence; undefined for any other error. */
export function diskFault(error: unknown): string | undefined {
  const { code } = error as NodeJS.ErrnoException;
  return code !== undefined && faults.includes(code) ? `cannot be read by the disk (${code})` : undefined;
}
