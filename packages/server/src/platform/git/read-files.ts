import { inTurns } from "../in-turns.ts";
import { modes, parseRawDiff } from "./raw-diff.ts";
import { readCommit } from "./repository.ts";
import { type Repository, runGit } from "./run-git.ts";
import { streamGit } from "./stream-git.ts";
import { WorkspaceError } from "./workspace-error.ts";

export interface ListedFile {
  readonly path: string;
  readonly kind: "file" | "executable" | "link";
  readonly sizeBytes: number;
}

export interface ChangedFile {
  readonly path: string;
  readonly change: "added" | "modified" | "removed";
}

export interface ReadOptions {
  readonly maxBytes?: number;
  readonly signal?: AbortSignal | undefined;
}

const maxFileBytes = 16 * 1024 * 1024;

/** The content of a file, or the target of a link, at a commit; undefined if it does not exist. */
export async function readFileAt(
  repository: Repository,
  commit: string,
  path: string,
  { maxBytes = maxFileBytes, signal }: ReadOptions = {},
): Promise<Buffer | undefined> {
  if (path === "" || path.includes("\0") || path.split("/").some((part) => ["", ".", ".."].includes(part))) {
    return undefined;
  }
  const { stdout } = await runGit(repository, ["cat-file", "--batch", "-z"], {
    input: `${commit}:${path}\0`,
    signal,
    maxOutputBytes: maxBytes + 200,
  }).catch((error: unknown) => {
    if (error instanceof WorkspaceError && error.code === "too_large") throw tooLarge(path, maxBytes);
    throw error;
  });
  const [, size] = /^[0-9a-f]{40} blob (\d+)\n/.exec(stdout.toString("latin1", 0, 100)) ?? [];
  if (size === undefined) {
    // Is the path missing, or the commit? Only the second is an error.
    await readCommit(repository, commit, signal);
    return undefined;
  }
  if (Number(size) > maxBytes) throw tooLarge(path, maxBytes);
  const start = stdout.indexOf(10) + 1;
  return stdout.subarray(start, start + Number(size));
}

/** A file with the git id of its content. */
export type ListedBlob = ListedFile & { readonly id: string };

const listing = ["ls-tree", "-r", "-z", "--long", "--full-tree"];

/** All files at a commit, in git's order; others have their turns, for the names of a project may take 60 MB. */
export async function listFilesAt(repository: Repository, commit: string, signal?: AbortSignal): Promise<ListedBlob[]> {
  return Array.fromAsync(inTurns(await filesAt(repository, commit, signal)));
}

/** Iterates over all files at a commit; only the raw list of git is held in memory. */
export async function filesAt(
  repository: Repository,
  commit: string,
  signal?: AbortSignal,
): Promise<Iterable<ListedBlob>> {
  const { stdout } = await runGit(repository, [...listing, commit], { signal });
  return { [Symbol.iterator]: () => parseListing(stdout) };
}

/** The same for who may take hours: nothing but a piece of the list is held meanwhile. The time limit is for all of it. */
export async function* streamFilesAt(
  repository: Repository,
  commit: string,
  signal?: AbortSignal,
): AsyncGenerator<ListedBlob> {
  let rest = Buffer.alloc(0);
  for await (const chunk of streamGit(repository, [...listing, commit], { signal }) as AsyncIterable<Buffer>) {
    const output = Buffer.concat([rest, chunk]);
    const end = output.lastIndexOf(0) + 1;
    yield* parseListing(output.subarray(0, end));
    rest = output.subarray(end);
  }
}

/** The files that differ between two commits. */
export async function changedFilesBetween(
  repository: Repository,
  from: string,
  to: string,
  signal?: AbortSignal,
): Promise<ChangedFile[]> {
  const { stdout } = await runGit(repository, ["diff-tree", "-r", "--raw", "-z", "--no-renames", from, to], { signal });
  return (await parseRawDiff(stdout)).map(({ path, oldMode, newMode }) => ({
    path,
    change: oldMode === modes.none ? "added" : newMode === modes.none ? "removed" : "modified",
  }));
}

/** A binary patch from one commit to another, for `git apply`. */
export async function patchBetween(
  repository: Repository,
  from: string,
  to: string,
  { maxBytes = maxFileBytes, signal }: ReadOptions = {},
): Promise<Buffer> {
  const args = [
    "diff-tree",
    "-p",
    "--binary",
    "--full-index",
    "--no-renames",
    "--no-ext-diff",
    "--no-textconv",
    from,
    to,
  ];
  const { stdout } = await runGit(repository, args, { signal, maxOutputBytes: maxBytes });
  return stdout;
}

function* parseListing(output: Buffer): Generator<ListedBlob> {
  for (let start = 0; start < output.length; ) {
    const tab = output.indexOf(9, start);
    const end = output.indexOf(0, tab);
    const [mode, , id, size] = output.toString("latin1", start, tab).split(/ +/);
    yield { path: output.toString("utf8", tab + 1, end), kind: kindOf(mode!), sizeBytes: Number(size), id: id! };
    start = end + 1;
  }
}

function kindOf(mode: string): ListedFile["kind"] {
  if (mode === modes.link) return "link";
  return mode === modes.executable ? "executable" : "file";
}

function tooLarge(path: string, maxBytes: number): WorkspaceError {
  return new WorkspaceError("too_large", `'${path}' is larger than ${maxBytes} bytes.`, { path });
}
