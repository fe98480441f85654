import { randomUUID } from "node:crypto";
import { rm } from "node:fs/promises";
import { join } from "node:path";
import { writeCommit } from "./commit-object.ts";
import { areFiles, type ContestedFile, decideMerge, filesInTheWay, mergedMode } from "./decide-merge.ts";
import { freeName } from "./free-name.ts";
import { type Entry, listEntries, stage } from "./index-entries.ts";
import { type MarkedLines, mergeFile } from "./merge-file.ts";
import { type Began, madeByAgents } from "./own-edits.ts";
import { writeObject } from "./repository.ts";
import { type Repository, runGit } from "./run-git.ts";

const signature = "Slipway <slipway@localhost> 0 +0000";

/** Three versions of the files, each a commit. */
export interface RegenerateOptions {
  /** The generation that the person began to change. */
  readonly base: string;
  /** The version of the person. */
  readonly yours: string;
  /** The new generation. */
  readonly regenerated: string;
  /** The earlier run that the person's version was made from, if it is known. */
  readonly began?: Began | undefined;
  readonly signal?: AbortSignal | undefined;
}

export interface Regenerated {
  /** The merged commit; `conflicts` describes where both sides differ. */
  readonly commit: string;
  readonly conflicts: readonly Conflict[];
  /** Files that are no longer generated, and stay because the person changed them. */
  readonly kept: readonly string[];
}

/** A file on which the person and the document disagree. */
export interface Conflict {
  readonly path: string;
  /**
   * Same lines changed, or both added the file: marked in the file. Binary: the person's version stays, the other lies beside
   * it. Deleted by the person: restored. A file where the other side has a folder: it lies beside the folder.
   */
  readonly kind: "changed" | "added" | "binary" | "deleted" | "place";
  /** The marked lines, counted from 1. */
  readonly lines: readonly MarkedLines[];
  /** The path of the other version. */
  readonly beside?: string;
}

/**
 * Merges a new generation with the person's version of the last one, path by path. Git's own merge would guess renames among
 * generated files, which are often similar, and not every version can be kept from it.
 */
export async function regenerate(
  repository: Repository,
  { base, yours, regenerated, began, signal }: RegenerateOptions,
): Promise<Regenerated> {
  const [before, mine, now] = await Promise.all(
    [base, yours, regenerated].map((commit) => listEntries(repository, commit, signal)),
  );
  const versions = { base: before!, yours: mine!, regenerated: now! };
  const { entries, contested, restored, kept, paths } = await decideMerge(versions);
  const conflicts: Conflict[] = restored.map((path) => ({ path, kind: "deleted", lines: [] }));
  for (const file of contested) {
    const conflict = await mergeContested(repository, file, { entries, paths }, signal);
    if (conflict !== undefined) conflicts.push(conflict);
  }
  for (const path of await filesInTheWay(entries)) {
    const isYours = !versions.regenerated.has(path);
    const beside = freeName({ entries, paths }, path, isYours ? ".yours" : ".regenerated");
    entries.set(beside, entries.get(path)!);
    entries.delete(path);
    conflicts.push({ path, kind: "place", lines: [], beside });
  }
  const commit = writeCommit({
    tree: await writeTree(repository, entries, signal),
    parents: [regenerated, ...(began === undefined ? [] : [await writeBegan(repository, began, signal)])],
    signature,
    message: "Regenerate\n",
  });
  return {
    commit: await writeObject(repository.gitDir, "commit", commit),
    conflicts: conflicts.toSorted((a, b) => (a.path < b.path ? -1 : 1)),
    kept,
  };
}

/** Adds a contested file to the result; returns the conflict if there is one. */
async function mergeContested(
  repository: Repository,
  file: ContestedFile,
  { entries, paths }: { readonly entries: Map<string, Entry>; readonly paths: readonly string[] },
  signal: AbortSignal | undefined,
): Promise<Conflict | undefined> {
  const { path, base, yours, regenerated } = file;
  const merged = areFiles(file) ? await mergeFile(repository, file, signal) : undefined;
  if (merged === undefined) {
    const beside = freeName({ entries, paths }, path, ".regenerated");
    entries.set(path, yours);
    entries.set(beside, regenerated);
    return { path, kind: "binary", lines: [], beside };
  }
  const { text, lines } = merged;
  entries.set(path, { mode: mergedMode(file), id: await writeObject(repository.gitDir, "blob", text) });
  if (lines.length === 0) return undefined;
  return { path, kind: base === undefined ? "added" : "changed", lines };
}

/** Without the earlier run's history, which would be saved with the merged one. */
async function writeBegan(repository: Repository, began: Began, signal: AbortSignal | undefined): Promise<string> {
  const tree = await writeTree(repository, await madeByAgents(repository, began, signal), signal);
  const commit = writeCommit({ tree, parents: [], signature, message: "Began from\n" });
  return writeObject(repository.gitDir, "commit", commit);
}

async function writeTree(
  repository: Repository,
  entries: ReadonlyMap<string, Entry>,
  signal: AbortSignal | undefined,
): Promise<string> {
  // In a folder that is swept after killed processes.
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
