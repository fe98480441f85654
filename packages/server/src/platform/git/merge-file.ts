import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { removeFolder } from "../remove-folder.ts";
import type { ContestedFile } from "./decide-merge.ts";
import type { Entry } from "./index-entries.ts";
import { makeFolderIn } from "./repository.ts";
import { type Repository, runGit } from "./run-git.ts";
import { WorkspaceError } from "./workspace-error.ts";
import { zeroEnded } from "./zero-ended.ts";

const yoursMark = "<<<<<<< yours";
const regeneratedMark = ">>>>>>> regenerated";

export interface MarkedLines {
  readonly from: number;
  readonly to: number;
}

/** Git takes a file for binary if it has a zero byte within this many bytes. */
const binaryCheckBytes = 8_000;
/** Of larger texts, nobody reads a merge; the lines of one may be 60 million. */
const maxMergedBytes = 4 * 1024 * 1024;
/** `git merge-file` exits with the number of conflicts; a larger code is an error. */
const answers = Array.from({ length: 128 }, (_, conflicts) => conflicts);

/** Merges two versions of a text, with conflicts marked; undefined if one is binary, or very large. */
export async function mergeFile(
  repository: Repository,
  { base, yours, regenerated }: ContestedFile,
  signal?: AbortSignal,
): Promise<{ readonly text: Buffer; readonly lines: readonly MarkedLines[] } | undefined> {
  const contents = await Promise.all([yours, base, regenerated].map((entry) => readText(repository, entry, signal)));
  if (!contents.every((content) => content !== undefined)) return undefined;
  const folder = await makeFolderIn(repository, "merge");
  try {
    const files = ["yours", "base", "regenerated"].map((name) => join(folder, name));
    await Promise.all(files.map((file, index) => writeFile(file, contents[index]!)));
    const labels = ["-L", "yours", "-L", "base", "-L", "regenerated"];
    const args = ["merge-file", "-p", "-q", ...labels, ...files];
    const { code, stdout: text } = await runGit(repository, args, { signal, answers });
    return { text, lines: code === 0 ? [] : markedLines(text) };
  } finally {
    await removeFolder(folder);
  }
}

/** Undefined for what is binary, or very large; nothing for a file that was not there. */
async function readText(
  repository: Repository,
  entry: Entry | undefined,
  signal: AbortSignal | undefined,
): Promise<Buffer | undefined> {
  if (entry === undefined) return Buffer.alloc(0);
  const options = { signal, maxOutputBytes: maxMergedBytes };
  const read = await runGit(repository, ["cat-file", "blob", entry.id], options).catch((error: unknown) => {
    if (error instanceof WorkspaceError && error.code === "too_large") return undefined;
    throw error;
  });
  return read?.stdout.subarray(0, binaryCheckBytes).includes(0) ? undefined : read?.stdout;
}

/** The line ranges of conflict markers in a text. */
function markedLines(text: Buffer): MarkedLines[] {
  const found: MarkedLines[] = [];
  let from: number | undefined;
  // As bytes, whatever its encoding.
  for (const [index, line] of text.toString("latin1").split("\n").entries()) {
    if (line.startsWith(yoursMark)) from ??= index + 1;
    else if (line.startsWith(regeneratedMark) && from !== undefined) {
      found.push({ from, to: index + 1 });
      from = undefined;
    }
  }
  return found;
}

/** The files of a commit that still contain conflict markers. */
export async function findMarked(repository: Repository, commit: string, signal?: AbortSignal): Promise<string[]> {
  const pattern = `^(${yoursMark}|${regeneratedMark})`;
  const args = ["grep", "-l", "-z", "-I", "-E", "-e", pattern, commit];
  const { stdout } = await runGit(repository, args, { signal, answers: [0, 1] });
  const found: string[] = [];
  for await (const line of zeroEnded(stdout)) found.push(line.slice(commit.length + 1));
  return found;
}
