import { readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

/** The templates in a folder, by path. They are copied as they are. */
export function staticFiles(folder: URL): ReadonlyMap<string, string> {
  const entries = readdirSync(fileURLToPath(folder), { recursive: true, withFileTypes: true });
  const root = fileURLToPath(folder);
  const paths = entries
    .filter((entry) => entry.isFile())
    .map((entry) => `${entry.parentPath}/${entry.name}`.slice(root.length).replace(/^\/+/, ""));
  return new Map(paths.toSorted().map((path) => [path, readFileSync(new URL(path, folder), "utf8")]));
}
