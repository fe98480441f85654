import { join } from "node:path/posix";
import { parseJson } from "../../platform/bounded-json.ts";
import { FileRefusal, readProjectFile } from "../../platform/project-files/index.ts";

/** A JSON object, with whatever is in it. */
export type Json = Record<string, unknown>;

interface JsonOptions {
  readonly maxBytes: number;
  readonly signal?: AbortSignal | undefined;
}

/** An object that a project's file holds; undefined if there is no such file, or something else in it. */
export async function readProjectJson(folder: string, path: string, options: JsonOptions): Promise<Json | undefined> {
  const bytes = await readProjectFile(folder, path, options).catch((error: unknown) => {
    if (error instanceof FileRefusal && error.code === "missing") return undefined;
    throw error;
  });
  if (bytes === undefined) return undefined;
  const value = parseJson(bytes.toString("utf8"))?.value;
  return typeof value === "object" && value !== null && !Array.isArray(value) ? (value as Json) : undefined;
}

/** Nobody writes a longer one, and reading 4 MB of it may hold the service up for a second. */
const maxManifestBytes = 1024 * 1024;

/** What the package.json of a project, or of a part of it, says; undefined if there is none, or something else in it. */
export function readManifest(
  folder: string,
  signal: AbortSignal | undefined,
  startsIn = ".",
): Promise<Json | undefined> {
  return readProjectJson(folder, join(startsIn, "package.json"), { maxBytes: maxManifestBytes, signal });
}
