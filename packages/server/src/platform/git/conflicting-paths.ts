import { type Repository, runGit } from "./run-git.ts";
import { zeroEnded } from "./zero-ended.ts";

interface Sides {
  readonly base: string;
  readonly mine: string;
  readonly head: string;
  readonly signal?: AbortSignal | undefined;
}

/**
 * The paths that a merge is in conflict over, as the project calls them. For a file in the way of a folder, or in a folder
 * that was renamed, git makes a path up; its messages tell which one that stands for.
 */
export async function conflictingPaths(
  repository: Repository,
  { base, mine, head, signal }: Sides,
  told: readonly string[],
): Promise<readonly string[]> {
  const end = told.indexOf("");
  const named = end === -1 ? told : told.slice(0, end);
  const changed = await Promise.all([mine, head].map((side) => changedPaths(repository, base, side, signal)));
  const isOwn = (path: string) => changed.some((paths) => paths.has(path));
  const meant = meantBy(pathsOfMessages(told.slice(named.length + 1)), isOwn);
  const own = named.flatMap((path) => (isOwn(path) ? [path] : (meant.get(path) ?? [path])));
  return [...new Set(own)];
}

/** What each path that git made up stands for: the project's own of the messages that name it. */
function meantBy(messages: readonly (readonly string[])[], isOwn: (path: string) => boolean) {
  const meant = new Map<string, string[]>();
  for (const paths of messages) {
    const own = paths.filter(isOwn);
    if (own.length === 0) continue;
    for (const path of paths) {
      if (isOwn(path)) continue;
      const others = meant.get(path);
      if (others === undefined) meant.set(path, [...own]);
      else others.push(...own);
    }
  }
  return meant;
}

/** Each message is a number of paths, these paths, its kind and its text. */
function pathsOfMessages(told: readonly string[]): string[][] {
  const all: string[][] = [];
  for (let at = 0; at < told.length; ) {
    const count = Number(told[at]);
    if (!Number.isInteger(count)) return all;
    all.push(told.slice(at + 1, at + 1 + count));
    at += count + 3;
  }
  return all;
}

async function changedPaths(repository: Repository, from: string, to: string, signal: AbortSignal | undefined) {
  const args = ["diff-tree", "-r", "--name-only", "-z", "--no-renames", from, to];
  const { stdout } = await runGit(repository, args, { signal });
  const paths = new Set<string>();
  for await (const path of zeroEnded(stdout)) paths.add(path);
  return paths;
}
