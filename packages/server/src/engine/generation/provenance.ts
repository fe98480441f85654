import { lstat, mkdir, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";

/** A file of a source that says which run's result it was made from: it comes with the files, and goes with them. */
const place = ".slipway/source.json";
const maxBytes = 10_000;

/** Writes down which run the files of a folder are from. */
export async function writeProvenance(folder: string, projectId: string): Promise<void> {
  await mkdir(join(folder, ".slipway"), { recursive: true }).catch(() => undefined);
  // A person may have put anything in its place: then the files do not say where they are from.
  if (!(await isFolder(join(folder, ".slipway")))) return;
  const file = join(folder, place);
  await rm(file, { force: true, recursive: true });
  await writeFile(file, `${JSON.stringify({ project_id: projectId }, undefined, 2)}\n`, { flag: "wx" });
}

/** Takes it out again: it is about the files, and not one of them. Nothing if it is not there, or says nothing. */
export async function takeProvenance(folder: string): Promise<string | undefined> {
  if (!(await isFolder(join(folder, ".slipway")))) return undefined;
  const file = join(folder, place);
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
