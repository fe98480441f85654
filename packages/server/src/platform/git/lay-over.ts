import { type Entry, type IndexEdit, listEntries, listStaged, stage } from "./index-entries.ts";
import type { GitOptions, Repository } from "./run-git.ts";

/** What was generated, and what became of it together with a person's changes: two commits. */
export interface MergedGeneration {
  readonly generated: string;
  readonly merged: string;
}

/** Puts the merged files into an index in the place of those that were generated. */
export async function layOver(
  repository: Repository,
  { generated, merged }: MergedGeneration,
  inTree: Pick<GitOptions, "workTree" | "indexFile" | "signal">,
): Promise<void> {
  const [now, before, after] = await Promise.all([
    listStaged(repository, inTree),
    listEntries(repository, generated, inTree.signal),
    listEntries(repository, merged, inTree.signal),
  ]);
  await stage(repository, editsOver(now, before, after), inTree);
}

type Entries = ReadonlyMap<string, Entry>;

/**
 * What is exactly as it was generated becomes what it was merged to, and what only the person has is added. The rest stays:
 * parts that are not generated yet, and what others have made.
 */
export function editsOver(now: Entries, generated: Entries, merged: Entries): IndexEdit[] {
  const replaced = [...now].flatMap(([path, entry]): IndexEdit[] => {
    if (!isSame(entry, generated.get(path))) return [];
    const wanted = merged.get(path);
    if (wanted === undefined) return [{ path }];
    return isSame(entry, wanted) ? [] : [{ path, entry: wanted }];
  });
  const added = [...merged]
    .filter(([path]) => !generated.has(path) && !now.has(path))
    .map(([path, entry]) => ({ path, entry }));
  return [...replaced, ...added];
}

function isSame(a: Entry, b: Entry | undefined): boolean {
  return a.id === b?.id && a.mode === b.mode;
}
