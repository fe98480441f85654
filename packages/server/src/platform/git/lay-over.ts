import { inTurns } from "../in-turns.ts";
import { oneLine } from "../one-line.ts";
import { hiddenEdits } from "./hidden-edits.ts";
import { type Entry, type IndexEdit, listEntries, listStaged, stage } from "./index-entries.ts";
import { findLaidOver } from "./laid-over.ts";
import { ownEdits } from "./own-edits.ts";
import type { GitOptions, Repository } from "./run-git.ts";
import { hasBelow } from "./sorted-paths.ts";
import { WorkspaceError } from "./workspace-error.ts";

/** The commits of a generation, before and after it was merged with a person's changes. */
export interface MergedGeneration {
  readonly generated: string;
  /** The same as generated where there was nothing to merge with. */
  readonly merged: string;
  /** Holds what others have made of generated files since; undefined: nobody has. */
  readonly finishedIn?: string | undefined;
}

/** Replaces generated files in an index by the merged ones. */
export async function layOver(
  repository: Repository,
  { generated, merged, finishedIn, base }: MergedGeneration & { readonly base: string },
  inTree: Pick<GitOptions, "workTree" | "indexFile" | "signal">,
): Promise<void> {
  const isMerged = merged !== generated;
  if (!isMerged && finishedIn === undefined) return;
  const isLaid = (await findLaidOver(repository, base, inTree.signal)).has(merged);
  // Who finished before the person's files came in has made nothing of them.
  const isFinished = finishedIn !== undefined && (isLaid || !isMerged);
  const [now, before, after, finished] = await Promise.all([
    listStaged(repository, inTree),
    listEntries(repository, generated, inTree.signal),
    listEntries(repository, merged, inTree.signal),
    isFinished ? listEntries(repository, finishedIn, inTree.signal) : undefined,
  ]);
  const edits = editsOver(now, before, after, finished);
  const versions = { now, generated: before, merged: after };
  if (!isLaid) edits.push(...(await ownEdits(repository, versions, merged, inTree.signal)));
  if (isMerged) edits.push(...(await hiddenEdits(repository, versions, inTree)));
  await refuseReplaced(now, edits);
  await stage(repository, edits, inTree);
}

/** Git would drop a folder's files without a word for a file of its name, and a file for a folder. */
async function refuseReplaced(now: Entries, edits: readonly IndexEdit[]): Promise<void> {
  if (edits.every(({ path }) => now.has(path))) return;
  const paths = new Set(now.keys());
  for (const { path, entry } of edits) {
    if (entry === undefined) paths.delete(path);
    else paths.add(path);
  }
  const sorted = [...paths].toSorted();
  for await (const path of inTurns(sorted))
    if (hasBelow(sorted, path))
      throw new WorkspaceError(
        "unacceptable_file",
        `'${oneLine(path, 200)}' is a file in one of two versions, in the source or of this run, and a folder in the other. Rename one of them.`,
        { path },
      );
}

type Entries = ReadonlyMap<string, Entry>;

/**
 * Files that are exactly as generated become their merged version, or what others made of it since, and files that only the
 * person has are added. Others stay: parts that are not generated yet, and files that others wrote (see `ownEdits`).
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
