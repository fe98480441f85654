import type { Entry } from "./index-entries.ts";
import { modes } from "./raw-diff.ts";

type Entries = ReadonlyMap<string, Entry>;

/** Three versions of a tree. */
export interface Versions {
  readonly base: Entries;
  readonly yours: Entries;
  readonly regenerated: Entries;
}

/** What is to be done with the three versions. */
export interface MergeDecision {
  /** Everything that is settled. */
  readonly entries: Map<string, Entry>;
  /** Files that both have changed: their lines decide. */
  readonly contested: readonly ContestedFile[];
  /** Deleted by the person and changed by the document: there again. */
  readonly restored: readonly string[];
  /** Changed by the person and generated no more. */
  readonly kept: readonly string[];
}

export interface ContestedFile {
  readonly path: string;
  /** Nothing: both have added it. */
  readonly base: Entry | undefined;
  readonly yours: Entry;
  readonly regenerated: Entry;
}

/** Decides path by path: who has changed something is right, and where both have, it is contested. */
export function decideMerge({ base, yours, regenerated }: Versions): MergeDecision {
  const entries = new Map<string, Entry>();
  const contested: ContestedFile[] = [];
  const restored: string[] = [];
  const kept: string[] = [];
  const paths = new Set([...base.keys(), ...yours.keys(), ...regenerated.keys()]);
  for (const path of [...paths].toSorted()) {
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
  return { entries, contested, restored, kept };

  function take(path: string, entry: Entry | undefined): void {
    if (entry !== undefined) entries.set(path, entry);
  }
}

/** Whether lines can decide: links have none. */
export function areFiles({ yours, regenerated }: ContestedFile): boolean {
  return yours.mode !== modes.link && regenerated.mode !== modes.link;
}

/** The mode of a merged file: that of who has changed it; the person's if both have. */
export function mergedMode({ base, yours, regenerated }: ContestedFile): string {
  return yours.mode === base?.mode ? regenerated.mode : yours.mode;
}

/** Files that are where others need a folder. */
export function filesInTheWay(entries: Entries): string[] {
  const found = new Set<string>();
  for (const path of entries.keys())
    for (let at = path.lastIndexOf("/"); at > 0; at = path.lastIndexOf("/", at - 1)) {
      const folder = path.slice(0, at);
      if (entries.has(folder)) found.add(folder);
    }
  return [...found];
}

/** The name that was wanted, or one like it that nobody has. */
export function freeName(entries: Entries, wanted: string): string {
  let name = wanted;
  for (let number = 2; entries.has(name); number += 1) name = `${wanted}-${number}`;
  return name;
}

function isSame(a: Entry | undefined, b: Entry | undefined): boolean {
  return a?.id === b?.id && a?.mode === b?.mode;
}
