import { type Entry, type IndexEdit, listEntries, listStaged, stage } from "./index-entries.ts";
import type { GitOptions, Repository } from "./run-git.ts";

/** The commits of a generation, before and after it was merged with a person's changes. */
export interface MergedGeneration {
  readonly generated: string;
  readonly merged: string;
  /** Holds what others have made of generated files since; undefined: nobody has. */
  readonly finishedIn?: string | undefined;
}

/** Replaces generated files in an index by the merged ones. */
export async function layOver(
  repository: Repository,
  { generated, merged, finishedIn }: MergedGeneration,
  inTree: Pick<GitOptions, "workTree" | "indexFile" | "signal">,
): Promise<void> {
  const [now, before, after, finished] = await Promise.all([
    listStaged(repository, inTree),
    listEntries(repository, generated, inTree.signal),
    listEntries(repository, merged, inTree.signal),
    finishedIn === undefined ? undefined : listEntries(repository, finishedIn, inTree.signal),
  ]);
  await stage(repository, editsOver(now, before, after, finished), inTree);
}

type Entries = ReadonlyMap<string, Entry>;

/**
 * Files that are exactly as generated become their merged version, or what others made of it since, and files that only the
 * person has are added. Others stay: parts that are not generated yet, and files that others wrote.
 */
export function editsOver(now: Entries, generated: Entries, merged: Entries, finished?: Entries): IndexEdit[] {
  const replaced = [...now].flatMap(([path, entry]): IndexEdit[] => {
    if (!isSame(entry, generated.get(path))) return [];
    const wanted = finished?.get(path) ?? merged.get(path);
    if (wanted === undefined) return [{ path }];
    return isSame(entry, wanted) ? [] : [{ path, entry: wanted }];
  });
  const added = [...merged]
    .filter(([path]) => !generated.has(path) && !now.has(path) && finished === undefined)
    .map(([path, entry]) => ({ path, entry }));
  return [...replaced, ...added];
}

function isSame(a: Entry, b: Entry | undefined): boolean {
  return a.id === b?.id && a.mode === b.mode;
}
