import { randomUUID } from "node:crypto";
import { posix } from "node:path";
import { parseJson } from "../../platform/bounded-json.ts";
import {
  FileRefusal,
  listProjectFolder,
  openProjectFile,
  readProjectFile,
} from "../../platform/project-files/index.ts";

const maxManifestBytes = 1024 * 1024;

const maxPlaces = 1_000;

interface Where {
  readonly folder: string;
  readonly signal: AbortSignal;
}

/** The text of a file of the result; undefined if it has no such regular file. */
export async function textOf({ folder, signal }: Where, path: string): Promise<string | undefined> {
  const bytes = await unlessRefused(() => readProjectFile(folder, path, { maxBytes: maxManifestBytes, signal }));
  return bytes?.toString("utf8");
}

/** The object in a JSON file of the result; undefined if there is none. */
export async function jsonOf(where: Where, path: string): Promise<Readonly<Record<string, unknown>> | undefined> {
  const value = parseJson((await textOf(where, path)) ?? "null")?.value;
  return isObject(value) ? value : undefined;
}

export function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Whether a path is a regular file of the result, behind no link. */
export async function isFile(where: Where, path: string): Promise<boolean> {
  return (await executableBitOf(where, path)) !== undefined;
}

/** Where a file of the release goes: in the service's own folder, or below it, if the result has anything by this name itself. */
export async function freePlace(where: Where, path: string): Promise<string> {
  const name = posix.basename(path);
  let place = path;
  // Behind a link nothing is free; who writes there is told so.
  for (let number = 1; await isTaken(where, place); number += 1) {
    if (number > maxPlaces) return `.slipway/${randomUUID()}/${name}`;
    place = number === 1 ? `.slipway/${name}` : `.slipway/${number}/${name}`;
  }
  return place;
}

async function isTaken({ folder, signal }: Where, path: string): Promise<boolean> {
  try {
    await (await openProjectFile(folder, path, { maxBytes: Number.POSITIVE_INFINITY, signal })).close();
    return true;
  } catch (error) {
    if (error instanceof FileRefusal && error.code !== "stuck") return error.code !== "missing";
    throw error;
  }
}

/** Whether a regular file of the result may be executed; undefined if there is none. */
export async function executableBitOf({ folder, signal }: Where, path: string): Promise<boolean | undefined> {
  const maxBytes = Number.POSITIVE_INFINITY;
  const file = await unlessRefused(() => openProjectFile(folder, path, { maxBytes, signal }));
  await file?.close();
  return file?.isExecutable;
}

/** The first bytes of a regular file of the result, as hexadecimal digits. */
export async function firstBytesOf({ folder, signal }: Where, path: string, count: number): Promise<string> {
  const file = await openProjectFile(folder, path, { maxBytes: Number.POSITIVE_INFINITY, signal });
  try {
    for await (const chunk of file.chunks()) return chunk.subarray(0, count).toString("hex");
    return "";
  } finally {
    await file.close();
  }
}

/** The names of the regular files, or of the folders, in a folder of the result; none if it does not exist. */
export async function namesIn({ folder, signal }: Where, path: string, kind: "file" | "folder"): Promise<string[]> {
  const entries = await unlessRefused(() => listProjectFolder(folder, path, { signal, skipsOddNames: true }));
  return (entries ?? []).filter((entry) => entry.kind === kind).map(({ name }) => name);
}

/** Undefined for what is missing, a link or no regular file; a disk that does not answer is an error. */
async function unlessRefused<T>(read: () => Promise<T>): Promise<T | undefined> {
  try {
    return await read();
  } catch (error) {
    if (error instanceof FileRefusal && error.code !== "stuck") return undefined;
    throw error;
  }
}
