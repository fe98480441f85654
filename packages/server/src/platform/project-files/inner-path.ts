import { lstat, realpath } from "node:fs/promises";
import { basename, dirname, isAbsolute, join, normalize, relative, sep } from "node:path";
import { FileRefusal } from "./file-refusal.ts";
import { type FolderOptions, fileCall } from "./open-folder.ts";

/** Whether the tree is data, in which a repository is like any other folder. */
export interface PathOptions {
  readonly hasRepositories?: boolean;
}

/** The components of a path inside a tree; refuses a path that climbs, is absolute, or is git's own. */
export function partsOf(path: string, { hasRepositories = false }: PathOptions = {}): string[] {
  if (path.includes("\0")) throw new FileRefusal("outside", path, "contains a zero byte.");
  if (isAbsolute(path)) throw new FileRefusal("outside", path, "is absolute: name paths from the project's folder on.");
  const parts = path.split("/").filter((part) => part !== "" && part !== ".");
  if (parts.includes("..")) throw new FileRefusal("outside", path, "is outside the project's folder.");
  if (!hasRepositories && parts.some((part) => part.toLowerCase() === ".git"))
    throw new FileRefusal("outside", path, "cannot be touched: Git's own files are not the project's.");
  return parts;
}

/** The components of a file's folder, and its name. */
export function placeOf(path: string, options?: PathOptions): { readonly folders: string[]; readonly name: string } {
  const folders = partsOf(path, options);
  const name = folders.pop();
  if (name === undefined) throw new FileRefusal("not_a_file", ".", "is the project's folder, not a regular file.");
  return { folders, name };
}

/**
 * Follows the links of a path that stay inside the tree, and refuses those that leave it or lead nowhere; the last
 * components may be missing. Where the path leads may change at once: the file itself is opened without following links.
 */
export async function resolveInside(
  root: string,
  path: string,
  { signal }: Pick<FolderOptions, "signal"> = {},
): Promise<string> {
  const named = path.includes("\0") || isAbsolute(path) ? path : normalize(path === "" ? "." : path);
  const parts = partsOf(named);
  const realRoot = await fileCall(() => realpath(root), { path: ".", signal });
  const real = await fileCall(() => followLinks(join(realRoot, ...parts), path), { path, signal });
  const inside = relative(realRoot, real);
  if (isAbsolute(inside) || inside === ".." || inside.startsWith(`..${sep}`))
    throw new FileRefusal("outside", path, "is outside the project's folder.");
  return partsOf(inside.split(sep).join("/")).join("/") || ".";
}

/** Resolves the existing part of a path; the missing part stays as it is. */
async function followLinks(absolute: string, path: string): Promise<string> {
  const missing: string[] = [];
  for (let existing = absolute; ; existing = dirname(existing)) {
    try {
      return join(await realpath(existing), ...missing);
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      // A dangling link is not a missing file: writing to it would create its target, anywhere.
      if (code !== "ENOENT" || (await isLink(existing)))
        throw new FileRefusal("missing", path, `leads nowhere (${code}).`, { cause: error });
      missing.unshift(basename(existing));
    }
  }
}

async function isLink(path: string): Promise<boolean> {
  return lstat(path).then(
    (found) => found.isSymbolicLink(),
    () => false,
  );
}
