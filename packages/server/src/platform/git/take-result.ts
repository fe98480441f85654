import { lstat, opendir, rm } from "node:fs/promises";
import { oneLine } from "../one-line.ts";
import { maxResultPathBytes } from "../path-length.ts";
import { type Author, messageWith, signatureOf, writeCommit } from "./commit-object.ts";
import { findUnacceptable, type Unacceptable } from "./find-unacceptable.ts";
import { laidOver } from "./laid-over.ts";
import { layOver, type MergedGeneration } from "./lay-over.ts";
import { modes, parseRawDiff, type RawChange } from "./raw-diff.ts";
import { refuseLeavingLinks } from "./refuse-leaving-links.ts";
import { refuseManyNames } from "./refuse-many-names.ts";
import { rootCommit, writeObject } from "./repository.ts";
import { type Repository, runGit } from "./run-git.ts";
import { WorkspaceError } from "./workspace-error.ts";

export interface ResultOptions {
  /** The commit that was checked out into the folder. */
  readonly base: string;
  readonly author: Author;
  readonly message: string;
  readonly trailers: Readonly<Record<string, string>>;
  readonly at: Date;
  /** Also take files that .gitignore excludes, where the folder is the complete content and not the work of an agent. */
  readonly takesIgnored?: boolean;
  /** Replaces generated files by their version merged with a person's changes. */
  readonly regenerated?: MergedGeneration | undefined;
  /** How many files the result may have. */
  readonly maxFiles?: number | undefined;
  readonly signal?: AbortSignal | undefined;
}

export interface Result {
  readonly commit: string;
  /** The number of files added, removed or changed. */
  readonly files: number;
}

/** The folder and the index of an attempt. */
export interface AttemptFiles {
  readonly tree: string;
  readonly index: string;
}

/** Commits the content of an attempt's folder; undefined if nothing changed. */
export async function takeResult(
  repository: Repository,
  files: AttemptFiles,
  { author, message, trailers, at, ...options }: ResultOptions,
): Promise<Result | undefined> {
  const { base, signal } = options;
  try {
    const found = await readTree(repository, files, options);
    if (found === undefined) return undefined;
    const { tree, changes } = found;
    await refuseLeavingLinks(repository, tree, changes, signal);
    const commit = writeCommit({
      tree,
      parents: [base],
      signature: signatureOf(author, at),
      message: messageWith(message, { ...trailers, ...laidOver(options.regenerated) }),
    });
    return { commit: await writeObject(repository.gitDir, "commit", commit), files: changes.length };
  } catch (error) {
    // An index with a refused entry would make git enter it on the next try.
    await rm(files.index, { force: true });
    throw error;
  }
}

/** Compares the folder with the base, and writes it as a tree; undefined if they are the same. */
async function readTree(
  repository: Repository,
  files: AttemptFiles,
  {
    base,
    takesIgnored = false,
    regenerated,
    maxFiles,
    signal,
  }: Omit<ResultOptions, "author" | "message" | "trailers" | "at">,
): Promise<{ tree: string; changes: RawChange[] } | undefined> {
  const found = await lstat(files.tree).catch(() => undefined);
  if (!found?.isDirectory()) {
    throw new WorkspaceError("unacceptable_file", "The folder of the workspace is missing, or is not a folder.");
  }
  // The first commit has no files, and git takes a missing index for an empty one.
  const isFromNothing = base === rootCommit;
  if (isFromNothing && regenerated === undefined && (await isEmpty(files.tree))) return undefined;
  const inTree = { workTree: files.tree, indexFile: files.index, signal };
  // Left by a killed try; no other attempt uses this index.
  await rm(`${files.index}.lock`, { force: true });
  const isIndexThere = await lstat(files.index).catch(() => undefined);
  if (!isIndexThere && !isFromNothing) await runGit(repository, ["read-tree", base], inTree);

  // Before git: it would wait for a pipe by the name of a file that it reads.
  const unacceptableEntry = await findUnacceptable(repository, files, signal);
  if (unacceptableEntry !== undefined) throw refusalOf(unacceptableEntry);
  await addAll(repository, inTree, takesIgnored);
  await refuseManyNames(files.index, maxFiles);
  if (regenerated !== undefined) {
    await layOver(repository, { ...regenerated, base }, inTree);
    await refuseManyNames(files.index, maxFiles);
  }

  const compare = ["diff-index", "--cached", "--raw", "-z", "--no-renames", "--ignore-submodules=all", base];
  const changes = await parseRawDiff((await runGit(repository, compare, inTree)).stdout);
  if (changes.length === 0) return undefined;
  const submodule = changes.find(({ newMode }) => newMode === modes.repository);
  if (submodule) throw nestedRepository(submodule.path);
  const { stdout: tree } = await runGit(repository, ["write-tree"], inTree);
  return { tree: tree.toString("latin1").trim(), changes };
}

/** Not of one that cannot be read: git says what is wrong with it. */
async function isEmpty(folder: string): Promise<boolean> {
  const opened = await opendir(folder).catch(() => undefined);
  if (opened === undefined) return false;
  try {
    return (await opened.read()) === null;
  } finally {
    await opened.close();
  }
}

async function addAll(
  repository: Repository,
  inTree: { workTree: string; indexFile: string; signal: AbortSignal | undefined },
  takesIgnored: boolean,
): Promise<void> {
  const args = ["add", "--all", ...(takesIgnored ? ["--force"] : [])];
  const { stderr } = await runGit(repository, args, inTree).catch((error: unknown) => {
    if (error instanceof WorkspaceError && error.code === "git_failed") throw unacceptable(error.message, error);
    throw error;
  });
  // Git would silently skip such a folder.
  if (/^warning: could not open directory/m.test(stderr)) throw unacceptable(stderr);
}

function refusalOf(entry: Unacceptable): WorkspaceError {
  const { path, kind } = entry;
  if (kind === "repository") return nestedRepository(path);
  return new WorkspaceError("unacceptable_file", `'${oneLine(path, 200)}' ${complaintOf(entry)}`, { path });
}

function complaintOf(entry: Exclude<Unacceptable, { kind: "repository" }>): string {
  if (entry.kind === "large") return `${entry.reason}. Remove it, or have git ignore it.`;
  if (entry.kind === "long")
    return `has a path longer than ${maxResultPathBytes} bytes. Shorten it, or have git ignore it.`;
  if (entry.kind === "misnamed") return "has a name that is not UTF-8. Rename it.";
  return `is a ${entry.kind}: a project consists of files, folders and links. Remove it.`;
}

function nestedRepository(path: string): WorkspaceError {
  return new WorkspaceError(
    "nested_repository",
    `'${oneLine(path, 200)}' is in the workspace: a git repository inside of it cannot be taken over.`,
    { path },
  );
}

/** The forms in which git names the path in an error. */
const pathInComplaint = /(?:invalid path|index file|open directory|unable to (?:add|stat)|open\() ?['"](.+?)\/?['"]/i;

function unacceptable(stderr: string, cause?: unknown): WorkspaceError {
  const [, repositoryPath] = /'(.+?)\/?' does not have a commit checked out/.exec(stderr) ?? [];
  if (repositoryPath !== undefined) return nestedRepository(repositoryPath);
  const [, path] = pathInComplaint.exec(stderr) ?? [];
  const [complaint = ""] = /(?<=(?:error|warning|fatal): ).+/.exec(stderr) ?? [stderr];
  const reason = /invalid path/i.test(stderr) ? "git does not allow such a path" : complaint;
  const what = path === undefined ? "The workspace" : `'${oneLine(path, 200)}'`;
  return new WorkspaceError("unacceptable_file", `${what} cannot be committed: ${oneLine(reason, 500)}`, {
    ...(path === undefined ? {} : { path }),
    cause,
  });
}
