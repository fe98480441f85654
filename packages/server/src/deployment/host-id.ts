import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { sortableId } from "../platform/ids.ts";

/** Names this data folder among those of all nodes: what is deployed lives in one of them. */
export async function readHostId(dataFolder: string, nowMs: number): Promise<string> {
  const file = join(dataFolder, "host-id");
  // Whoever comes first writes it; the others read.
  await writeFile(file, `host_${sortableId(nowMs)}\n`, { flag: "wx", mode: 0o600 }).catch((error) => {
    if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
  });
  return (await readFile(file, "utf8")).trim();
}
