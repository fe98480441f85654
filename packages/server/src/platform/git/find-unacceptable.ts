import type { Dirent } from "node:fs";
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { type Repository, runGit } from "./run-git.ts";

/** Up to this many folders are read without asking git which are ignored. */
const foldersWithoutAsking = 500;

interface Search {
  readonly tree: string;
  /** Entries to leave out, by their path from the root. */
  readonly ignored: ReadonlySet<string>;
  readonly maxFolders: number;
}

/** An entry that a project cannot have: a repository of its own, or what is neither file, folder nor link. */
export interface Unacceptable {
  readonly path: string;
  readonly kind: "repository" | "pipe" | "socket" | "device";
}

interface Found {
  readonly entry?: Unacceptable;
  readonly isComplete: boolean;
}

/**
 * Finds what git would silently skip, take for a submodule or wait for: a `.git`, a pipe, a socket, a device. In ignored
 * folders, such as those that a build fetched (`deps/`, `_deps/`), it does not matter.
 */
export async function findUnacceptable(
  repository: Repository,
  { tree, index }: { tree: string; index: string },
  signal?: AbortSignal,
): Promise<Unacceptable | undefined> {
  const quick = await search({ tree, ignored: new Set(), maxFolders: foldersWithoutAsking });
  if (quick.entry === undefined && quick.isComplete) return undefined;
  // Git would wait for ever for what it reads itself, to learn what is ignored.
  if (quick.entry !== undefined && isReadByGit(quick.entry)) return quick.entry;
  const ignored = await ignoredPaths(repository, tree, index, signal);
  return (await search({ tree, ignored, maxFolders: Number.POSITIVE_INFINITY })).entry;
}

function isReadByGit({ path, kind }: Unacceptable): boolean {
  return kind !== "repository" && /(^|\/)\.git(ignore|attributes)$/.test(path);
}

async function search({ tree, ignored, maxFolders }: Search): Promise<Found> {
  // Level by level, with the folders of a level read in parallel.
  let level = [""];
  let folders = 0;
  while (level.length > 0) {
    folders += level.length;
    if (folders > maxFolders) return { isComplete: false };
    const read = await Promise.all(level.map(async (path) => ({ path, entries: await list(join(tree, path)) })));
    const below: string[] = [];
    const found: Unacceptable[] = [];
    for (const { path, entries } of read) {
      for (const entry of entries) {
        const entryPath = path === "" ? entry.name : `${path}/${entry.name}`;
        const kind = kindOf(entry);
        const isIgnored = ignored.has(entryPath);
        if (kind !== undefined && !(isIgnored && kind !== "repository")) found.push({ path: entryPath, kind });
        if (entry.isDirectory() && !isIgnored) below.push(entryPath);
      }
    }
    // First what git would wait for.
    const entry = found.find(isReadByGit) ?? found[0];
    if (entry !== undefined) return { entry, isComplete: true };
    level = below;
  }
  return { isComplete: true };
}

/** Ignores unreadable folders, which git reports later. */
async function list(folder: string): Promise<Dirent[]> {
  return readdir(folder, { withFileTypes: true }).catch(() => []);
}

function kindOf(entry: Dirent): Unacceptable["kind"] | undefined {
  if (entry.name === ".git") return "repository";
  if (entry.isFIFO()) return "pipe";
  if (entry.isSocket()) return "socket";
  return entry.isBlockDevice() || entry.isCharacterDevice() ? "device" : undefined;
}

async function ignoredPaths(
  repository: Repository,
  tree: string,
  index: string,
  signal?: AbortSignal,
): Promise<Set<string>> {
  const args = ["ls-files", "--others", "--ignored", "--exclude-standard", "--directory", "-z"];
  const { stdout } = await runGit(repository, args, { workTree: tree, indexFile: index, signal });
  const paths = stdout.toString("utf8").split("\0");
  return new Set(paths.map((path) => path.replace(/\/$/, "")));
}
