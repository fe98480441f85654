import { randomUUID } from "node:crypto";
import { rm } from "node:fs/promises";
import { join } from "node:path";
import { writeCommit } from "./commit-object.ts";
import { type Entry, type IndexEdit, listEntries, stage } from "./index-entries.ts";
import { asSides } from "./merge.ts";
import { modes } from "./raw-diff.ts";
import { readCommit, writeObject } from "./repository.ts";
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
   * The person deleted it: it is back. A file where the other has a folder: one of them lies beside it.
   */
  readonly kind: "changed" | "added" | "binary" | "deleted" | "place";
  /** From where to where it is marked, from 1. */
  readonly lines: readonly { readonly from: number; readonly to: number }[];
  /** Where the other version lies. */
  readonly beside?: string;
}

export const yoursMark = "<<<<<<< yours";
export const regeneratedMark = ">>>>>>> regenerated";

/** Merges what is generated now with what a person has made of the last generation, file by file. Renames are not guessed. */
export async function regenerate(
  repository: Repository,
  { base, yours, regenerated, signal }: RegenerateOptions,
): Promise<Regenerated> {
  const trees = await Promise.all([yours, regenerated].map((id) => readCommit(repository, id, signal)));
  const sides = await asSides(repository, base, [trees[0]!.tree, trees[1]!.tree]);
  const args = ["-c", "merge.renames=false", "merge-tree", "--write-tree", "-z", "--no-messages", ...sides];
  const { stdout } = await runGit(repository, args, { signal, answers: [0, 1] });
  const { tree, contested } = readContested(stdout.toString("utf8"));
  const marked = await markAll(repository, { tree, contested, sides, signal });
  const commit = writeCommit({
    tree: await withEdits(repository, tree, marked.edits, signal),
    parents: [regenerated],
    signature: "Slipway <slipway@localhost> 0 +0000",
    message: "Regenerate\n",
  });
  const id = await writeObject(repository.gitDir, "commit", commit);
  return { commit: id, conflicts: marked.conflicts, kept: marked.kept };
}

/** What of a path git could not decide: the base, the person's and the generated entry, as far as each is there. */
interface Contested {
  readonly path: string;
  readonly base?: Entry;
  readonly yours?: Entry;
  readonly regenerated?: Entry;
}

/** Reads what `merge-tree -z` writes: the tree, and an entry for each version of a contested path. */
export function readContested(output: string): { tree: string; contested: Contested[] } {
  const [tree = "", ...entries] = output.split("\0");
  const byPath = new Map<string, Contested>();
  for (const entry of entries) {
    const [, mode, id, number, path] = /^(\d+) ([0-9a-f]+) ([123])\t([\s\S]+)$/.exec(entry) ?? [];
    if (path === undefined) continue;
    const name = number === "1" ? "base" : number === "2" ? "yours" : "regenerated";
    byPath.set(path, { ...byPath.get(path), path, [name]: { mode: mode!, id: id! } });
  }
  return { tree, contested: [...byPath.values()] };
}

interface Marking {
  readonly tree: string;
  readonly contested: readonly Contested[];
  readonly sides: readonly string[];
  readonly signal: AbortSignal | undefined;
}

interface Marked {
  readonly conflicts: Conflict[];
  readonly kept: string[];
  readonly edits: IndexEdit[];
}

async function markAll(repository: Repository, { tree, contested, sides, signal }: Marking): Promise<Marked> {
  const marked: Marked = { conflicts: [], kept: [], edits: [] };
  if (contested.length === 0) return marked;
  const there = await listEntries(repository, tree, signal);
  for (const one of contested) await mark(one);
  return marked;

  async function mark({ path, base, yours, regenerated }: Contested): Promise<void> {
    const { conflicts, kept, edits } = marked;
    const moved = movedAside(path, sides);
    if (moved !== undefined) {
      const beside = freeName(there, moved.beside);
      edits.push({ path }, { path: beside, entry: there.get(path) ?? (yours ?? regenerated)! });
      conflicts.push({ path: moved.path, kind: "place", lines: [], beside });
    } else if (regenerated === undefined) kept.push(path);
    else if (yours === undefined) conflicts.push({ path, kind: "deleted", lines: [] });
    else {
      const text = await markedText(path);
      if (text !== undefined) {
        const id = await writeObject(repository.gitDir, "blob", text);
        edits.push({ path, entry: { mode: there.get(path)!.mode, id } });
        conflicts.push({ path, kind: base === undefined ? "added" : "changed", lines: markedLines(text) });
        return;
      }
      const beside = freeName(there, `${path}.regenerated`);
      edits.push({ path: beside, entry: regenerated });
      conflicts.push({ path, kind: "binary", lines: [], beside });
    }
  }

  /** The text with git's marks, under names that people understand; nothing if it has none. */
  async function markedText(path: string): Promise<Buffer | undefined> {
    const entry = there.get(path);
    if (entry === undefined || entry.mode === modes.link) return undefined;
    const { stdout } = await runGit(repository, ["cat-file", "blob", entry.id], { signal });
    // As bytes: whatever encoding the text has, it stays.
    const text = stdout.toString("latin1");
    const [yours = "", regenerated = ""] = sides;
    if (!text.includes(`<<<<<<< ${yours}`)) return undefined;
    const named = text.replaceAll(`<<<<<<< ${yours}`, yoursMark).replaceAll(`>>>>>>> ${regenerated}`, regeneratedMark);
    return Buffer.from(named, "latin1");
  }
}

/** Git moves what cannot stay at its place to `path~<side>`, with a number behind it if that is taken, too. */
function movedAside(path: string, [yours = "", regenerated = ""]: readonly string[]) {
  const [, plain, side] = /^([\s\S]+)~([0-9a-f]{40})(?:_\d+)?$/.exec(path) ?? [];
  if (plain === undefined || (side !== yours && side !== regenerated)) return undefined;
  return { path: plain, beside: `${plain}.${side === yours ? "yours" : "regenerated"}` };
}

function freeName(there: ReadonlyMap<string, unknown>, wanted: string): string {
  let name = wanted;
  for (let number = 2; there.has(name); number += 1) name = `${wanted}-${number}`;
  return name;
}

/** Where a text is marked. */
export function markedLines(text: Buffer): { from: number; to: number }[] {
  const found: { from: number; to: number }[] = [];
  let from: number | undefined;
  for (const [index, line] of text.toString("latin1").split("\n").entries()) {
    if (line.startsWith(yoursMark)) from ??= index + 1;
    else if (line.startsWith(regeneratedMark) && from !== undefined) {
      found.push({ from, to: index + 1 });
      from = undefined;
    }
  }
  return found;
}

async function withEdits(
  repository: Repository,
  tree: string,
  edits: readonly IndexEdit[],
  signal: AbortSignal | undefined,
): Promise<string> {
  if (edits.length === 0) return tree;
  // Where what killed processes left behind is swept.
  const indexFile = join(repository.gitDir, "objects", `tmp_index_${randomUUID()}`);
  try {
    await runGit(repository, ["read-tree", tree], { indexFile, signal });
    await stage(repository, edits, { indexFile, signal });
    const { stdout } = await runGit(repository, ["write-tree"], { indexFile, signal });
    return stdout.toString("latin1").trim();
  } finally {
    await rm(indexFile, { force: true });
  }
}
