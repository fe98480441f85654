import { inTurns } from "../in-turns.ts";
import { oneLine } from "../one-line.ts";
import { type Entry, type IndexEdit, listEntries } from "./index-entries.ts";
import { readCommit } from "./repository.ts";
import type { Repository } from "./run-git.ts";
import { WorkspaceError } from "./workspace-error.ts";

type Entries = ReadonlyMap<string, Entry>;

interface Versions {
  readonly now: Entries;
  readonly generated: Entries;
  readonly merged: Entries;
}

/**
 * Files that no rule generates, and that another agent of this run wrote before the person's came in. What the person left
 * as the earlier run had made it stays as it is now; what this run made as the earlier one did becomes the person's.
 * Refuses what both have changed: one of the two would be lost.
 */
export async function ownEdits(
  repository: Repository,
  { now, generated, merged }: Versions,
  mergedCommit: string,
  signal: AbortSignal | undefined,
): Promise<IndexEdit[]> {
  const contested: [path: string, yours: Entry, here: Entry][] = [];
  for await (const [path, yours] of inTurns(merged)) {
    const here = now.get(path);
    if (here !== undefined && !generated.has(path) && !isSame(here, yours)) contested.push([path, yours, here]);
  }
  if (contested.length === 0) return [];
  const began = await listBegan(repository, mergedCommit, signal);
  return contested.flatMap(([path, yours, here]) => {
    if (isSame(yours, began.get(path))) return [];
    if (isSame(here, began.get(path))) return [{ path, entry: yours }];
    throw new WorkspaceError(
      "unacceptable_file",
      `'${oneLine(path, 200)}' is not the same file in the source and of this run. Remove it from the source, or rename one of them.`,
      { path },
    );
  });
}

/** An earlier run: its result, and the generation merged with a person's changes that is in it. */
export interface Began {
  readonly result: string;
  readonly merged?: string | undefined;
}

/** What agents made in an earlier run, without what a person changed: their changes are to survive further runs too. */
export async function madeByAgents(
  repository: Repository,
  { result, merged }: Began,
  signal: AbortSignal | undefined,
): Promise<Map<string, Entry>> {
  const made = await listEntries(repository, result, signal);
  if (merged === undefined) return made;
  const own = await listEntries(repository, merged, signal);
  for await (const [path, before] of inTurns(await listBegan(repository, merged, signal))) {
    const entry = made.get(path);
    if (entry !== undefined && isSame(entry, own.get(path))) made.set(path, before);
  }
  return made;
}

/** What the person began from, which the merge has as its second parent; nothing where that is not known. */
async function listBegan(repository: Repository, merged: string, signal: AbortSignal | undefined): Promise<Entries> {
  const [, began] = (await readCommit(repository, merged, signal)).parents;
  return began === undefined ? new Map() : listEntries(repository, began, signal);
}

function isSame(a: Entry, b: Entry | undefined): boolean {
  return a.id === b?.id && a.mode === b.mode;
}
