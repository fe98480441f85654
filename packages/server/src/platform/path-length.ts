/** The system takes no longer path, though a program may make one from folder to folder. */
export const maxPathBytes = 4_095;

/** How long a path may be, from a folder on. */
export function roomIn(folder: string): number {
  return maxPathBytes - Buffer.byteLength(folder) - 1;
}

/** Longest path of a project's file, from its folder on: what fits there must fit wherever else it is laid, sent or packed. */
export const maxResultPathBytes = 3_600;

/** How long a path of a result may be in the folder where it was made. */
export function roomForResult(folder: string): number {
  return Math.min(maxResultPathBytes, roomIn(folder));
}
