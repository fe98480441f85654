import { lstat, realpath } from "node:fs/promises";
import { basename, dirname, isAbsolute, join, normalize, relative, sep } from "node:path";
import { PathRefusal } from "./path-refusal.ts";

export interface InsidePath {
  /** Without links: every existing part of it was resolved. */
  readonly absolute: string;
  /** Relative to the folder, as the agent named it. */
  readonly shown: string;
}

/**
 * Resolves a path that an agent named, and refuses one that leaves the folder: by climbing, as an absolute path or through
 * links. Git's own files are refused too.
 */
export async function insideFolder(folder: string, path: string): Promise<InsidePath> {
  if (path.includes("\0")) throw new PathRefusal("A path cannot contain a zero byte.");
  if (isAbsolute(path)) throw new PathRefusal(`'${path}' is absolute: name paths relative to the project's folder.`);
  const shown = normalize(path === "" ? "." : path).replace(/\/+$/, "");
  refuseOutside(shown, path);
  const absolute = await resolveLinks(join(folder, shown), path);
  refuseOutside(relative(folder, absolute), path);
  return { absolute, shown };
}

/** Follows the links of the existing part of a path; the missing part stays as it is. */
async function resolveLinks(absolute: string, path: string): Promise<string> {
  const missing: string[] = [];
  for (let existing = absolute; ; existing = dirname(existing)) {
    try {
      return join(await realpath(existing), ...missing);
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      // A dangling link is not a missing file: writing to it would create its target, anywhere.
      if (code !== "ENOENT" || (await isLink(existing))) throw new PathRefusal(`'${path}' leads nowhere (${code}).`);
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

function refuseOutside(inside: string, path: string): void {
  const names = inside.split(sep);
  if (isAbsolute(inside) || names[0] === "..") throw new PathRefusal(`'${path}' is outside the project's folder.`);
  if (names.some((name) => name.toLowerCase() === ".git")) throw new PathRefusal("Git's own files cannot be touched.");
}
