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
  try {
    const value: unknown = JSON.parse(bytes.toString("utf8"));
    return typeof value === "object" && value !== null && !Array.isArray(value) ? (value as Json) : undefined;
  } catch {
    return undefined;
  }
}
