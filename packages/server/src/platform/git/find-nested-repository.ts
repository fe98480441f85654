import type { Dirent } from "node:fs";
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { type Repository, runGit } from "./run-git.ts";

/** Up to this many folders are read without asking git which are ignored. */
const foldersWithoutAsking = 500;

interface Search {
  readonly tree: string;
  /** Folders to leave out, by their path from the root. */
  readonly ignored: ReadonlySet<string>;
  readonly maxFolders: number;
}

/**
 * Finds a `.git` in a tree, outside of ignored folders. Git would silently skip it, or treat a nested repository as a
 * submodule; in folders that a build fetched (`deps/`, `_deps/`) it does not matter.
 */
export async function findNestedRepository(
  repository: Repository,
  { tree, index }: { tree: string; index: string },
  signal?: AbortSignal,
): Promise<string | undefined> {
  const quick = await search({ tree, ignored: new Set(), maxFolders: foldersWithoutAsking });
  if (quick.path === undefined && quick.isComplete) return undefined;
  const ignored = await ignoredFolders(repository, tree, index, signal);
  return (await search({ tree, ignored, maxFolders: Number.POSITIVE_INFINITY })).path;
}

async function search({ tree, ignored, maxFolders }: Search): Promise<{ path?: string; isComplete: boolean }> {
  // Level by level, with the folders of a level read in parallel.
  let level = [""];
  let folders = 0;
  while (level.length > 0) {
    folders += level.length;
    if (folders > maxFolders) return { isComplete: false };
    const read = await Promise.all(level.map(async (path) => ({ path, entries: await list(join(tree, path)) })));
    const below: string[] = [];
    for (const { path, entries } of read) {
      for (const entry of entries) {
        const entryPath = path === "" ? entry.name : `${path}/${entry.name}`;
        if (entry.name === ".git") return { path: entryPath, isComplete: true };
        if (entry.isDirectory() && !ignored.has(entryPath)) below.push(entryPath);
      }
    }
    level = below;
  }
  return { isComplete: true };
}

/** Ignores unreadable folders, which git reports later. */
async function list(folder: string): Promise<Dirent[]> {
  return readdir(folder, { withFileTypes: true }).catch(() => []);
}

async function ignoredFolders(
  repository: Repository,
  tree: string,
  index: string,
  signal?: AbortSignal,
): Promise<Set<string>> {
  const args = ["ls-files", "--others", "--ignored", "--exclude-standard", "--directory", "-z"];
  const { stdout } = await runGit(repository, args, { workTree: tree, indexFile: index, signal });
  const paths = stdout.toString("utf8").split("\0");
  return new Set(paths.filter((path) => path.endsWith("/")).map((path) => path.slice(0, -1)));
}
