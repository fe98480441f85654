import { chmod, mkdir, open, symlink } from "node:fs/promises";
import { dirname, join } from "node:path";
import { type Entry, readEntries } from "./read-entries.ts";

interface UnpackOptions {
  /** Whether paths may be git's own: in data, not in sources. */
  readonly hasRepositories?: boolean;
  /** How many files, links and folders a stranger's archive may have. */
  readonly maxEntries?: number;
}

/**
 * Unpacks a tar archive into a folder; returns the number of files and links. It refuses paths that leave the folder, and
 * creates links last, so that nothing is written through one.
 */
export async function unpackFolder(
  archive: AsyncIterable<Uint8Array>,
  folder: string,
  { hasRepositories = false, maxEntries }: UnpackOptions = {},
): Promise<number> {
  const count = maxEntries === undefined ? () => undefined : entryCounter(maxEntries);
  const links: { readonly path: string; readonly target: string }[] = [];
  let files = 0;
  for await (const entry of readEntries(archive)) {
    requireInside(entry.path, hasRepositories);
    count(entry);
    const path = join(folder, entry.path);
    switch (entry.kind) {
      case "link":
        links.push({ path, target: entry.target });
        break;
      case "folder":
        await mkdir(path, { recursive: true });
        break;
      case "file":
        await writeFile(entry, path);
        files += 1;
    }
  }
  // All folders before the first link: a link that lies in another one would be created where that one leads.
  for (const { path } of links) await mkdir(dirname(path), { recursive: true });
  for (const { path, target } of links) await symlink(target, path);
  return files + links.length;
}

/** The folders that a folder has, by name. */
interface Folders extends Map<string, Folders> {}

/** Refuses one entry too many, with the folders that it lies in: one path of a few kilobytes may name two thousand. */
function entryCounter(maxEntries: number): (entry: Entry) => void {
  const top: Folders = new Map();
  let entries = 0;
  const add = () => {
    entries += 1;
    if (entries > maxEntries) throw new Error(`The archive has more than ${maxEntries} files and folders.`);
  };
  return ({ path, kind }) => {
    const names = path.split("/").filter((name) => name !== "" && name !== ".");
    if (kind !== "folder") {
      names.pop();
      add();
    }
    let place = top;
    for (const name of names) {
      let below = place.get(name);
      if (below === undefined) {
        add();
        below = new Map();
        place.set(name, below);
      }
      place = below;
    }
  };
}

async function writeFile({ content, isExecutable }: Entry, path: string): Promise<void> {
  await mkdir(dirname(path), { recursive: true });
  const file = await open(path, "wx");
  try {
    for await (const chunk of content) await file.writeFile(chunk);
  } finally {
    await file.close();
  }
  if (isExecutable) await chmod(path, 0o755);
}

function requireInside(path: string, hasRepositories: boolean): void {
  const parts = path.split("/");
  const isOutside = path === "" || path.startsWith("/") || parts.includes("..") || path.includes("\0");
  if (isOutside || (!hasRepositories && parts.some((part) => /^\.git$/i.test(part))))
    throw new Error(`The archive's '${path}' is not a path inside the folder.`);
}
