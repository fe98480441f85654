import { randomUUID } from "node:crypto";
import { rm } from "node:fs/promises";
import { join } from "node:path";
import { writeCommit } from "./commit-object.ts";
import { areFiles, type ContestedFile, decideMerge, filesInTheWay, freeName, mergedMode } from "./decide-merge.ts";
import { type Entry, listEntries, stage } from "./index-entries.ts";
import { type MarkedLines, mergeFile } from "./merge-file.ts";
import { writeObject } from "./repository.ts";
import { type Repository, runGit } from "./run-git.ts";

/** Three versions of an application's files, each a commit. */
export interface RegenerateOptions {
  /** What was generated when the person began to change it. */
  readonly base: string;
  /** What the person has made of it. */
  readonly yours: string;
  /** What is generated now. */
  readonly regenerated: string;
  readonly signal?: AbortSignal | undefined;
}

export interface Regenerated {
  /** Both together; where they contradict each other, as the conflicts say. */
  readonly commit: string;
  readonly conflicts: readonly Conflict[];
  /** Files that are generated no more, and are still there because the person has changed them. */
  readonly kept: readonly string[];
}

/** A place at which the person and the document want different things. */
export interface Conflict {
  readonly path: string;
  /**
   * Both changed the same lines, or added the file: marked in it. Not a text: the person's stays, the other lies beside it.
   * The person deleted it: it is back. A file where the other has a folder: the file lies beside it.
   */
  readonly kind: "changed" | "added" | "binary" | "deleted" | "place";
  /** From where to where it is marked, from 1. */
  readonly lines: readonly MarkedLines[];
  /** Where the other version lies. */
  readonly beside?: string;
}

/**
 * Merges what is generated now with what a person has made of the last generation, path by path. Git's own merge of trees
 * would guess renames among generated files, which often are alike, and cannot be kept from it in every version.
 */
export async function regenerate(
  repository: Repository,
  { base, yours, regenerated, signal }: RegenerateOptions,
): Promise<Regenerated> {
  const [before, mine, now] = await Promise.all(
    [base, yours, regenerated].map((commit) => listEntries(repository, commit, signal)),
  );
  const versions = { base: before!, yours: mine!, regenerated: now! };
  const { entries, contested, restored, kept } = decideMerge(versions);
  const conflicts: Conflict[] = restored.map((path) => ({ path, kind: "deleted", lines: [] }));
  for (const file of contested) {
    const conflict = await mergeContested(repository, file, entries, signal);
    if (conflict !== undefined) conflicts.push(conflict);
  }
  for (const path of filesInTheWay(entries)) {
    const isYours = !versions.regenerated.has(path);
    const beside = freeName(entries, `${path}.${isYours ? "yours" : "regenerated"}`);
    entries.set(beside, entries.get(path)!);
    entries.delete(path);
    conflicts.push({ path, kind: "place", lines: [], beside });
  }
  const commit = writeCommit({
    tree: await writeTree(repository, entries, signal),
    parents: [regenerated],
    signature: "Slipway <slipway@localhost> 0 +0000",
    message: "Regenerate\n",
  });
  return {
    commit: await writeObject(repository.gitDir, "commit", commit),
    conflicts: conflicts.toSorted((a, b) => (a.path < b.path ? -1 : 1)),
    kept,
  };
}

/** Puts what becomes of a contested file among the others; gives the conflict if there is one. */
async function mergeContested(
  repository: Repository,
  file: ContestedFile,
  entries: Map<string, Entry>,
  signal: AbortSignal | undefined,
): Promise<Conflict | undefined> {
  const { path, base, yours, regenerated } = file;
  const merged = areFiles(file) ? await mergeFile(repository, file, signal) : undefined;
  if (merged === undefined) {
    const beside = freeName(entries, `${path}.regenerated`);
    entries.set(path, yours);
    entries.set(beside, regenerated);
    return { path, kind: "binary", lines: [], beside };
  }
  const { text, lines } = merged;
  entries.set(path, { mode: mergedMode(file), id: await writeObject(repository.gitDir, "blob", text) });
  if (lines.length === 0) return undefined;
  return { path, kind: base === undefined ? "added" : "changed", lines };
}

async function writeTree(
  repository: Repository,
  entries: ReadonlyMap<string, Entry>,
  signal: AbortSignal | undefined,
): Promise<string> {
  // Where what killed processes left behind is swept.
  const indexFile = join(repository.gitDir, "objects", `tmp_index_${randomUUID()}`);
  try {
    await runGit(repository, ["read-tree", "--empty"], { indexFile, signal });
    const edits = [...entries].map(([path, entry]) => ({ path, entry }));
    await stage(repository, edits, { indexFile, signal });
    const { stdout } = await runGit(repository, ["write-tree"], { indexFile, signal });
    return stdout.toString("latin1").trim();
  } finally {
    await rm(indexFile, { force: true });
  }
}
