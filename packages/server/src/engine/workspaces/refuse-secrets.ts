import {
  changedFilesBetween,
  filesAt,
  type ListedBlob,
  type Repository,
  readFileAt,
  readTree,
  WorkspaceError,
} from "../../platform/git/index.ts";
import { inTurns } from "../../platform/in-turns.ts";
import { oneLine } from "../../platform/one-line.ts";
import { SecretFinder } from "../../platform/secrets/index.ts";

interface Change {
  readonly from: string;
  readonly to: string;
  readonly signal?: AbortSignal | undefined;
}

/** Refuses a commit that brings a known secret into the project, in a file's content, a link's target or a name. */
export async function refuseSecrets(
  repository: Repository,
  { from, to, signal }: Change,
  values: readonly string[],
): Promise<void> {
  const finder = new SecretFinder(values);
  if (finder.isIdle) return;
  const changed = await changedFilesBetween(repository, from, to, signal);
  const paths = new Set(changed.filter(({ change }) => change !== "removed").map(({ path }) => path));
  const files: ListedBlob[] = [];
  // In turns: the names of a project may take 60 MB.
  for await (const file of inTurns(await filesAt(repository, to, signal))) if (paths.has(file.path)) files.push(file);
  for await (const { path, content } of readTree(repository, files)) {
    signal?.throwIfAborted();
    const inName = await finder.findIn([Buffer.from(path)]);
    if (inName.size > 0) throw secretFound("A file's name");
    const found = await finder.findIn(content);
    if (found.size === 0) continue;
    const before = await readFileAt(repository, from, path, { signal }).catch(() => undefined);
    // What a person had put there is not the agent's doing.
    const known = before === undefined ? new Set() : await finder.findIn([before]);
    if ([...found].some((value) => !known.has(value))) throw secretFound(`'${oneLine(path, 200)}'`, path);
  }
}

/** Names the file and never the value. */
function secretFound(what: string, path?: string): WorkspaceError {
  const message = `${what} contains the value of a secret that the agent was given. Read it from the environment when the program runs, and keep it out of the project's files.`;
  return new WorkspaceError("secret_found", message, path === undefined ? {} : { path });
}
