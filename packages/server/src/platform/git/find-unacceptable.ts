import type { Stats } from "node:fs";
import { lstat } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { Readable } from "node:stream";
import { inTurns } from "../in-turns.ts";
import { roomForResult, roomIn } from "../path-length.ts";
import { FileRefusal, type FolderEntry, listProjectFolder } from "../project-files/index.ts";
import { findPaths } from "./find-paths.ts";
import { findTooLarge, type TooLarge } from "./find-too-large.ts";
import { PathTree } from "./path-tree.ts";
import { type GitOptions, type Repository, runGit } from "./run-git.ts";
import { zeroEnded } from "./zero-ended.ts";

/** Up to so many folders and entries are looked at without asking git what is ignored, and in this process. */
const maxLookedAt = { folders: 500, depth: 30, entries: 20_000 };

/** More pipes and sockets than a program leaves behind. */
const maxIgnoredOnes = 20;

/** An entry that a project cannot have: a repository of its own, what is no file, folder or link, or a giant. */
export type Unacceptable = OddEntry | ({ readonly kind: "large" } & TooLarge);

interface OddEntry {
  readonly path: string;
  readonly kind: "repository" | "misnamed" | "long" | "pipe" | "socket" | "device";
}

interface Found {
  /** There is something odd, which git may ignore. */
  readonly isOdd: boolean;
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
  const quick = await lookQuickly(tree, signal);
  if (!quick.isOdd && quick.isComplete && !(await findTooLarge(tree, { ...quick, signal }))) return undefined;
  // Git would wait for ever for what it reads itself, to learn what is ignored.
  const readByGit = await findReadByGit(tree, signal);
  if (readByGit !== undefined) return readByGit;
  const inTree = { workTree: tree, indexFile: index, signal };
  const inside = await findRepository(repository, tree, inTree);
  if (inside !== undefined) return inside;
  const ignored = await ignoredPaths(repository, tree, index, signal);
  // Git lists ignored folders and files, but not the others that it ignores.
  let asked = 0;
  for (const entry of await findOdd(tree, ignored, signal)) {
    asked += 1;
    if (asked > maxIgnoredOnes || !(await isIgnored(repository, entry, inTree))) return entry;
  }
  const large = await findTooLarge(tree, { files: [], isComplete: false, signal }, (path) => ignored.covers(path));
  return large && { kind: "large", ...large };
}

async function isIgnored(repository: Repository, { path, kind }: OddEntry, inTree: GitOptions): Promise<boolean> {
  if (isNeverIgnored(kind)) return false;
  // This command knows no literal paths; a path that begins so has no other meaning.
  const args = ["--no-literal-pathspecs", "check-ignore", "-q", "-z", "--stdin"];
  return (await runGit(repository, args, { ...inTree, input: `./${path}\0`, answers: [0, 1] })).code === 0;
}

/** Two names that are not UTF-8 look alike here: git may ignore one and take the other. Long paths it may not take. */
function isNeverIgnored(kind: OddEntry["kind"]): boolean {
  return kind === "repository" || kind === "misnamed" || kind === "long";
}

/** Finds what git would read on its way and wait for, at any depth: by a program, which is fast. */
async function findReadByGit(tree: string, signal: AbortSignal | undefined): Promise<OddEntry | undefined> {
  const named = ["(", "-name", ".gitignore", "-o", "-name", ".gitattributes", ")"];
  const expression = [".", ...named, "!", "-type", "f", "!", "-type", "d", "!", "-type", "l"];
  const [path] = await findPaths(tree, expression, signal);
  return path === undefined ? undefined : { path, kind: await kindAt(tree, path) };
}

/**
 * Finds a repository that is not ignored. Git would look into it to list what is, and wait where its `HEAD` is a pipe; to say
 * whether a path is ignored, it does not.
 */
async function findRepository(repository: Repository, tree: string, inTree: GitOptions): Promise<OddEntry | undefined> {
  const found: string[] = [];
  for await (const path of inTurns(await findPaths(tree, [".", "-name", ".git", "-prune"], inTree.signal))) {
    if (path === ".git") return { path, kind: "repository" };
    // Others are told as such.
    if (!isMisnamed(path) && Buffer.byteLength(path) <= roomIn(tree)) found.push(path);
  }
  if (found.length === 0) return undefined;
  const input = Readable.from(found.map((path) => Buffer.from(`./${dirname(path)}\0`)));
  const args = ["--no-literal-pathspecs", "check-ignore", "-z", "--stdin"];
  const { stdout } = await runGit(repository, args, { ...inTree, input, answers: [0, 1] });
  const ignored = new Set<string>();
  for await (const path of zeroEnded(stdout)) ignored.add(path);
  for await (const path of inTurns(found)) if (!ignored.has(`./${dirname(path)}`)) return { path, kind: "repository" };
  return undefined;
}

/**
 * Finds all that is not ignored and that a project cannot have: by a program, because an agent may leave a million folders,
 * which would hold up this process for minutes.
 */
async function findOdd(tree: string, ignored: PathTree, signal: AbortSignal | undefined): Promise<OddEntry[]> {
  const isOdd = ["!", "-type", "f", "!", "-type", "d", "!", "-type", "l"];
  const odd = await findPaths(tree, [".", "(", ...isOdd, "-o", "-name", ".git", ")"], signal);
  // The program reads bytes: which names beyond ASCII are UTF-8 is decided here.
  const named: string[] = [];
  for await (const path of inTurns(await findPaths(tree, [".", "-name", "*[! -~]*"], signal)))
    if (isMisnamed(basename(path))) named.push(path);
  // The first one on each way down; a path of the program begins with two characters more.
  const tooLong = `${"?".repeat(roomForResult(tree) + 3)}*`;
  const long = await findPaths(tree, [".", "-path", tooLong, "-prune"], signal);
  const firstOf = async (paths: readonly string[], kind: OddEntry["kind"]): Promise<OddEntry[]> => {
    for await (const path of inTurns(paths)) if (!ignored.covers(dirname(path))) return [{ path, kind }];
    return [];
  };
  const found = [...(await firstOf(named, "misnamed")), ...(await firstOf(long, "long"))];
  for await (const path of inTurns(odd)) {
    if (found.length > maxIgnoredOnes) break;
    if (ignored.covers(dirname(path))) continue;
    if (basename(path) === ".git") found.push({ path, kind: "repository" });
    else if (!ignored.has(path)) found.push({ path, kind: await kindAt(tree, path) });
  }
  return found;
}

/** What is at a path that the program named; a pipe, if it has gone since. */
async function kindAt(tree: string, path: string): Promise<OddEntry["kind"]> {
  const found = await lstat(join(tree, path)).catch(() => undefined);
  return (found && oddKindOf(found)) ?? "pipe";
}

/** Looks through a tree as far as that is quick. */
async function lookQuickly(tree: string, signal: AbortSignal | undefined): Promise<Found> {
  const files: string[] = [];
  const folders = ["."];
  // Git takes longer ones from the tree on, which nobody could look at.
  const room = roomForResult(tree);
  let left = maxLookedAt.entries;
  for (let at = 0; at < folders.length; at += 1) {
    const folder = folders[at]!;
    if (at >= maxLookedAt.folders || folder.split("/").length > maxLookedAt.depth)
      return { isOdd: false, isComplete: false, files };
    const entries = await entriesOf(tree, folder, { maxEntries: left, signal });
    if (entries === undefined) return { isOdd: false, isComplete: false, files };
    left -= entries.length;
    for (const { name, kind } of entries) {
      const path = folder === "." ? name : `${folder}/${name}`;
      const isOdd = kind === "other" || name === ".git" || isMisnamed(name) || Buffer.byteLength(path) > room;
      if (isOdd) return { isOdd, isComplete: true, files };
      if (kind === "folder") folders.push(path);
      else if (kind === "file") files.push(path);
    }
  }
  return { isOdd: false, isComplete: true, files };
}

/** Undefined where that takes a program; none of an unreadable folder, which git reports later. */
async function entriesOf(
  tree: string,
  folder: string,
  options: { readonly maxEntries: number; readonly signal: AbortSignal | undefined },
): Promise<readonly FolderEntry[] | undefined> {
  try {
    return await listProjectFolder(tree, folder, options);
  } catch (error) {
    options.signal?.throwIfAborted();
    if (!(error instanceof FileRefusal)) return undefined;
    if (error.code === "stuck") throw error;
    // Not that of a name.
    const isClosed = error.code === "unreadable" && error.cause !== undefined;
    return isClosed ? [] : undefined;
  }
}

/** Nothing below could be looked at by this name, yet git would take it. */
function isMisnamed(name: string): boolean {
  return name.includes("\ufffd");
}

function oddKindOf(entry: Stats): OddEntry["kind"] | undefined {
  if (entry.isFIFO()) return "pipe";
  if (entry.isSocket()) return "socket";
  return entry.isBlockDevice() || entry.isCharacterDevice() ? "device" : undefined;
}

async function ignoredPaths(
  repository: Repository,
  tree: string,
  index: string,
  signal?: AbortSignal,
): Promise<PathTree> {
  const args = ["ls-files", "--others", "--ignored", "--exclude-standard", "--directory", "-z"];
  const { stdout } = await runGit(repository, args, { workTree: tree, indexFile: index, signal });
  const paths: string[] = [];
  for await (const path of zeroEnded(stdout)) paths.push(path.replace(/\/$/, ""));
  return PathTree.of(paths);
}
