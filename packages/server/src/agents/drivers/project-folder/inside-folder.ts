import { lstat, realpath } from "node:fs/promises";
import { basename, dirname, isAbsolute, join, normalize, relative, sep } from "node:path";
import { ToolRefusal } from "../llm/tools/tool.ts";

export interface InsidePath {
  /** Without links: all of it but what does not exist yet has been looked at. */
  readonly absolute: string;
  /** From the folder on, as the model named it. */
  readonly shown: string;
}

/**
 * Finds out where a path that a model named leads, and refuses what is not inside the folder: not by climbing, not by an
 * absolute path, not through links. Git's own files are nobody's business.
 */
export async function insideFolder(folder: string, path: string): Promise<InsidePath> {
  if (path.includes("\0")) throw new ToolRefusal("A path cannot contain a zero byte.");
  if (isAbsolute(path)) throw new ToolRefusal(`'${path}' is absolute: name paths from the project's folder on.`);
  const shown = normalize(path === "" ? "." : path).replace(/\/+$/, "");
  refuseOutside(shown, path);
  const absolute = await resolveLinks(join(folder, shown), path);
  refuseOutside(relative(folder, absolute), path);
  return { absolute, shown };
}

/** Follows the links of what exists; what does not exist stays as it is written. */
async function resolveLinks(place: string, path: string): Promise<string> {
  const missing: string[] = [];
  for (let there = place; ; there = dirname(there)) {
    try {
      return join(await realpath(there), ...missing);
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      // A link to nowhere is no missing file: writing to it would make one, somewhere.
      if (code !== "ENOENT" || (await isLink(there))) throw new ToolRefusal(`'${path}' leads nowhere (${code}).`);
      missing.unshift(basename(there));
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
  const parts = inside.split(sep);
  if (isAbsolute(inside) || parts[0] === "..") throw new ToolRefusal(`'${path}' is outside the project's folder.`);
  if (parts.some((part) => part.toLowerCase() === ".git")) throw new ToolRefusal("Git's own files cannot be touched.");
}
