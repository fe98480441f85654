import { inTurns } from "../in-turns.ts";
import { oneLine } from "../one-line.ts";
import type { Entry, IndexEdit } from "./index-entries.ts";
import { PathTree } from "./path-tree.ts";
import { type GitOptions, type Repository, runGit } from "./run-git.ts";
import { WorkspaceError } from "./workspace-error.ts";
import { zeroEnded } from "./zero-ended.ts";

type Entries = ReadonlyMap<string, Entry>;

interface Versions {
  /** What git took of a task's folder. */
  readonly now: Entries;
  readonly generated: Entries;
  readonly merged: Entries;
}

/**
 * Generated files that git takes from no folder, because an agent of this run had it ignore them: without this, they would
 * be gone without a word, and a person's changes of them too. Refuses a file of the person's in whose way an agent has put a
 * link or a file. Others that are not there belong to a part that is not generated yet.
 */
export async function hiddenEdits(
  repository: Repository,
  { now, generated, merged }: Versions,
  inTree: Pick<GitOptions, "workTree" | "indexFile" | "signal">,
): Promise<IndexEdit[]> {
  const missing = new Map<string, Entry>();
  for await (const path of inTurns(generated.keys())) {
    const entry = now.has(path) ? undefined : merged.get(path);
    if (entry !== undefined) missing.set(path, entry);
  }
  if (missing.size === 0) return [];
  const taken = await PathTree.of(now.keys());
  for await (const [path, entry] of inTurns(missing)) {
    if (!taken.covers(path)) continue;
    if (!isSame(entry, generated.get(path))) throw blocked(path);
    missing.delete(path);
  }
  const ignored = await findIgnored(repository, missing, inTree);
  return [...missing].flatMap(([path, entry]) => (ignored.has(path) ? [{ path, entry }] : []));
}

async function findIgnored(
  repository: Repository,
  missing: Entries,
  inTree: Pick<GitOptions, "workTree" | "indexFile" | "signal">,
): Promise<ReadonlySet<string>> {
  // This command knows no literal paths; a path that begins so has no other meaning.
  const input = [...missing.keys()].map((path) => `./${path}\0`).join("");
  const args = ["--no-literal-pathspecs", "check-ignore", "-z", "--stdin"];
  const { stdout } = await runGit(repository, args, { ...inTree, input, answers: [0, 1] }).catch(explainLink);
  const found = new Set<string>();
  for await (const path of zeroEnded(stdout)) found.add(path.slice(2));
  return found;
}

/** A link that git ignores is in no index, and ends this command. */
function explainLink(error: unknown): never {
  const path =
    error instanceof WorkspaceError && /pathspec '\.\/(.+)' is beyond a symbolic link/s.exec(error.message)?.[1];
  throw path ? blocked(path) : error;
}

function blocked(path: string): WorkspaceError {
  return new WorkspaceError(
    "unacceptable_file",
    `'${oneLine(path, 200)}' has no place in the result: a folder that it lies in is a link or a file in this run.`,
    { path },
  );
}

function isSame(a: Entry, b: Entry | undefined): boolean {
  return a.id === b?.id && a.mode === b.mode;
}
