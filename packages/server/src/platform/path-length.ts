/** The system takes no longer path, though a program may make one from folder to folder. */
export const maxPathBytes = 4_095;

/** How long a path may be, from a folder on. */
export function roomIn(folder: string): number {
  return maxPathBytes - Buffer.byteLength(folder) - 1;
}
