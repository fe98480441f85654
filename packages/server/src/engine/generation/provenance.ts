import { lstat, mkdir, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";

/** A file of a source that says which run's result it was made from; it travels with the source. */
const provenanceFile = ".slipway/source.json";
const maxBytes = 10_000;

/** Writes into a folder which run its files are from. */
export async function writeProvenance(folder: string, projectId: string): Promise<void> {
  await mkdir(join(folder, ".slipway"), { recursive: true }).catch(() => undefined);
  // Where a person has put something else, the files do not say where they are from.
  if (!(await isFolder(join(folder, ".slipway")))) return;
  const file = join(folder, provenanceFile);
  await rm(file, { force: true, recursive: true });
  await writeFile(file, `${JSON.stringify({ project_id: projectId }, undefined, 2)}\n`, { flag: "wx" });
}

/** Removes that file and returns the run's id; undefined if the file is missing or not readable. */
export async function takeProvenance(folder: string): Promise<string | undefined> {
  if (!(await isFolder(join(folder, ".slipway")))) return undefined;
  const file = join(folder, provenanceFile);
  const found = await lstat(file).catch(() => undefined);
  if (found?.isFile() !== true) return undefined;
  const text = found.size > maxBytes ? "" : await readFile(file, "utf8");
  await rm(file);
  return readProjectId(text);
}

function readProjectId(text: string): string | undefined {
  try {
    const { project_id } = JSON.parse(text) as { project_id?: unknown };
    return typeof project_id === "string" ? project_id : undefined;
  } catch {
    return undefined;
  }
}

async function isFolder(path: string): Promise<boolean> {
  return (await lstat(path).catch(() => undefined))?.isDirectory() === true;
}
