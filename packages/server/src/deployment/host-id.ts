import { join } from "node:path";
import { sortableId } from "../platform/ids.ts";
import { readOrCreate } from "../platform/read-or-create.ts";

/** Names this data folder among those of all nodes: what is deployed lives in one of them. */
export async function readHostId(dataFolder: string, nowMs: number): Promise<string> {
  return (await readOrCreate(join(dataFolder, "host-id"), () => `host_${sortableId(nowMs)}\n`)).trim();
}
