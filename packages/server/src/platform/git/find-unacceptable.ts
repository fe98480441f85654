import type { Dirent, Stats } from "node:fs";
import { lstat, readdir } from "node:fs/promises";
import { join } from "node:path";
import { findPaths } from "./find-paths.ts";
import { findTooLarge, type TooLarge } from "./find-too-large.ts";
import { type GitOptions, type Repository, runGit } from "./run-git.ts";

/** Up to this many folders are read without asking git which are ignored. */
const foldersWithoutAsking = 500;

/** More pipes and sockets than a program leaves behind. */
const maxIgnoredOnes = 20;

interface Search {
  readonly tree: string;
  /** Entries to leave out, by their path from the root. */
  readonly ignored: ReadonlySet<string>;
  readonly maxFolders: number;
}

/** An entry that a project cannot have: a repository of its own, what is no file, folder or link, or a giant. */
export type Unacceptable = OddEntry | ({ readonly kind: "large" } & TooLarge);

interface OddEntry {
  readonly path: string;
  readonly kind: "repository" | "misnamed" | "pipe" | "socket" | "device";
}

interface Found {
  readonly entry?: OddEntry;
  readonly isComplete: boolean;
  readonly files: readonly string[];
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
  if (quick.entry === undefined && quick.isComplete && !(await findTooLarge(tree, quick))) return undefined;
  // Git would wait for ever for what it reads itself, to learn what is ignored.
  const readByGit = await findReadByGit(tree);
  if (readByGit !== undefined) return readByGit;
  const ignored = await ignoredPaths(repository, tree, index, signal);
  let all = await search({ tree, ignored, maxFolders: Number.POSITIVE_INFINITY });
  // Git lists ignored folders and files, but not the others that it ignores.
  for (let tries = 0; all.entry !== undefined && tries < maxIgnoredOnes; tries += 1) {
    if (!(await isIgnored(repository, all.entry, { workTree: tree, indexFile: index, signal }))) break;
    ignored.add(all.entry.path);
    all = await search({ tree, ignored, maxFolders: Number.POSITIVE_INFINITY });
  }
  if (all.entry !== undefined) return all.entry;
  const large = await findTooLarge(tree, all, (path) => isBelow(path, ignored));
  return large && { kind: "large", ...large };
}

async function isIgnored(repository: Repository, { path, kind }: OddEntry, inTree: GitOptions): Promise<boolean> {
  if (isNeverIgnored(kind)) return false;
  // This command knows no literal paths; a path that begins so has no other meaning.
  const args = ["--no-literal-pathspecs", "check-ignore", "-q", "-z", "--stdin"];
  return (await runGit(repository, args, { ...inTree, input: `./${path}\0`, answers: [0, 1] })).code === 0;
}

/** Whether a path or a folder that it is in is one of these. */
function isBelow(path: string, ignored: ReadonlySet<string>): boolean {
  for (let at = path.length; at > 0; at = path.lastIndexOf("/", at - 1))
    if (ignored.has(path.slice(0, at))) return true;
  return false;
}

/** Two names that are not UTF-8 look alike here: git may ignore one and take the other. */
function isNeverIgnored(kind: OddEntry["kind"]): boolean {
  return kind === "repository" || kind === "misnamed";
}

/** Finds what git would read on its way and wait for, at any depth: by a program, which is fast. */
async function findReadByGit(tree: string): Promise<OddEntry | undefined> {
  const named = ["(", "-name", ".gitignore", "-o", "-name", ".gitattributes", ")"];
  const [path] = await findPaths(tree, [".", ...named, "!", "-type", "f", "!", "-type", "d", "!", "-type", "l"]);
  if (path === undefined) return undefined;
  const found = await lstat(join(tree, path)).catch(() => undefined);
  return { path, kind: (found && oddKindOf(found)) ?? "pipe" };
}

async function search({ tree, ignored, maxFolders }: Search): Promise<Found> {
  // Level by level, with the folders of a level read in parallel.
  let level = [""];
  let folders = 0;
  const files: string[] = [];
  while (level.length > 0) {
    folders += level.length;
    if (folders > maxFolders) return { isComplete: false, files };
    const read = await Promise.all(level.map(async (path) => ({ path, entries: await list(join(tree, path)) })));
    const below: string[] = [];
    const found: OddEntry[] = [];
    for (const { path, entries } of read) {
      for (const entry of entries) {
        const entryPath = path === "" ? entry.name : `${path}/${entry.name}`;
        const kind = kindOf(entry);
        const isIgnored = ignored.has(entryPath);
        if (kind !== undefined && (!isIgnored || isNeverIgnored(kind))) found.push({ path: entryPath, kind });
        if (entry.isDirectory() && !isIgnored) below.push(entryPath);
        else if (entry.isFile() && !isIgnored) files.push(entryPath);
      }
    }
    const [entry] = found;
    if (entry !== undefined) return { entry, isComplete: true, files };
    level = below;
  }
  return { isComplete: true, files };
}

/** Ignores unreadable folders, which git reports later. */
async function list(folder: string): Promise<Dirent[]> {
  return readdir(folder, { withFileTypes: true }).catch(() => []);
}

function kindOf(entry: Dirent): OddEntry["kind"] | undefined {
  if (entry.name === ".git") return "repository";
  // Nothing below could be looked at by this name, yet git would take it.
  if (entry.name.includes("\ufffd")) return "misnamed";
  return oddKindOf(entry);
}

function oddKindOf(entry: Dirent | Stats): OddEntry["kind"] | undefined {
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
