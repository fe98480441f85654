import { getCompileCacheDir } from "node:module";
import { dirname } from "node:path";

/** The environment of a thread that loads many files: it keeps and finds what Node compiled where this process does. */
export function threadEnvironment(): Record<string, string> {
  const folder = getCompileCacheDir();
  // Node adds a folder for its version.
  return folder === undefined ? {} : { NODE_COMPILE_CACHE: dirname(folder) };
}
