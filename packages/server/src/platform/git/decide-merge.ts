import { inTurns } from "../in-turns.ts";
import type { Entry } from "./index-entries.ts";
import { modes } from "./raw-diff.ts";
import { hasBelow } from "./sorted-paths.ts";

type Entries = ReadonlyMap<string, Entry>;

/** Three versions of a tree. */
export interface Versions {
  readonly base: Entries;
  readonly yours: Entries;
  readonly regenerated: Entries;
}

/** The result of comparing three versions path by path. */
export interface MergeDecision {
  /** The entries that are decided. */
  readonly entries: Map<string, Entry>;
  /** Files that both sides changed, to be merged line by line. */
  readonly contested: readonly ContestedFile[];
  /** Files that the person deleted and the document changed; they are restored. */
  readonly restored: readonly string[];
  /** Files that the person changed and that are no longer generated. */
  readonly kept: readonly string[];
  /** The paths of all three versions, in their order. */
  readonly paths: readonly string[];
}

export interface ContestedFile {
  readonly path: string;
  /** Undefined if both sides added it. */
  readonly base: Entry | undefined;
  readonly yours: Entry;
  readonly regenerated: Entry;
}

/** Merges path by path: the side that changed a path wins; if both did, the path is contested. */
export async function decideMerge({ base, yours, regenerated }: Versions): Promise<MergeDecision> {
  const entries = new Map<string, Entry>();
  const contested: ContestedFile[] = [];
  const restored: string[] = [];
  const kept: string[] = [];
  const paths = [...new Set([...base.keys(), ...yours.keys(), ...regenerated.keys()])].toSorted();
  for await (const path of inTurns(paths)) {
    const [before, mine, now] = [base.get(path), yours.get(path), regenerated.get(path)];
    if (isSame(mine, before)) take(path, now);
    else if (isSame(now, before) || isSame(mine, now)) take(path, mine);
    else if (mine === undefined) {
      take(path, now);
      restored.push(path);
    } else if (now === undefined) {
      take(path, mine);
      kept.push(path);
    } else contested.push({ path, base: before, yours: mine, regenerated: now });
  }
  return { entries, contested, restored, kept, paths };

  function take(path: string, entry: Entry | undefined): void {
    if (entry !== undefined) entries.set(path, entry);
  }
}

/** Whether it can be merged line by line, which links cannot. */
export function areFiles({ yours, regenerated }: ContestedFile): boolean {
  return yours.mode !== modes.link && regenerated.mode !== modes.link;
}

/** The mode of a merged file: that of the side that changed it; the person's if both did. */
export function mergedMode({ base, yours, regenerated }: ContestedFile): string {
  return yours.mode === base?.mode ? regenerated.mode : yours.mode;
}

/**
 * Files at paths where others need a folder. Each is looked up among all paths in their order: to look up every folder of a
 * path takes a minute for some thousand paths of two thousand folders.
 */
export async function filesInTheWay(entries: Entries): Promise<string[]> {
  const sorted = [...entries.keys()].toSorted();
  const found: string[] = [];
  for await (const path of inTurns(sorted)) if (hasBelow(sorted, path)) found.push(path);
  return found;
}

function isSame(a: Entry | undefined, b: Entry | undefined): boolean {
  return a?.id === b?.id && a?.mode === b?.mode;
}
