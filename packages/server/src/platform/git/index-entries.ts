import { inTurns } from "../in-turns.ts";
import { type GitOptions, type Repository, runGit } from "./run-git.ts";

/** A file or link at a path. */
export interface Entry {
  readonly mode: string;
  readonly id: string;
}

/** A change of a path; without an entry, the path is removed. */
export interface IndexEdit {
  readonly path: string;
  readonly entry?: Entry;
}

/** Every file and link of a commit or tree, by path. */
export async function listEntries(
  repository: Repository,
  treeish: string,
  signal?: AbortSignal,
): Promise<Map<string, Entry>> {
  const { stdout } = await runGit(repository, ["ls-tree", "-r", "-z", "--full-tree", treeish], { signal });
  return entriesIn(stdout, ([mode = "", , id = ""]) => ({ mode, id }));
}

/** Every file and link of an index, by path. */
export async function listStaged(
  repository: Repository,
  options: Pick<GitOptions, "workTree" | "indexFile" | "signal">,
): Promise<Map<string, Entry>> {
  const { stdout } = await runGit(repository, ["ls-files", "--stage", "-z"], options);
  return entriesIn(stdout, ([mode = "", id = ""]) => ({ mode, id }));
}

/** Edits an index; removals come first, because a removed file may be in the way of a new folder. */
export async function stage(
  repository: Repository,
  edits: readonly IndexEdit[],
  options: Pick<GitOptions, "workTree" | "indexFile" | "signal">,
): Promise<void> {
  if (edits.length === 0) return;
  const gone = edits.filter(({ entry }) => entry === undefined).map(({ path }) => `0 ${"0".repeat(40)}\t${path}\0`);
  const come = edits.flatMap(({ path, entry }) =>
    entry === undefined ? [] : [`${entry.mode} ${entry.id}\t${path}\0`],
  );
  const input = [...gone, ...come].join("");
  await runGit(repository, ["update-index", "--add", "--replace", "-z", "--index-info"], { ...options, input });
}

/** In turns: the names of a project may take 60 MB. */
async function entriesIn(output: Buffer, read: (fields: readonly string[]) => Entry): Promise<Map<string, Entry>> {
  const found = new Map<string, Entry>();
  for await (const [fields, path] of inTurns(linesOf(output))) found.set(path, read(fields.split(" ")));
  return found;
}

/** What stands before and after the tab of each line; a line ends with a zero byte. */
function* linesOf(output: Buffer): Generator<readonly [fields: string, path: string]> {
  for (let start = 0; start < output.length; ) {
    const tab = output.indexOf(9, start);
    const end = output.indexOf(0, tab);
    yield [output.toString("latin1", start, tab), output.toString("utf8", tab + 1, end)];
    start = end + 1;
  }
}
