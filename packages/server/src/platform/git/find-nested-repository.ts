import type { Dirent } from "node:fs";
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { type Repository, runGit } from "./run-git.ts";

/** So many are looked at without asking git which of them are ignored. */
const foldersWithoutAsking = 500;

interface Search {
  readonly tree: string;
  /** Folders that are left out, from the root of the tree. */
  readonly ignored: ReadonlySet<string>;
  readonly maxFolders: number;
}

/**
 * The path of something named `.git` in a tree, if there is any outside of ignored folders. Git itself passes over it without a
 * word, or takes a repository in the tree for a submodule; in what a build fetched (`deps/`, `_deps/`) it is nobody's concern.
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
  // Level by level: a level's folders are read side by side.
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

/** What cannot be read is for git to complain about. */
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
