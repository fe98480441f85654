import { readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { DatabaseRefusal } from "../platform/database/index.ts";

/** Says which backup a data folder is being restored from, from before its first change until it is whole. */
const fileIn = (dataFolder: string) => join(dataFolder, "restoring");

export async function readRestoreMark(dataFolder: string): Promise<string | undefined> {
  try {
    return await readFile(fileIn(dataFolder), "utf8");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
    throw error;
  }
}

export async function writeRestoreMark(dataFolder: string, backup: string): Promise<void> {
  await writeFile(fileIn(dataFolder), backup, { mode: 0o600 });
}

export async function removeRestoreMark(dataFolder: string): Promise<void> {
  await rm(fileIn(dataFolder));
}

/** Refuses a data folder whose restore did not end: a service would take half of it for all, and remove the rest. */
export async function requireWholeFolder(dataFolder: string): Promise<void> {
  if ((await readRestoreMark(dataFolder)) === undefined) return;
  throw new DatabaseRefusal(
    "half_restored",
    `A restore into ${dataFolder} is under way, or did not end. Run the same 'slipway restore' again, or use another data folder and an empty database.`,
  );
}
