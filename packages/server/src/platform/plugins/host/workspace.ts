import { chmod, lstat, mkdir, readFile, realpath, writeFile } from "node:fs/promises";
import { dirname, isAbsolute, join, normalize, relative, sep } from "node:path";

/** The folder of an attempt, as a plugin sees it. It refuses links that lead out of the folder. */
export function workspaceIn(folder: string, document: unknown) {
  return {
    document,
    read: async (path: string): Promise<string | undefined> => {
      const place = await inside(folder, path);
      return readFile(place, "utf8").catch(() => undefined);
    },
    write: async (path: string, content: string | Uint8Array, { isExecutable = false } = {}): Promise<void> => {
      if (typeof content !== "string" && !(content instanceof Uint8Array))
        throw new TypeError(`The content of '${path}' must be a string or a Uint8Array.`);
      const place = await inside(folder, path);
      await mkdir(dirname(place), { recursive: true });
      await writeFile(place, content);
      await chmod(place, isExecutable ? 0o755 : 0o644);
    },
  };
}

async function inside(folder: string, path: string): Promise<string> {
  const root = await realpath(folder);
  const place = join(root, normalize(path));
  refuseOutside(relative(root, place), path);
  // The nearest part that exists: nothing below it can be a link.
  for (let there = place; ; there = dirname(there)) {
    const found = await lstat(there).catch(() => undefined);
    if (found === undefined) continue;
    refuseOutside(relative(root, await realpath(there)), path);
    return place;
  }
}

function refuseOutside(way: string, path: string): void {
  const parts = way.split(sep);
  if (isAbsolute(path) || isAbsolute(way) || parts[0] === ".." || parts.includes(".git"))
    throw new Error(`'${path}' is not a path inside the folder.`);
}
