import { constants } from "node:fs";
import { chmod, lstat, mkdir, open, realpath, writeFile } from "node:fs/promises";
import { dirname, isAbsolute, join, normalize, relative, sep } from "node:path";

/** The folder of an attempt, as a plugin sees it. It refuses links that lead out of the folder. */
export function workspaceIn(folder: string, document: unknown) {
  return {
    document,
    read: async (path: string): Promise<string | undefined> => {
      const place = await inside(folder, path);
      return readRegular(place, path);
    },
    write: async (path: string, content: string | Uint8Array, { isExecutable = false } = {}): Promise<void> => {
      if (typeof content !== "string" && !(content instanceof Uint8Array))
        throw new TypeError(`The content of '${path}' must be a string or a Uint8Array.`);
      const place = await inside(folder, path);
      const before = await lstat(place).catch(() => undefined);
      if (before !== undefined && !before.isFile()) throw notRegular(path);
      await mkdir(dirname(place), { recursive: true });
      await writeFile(place, content);
      await chmod(place, isExecutable ? 0o755 : 0o644);
    },
  };
}

/**
 * The content of a regular file; a pipe would block the plugin until its time is over. This process is the plugin's own, in
 * its sandbox, where the service's code for files of projects is not visible.
 */
async function readRegular(place: string, path: string): Promise<string | undefined> {
  const file = await open(place, constants.O_RDONLY | constants.O_NONBLOCK).catch(() => undefined);
  if (file === undefined) return undefined;
  try {
    if (!(await file.stat()).isFile()) throw notRegular(path);
    return await file.readFile("utf8");
  } finally {
    await file.close();
  }
}

function notRegular(path: string): Error {
  return new Error(`'${path}' is not a regular file.`);
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
