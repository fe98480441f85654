import { inTurns } from "../in-turns.ts";
import { oneLine } from "../one-line.ts";
import { findLeavingLink } from "./find-leaving-link.ts";
import { listEntries } from "./index-entries.ts";
import { modes, type RawChange } from "./raw-diff.ts";
import { type Repository, runGit } from "./run-git.ts";
import { WorkspaceError } from "./workspace-error.ts";

/**
 * Refuses a tree with a symbolic link that leads out of it. It only checks where a link was added, removed or changed. It
 * reads targets from the repository, because the folder may have changed since.
 */
export async function refuseLeavingLinks(
  repository: Repository,
  tree: string,
  changes: readonly RawChange[],
  signal?: AbortSignal,
): Promise<void> {
  if (!changes.some(({ oldMode, newMode }) => oldMode === modes.link || newMode === modes.link)) return;
  const links = await readLinks(repository, tree, signal);
  const path = await findLeavingLink(links);
  if (path === undefined) return;
  throw new WorkspaceError(
    "link_leaves_tree",
    `The link '${oneLine(path, 200)}' → '${oneLine(links.get(path)!, 200)}' leads out of the workspace.`,
    {
      path,
    },
  );
}

async function readLinks(repository: Repository, tree: string, signal?: AbortSignal): Promise<Map<string, string>> {
  const links: { readonly id: string; readonly path: string }[] = [];
  for (const [path, { mode, id }] of await listEntries(repository, tree, signal))
    if (mode === modes.link) links.push({ id, path });
  const ids = links.map(({ id }) => `${id}\n`).join("");
  const { stdout: targets } = await runGit(repository, ["cat-file", "--batch"], { signal, input: ids });
  const found = new Map<string, string>();
  let at = 0;
  for await (const { path } of inTurns(links)) {
    // `<id> blob <size>`, a newline, the target, a newline.
    const start = targets.indexOf(10, at) + 1;
    const size = Number(targets.toString("latin1", at, start - 1).split(" ")[2]);
    found.set(path, targets.toString("utf8", start, start + size));
    at = start + size + 1;
  }
  return found;
}
