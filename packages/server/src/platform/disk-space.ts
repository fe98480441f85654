import { statfs } from "node:fs/promises";

/** How much the disk of one of the service's own folders has left. */
export async function measureDisk(path: string): Promise<{ free_bytes: number; total_bytes: number }> {
  const { bsize, bavail, blocks } = await statfs(path);
  return { free_bytes: bavail * bsize, total_bytes: blocks * bsize };
}
