import type { AgentVision } from "@slipway/contract";
import { Refusal } from "../../../platform/errors/index.ts";
import { WorkspaceError } from "../../../platform/git/index.ts";
import { Masker, SecretFinder } from "../../../platform/secrets/index.ts";
import { isText, mediaTypeOf } from "./media-type.ts";
import { isNotHere, openHead, type RepositoryDeps, withRepository } from "./project-repository.ts";
import type { AgentRunRow } from "./store.ts";

const maxText = 1024 * 1024;
const maxFile = 10 * 1024 * 1024;

/** A file at one point; without content if it is too large to read. */
interface FileVersion {
  readonly sizeBytes: number | null;
  readonly content: Buffer | undefined;
}

/** A file as an agent received it (base) and as it is now (current). */
export interface FileVersions {
  readonly base: FileVersion | undefined;
  readonly current: FileVersion | undefined;
  readonly source: AgentVision["source"];
}

export async function readFileVersions(deps: RepositoryDeps, run: AgentRunRow, path: string): Promise<FileVersions> {
  const { project_id, attempt_id, base_commit, ended_at } = run;
  const base = await readAt(deps, project_id, base_commit, path);
  const live = await hideSecrets(deps, run, await deps.workspaces.readLiveFile(project_id, attempt_id, path, maxFile));
  if (live.is === "file") return requireOne({ base, current: live, source: "folder" }, path);
  if (live.is === "missing") return requireOne({ base, current: undefined, source: "folder" }, path);
  if (ended_at === null) return requireOne({ base, current: undefined, source: "elsewhere" }, path);
  const head = await openHead(deps, project_id);
  return requireOne({ base, current: await readAt(deps, project_id, head, path), source: "head" }, path);
}

/** A file that holds a secret is never taken over; until then, only the agent sees it. */
async function hideSecrets<T extends { readonly is: string; readonly content?: Buffer | undefined }>(
  { findSecrets }: RepositoryDeps,
  run: AgentRunRow,
  live: T,
): Promise<T> {
  if (live.content === undefined) return live;
  const secrets = await findSecrets(run);
  const found = await new SecretFinder(secrets).findIn([live.content]);
  if (found.size === 0) return live;
  // A longer text is not shown anyway.
  if (live.content.length > maxText || !isText(live.content)) return { ...live, content: undefined };
  const masked = await new Masker(found).maskInSlices(live.content.toString("utf8"));
  return { ...live, content: Buffer.from(masked) };
}

function requireOne(versions: FileVersions, path: string): FileVersions {
  if (versions.base === undefined && versions.current === undefined)
    throw new Refusal("not_found", `The agent sees no file '${path}'.`);
  return versions;
}

async function readAt(
  deps: RepositoryDeps,
  projectId: string,
  commit: string,
  path: string,
): Promise<FileVersion | undefined> {
  try {
    const read = () => deps.workspaces.readFile(projectId, commit, path, { maxBytes: maxFile });
    const content = await withRepository(deps, projectId, read);
    return content && { content, sizeBytes: content.length };
  } catch (error) {
    if (error instanceof WorkspaceError && error.code === "too_large") return { content: undefined, sizeBytes: null };
    if (isNotHere(error)) throw new Refusal("not_found", "The files of this run are not available on this node.");
    throw error;
  }
}

export async function showVision(
  { workspaces }: RepositoryDeps,
  run: AgentRunRow,
  path: string,
  { base, current, source }: FileVersions,
): Promise<AgentVision> {
  const contents = [base, current].flatMap((found) => found?.content ?? []);
  const latest = current?.content ?? base?.content;
  const canCompare = source !== "elsewhere" && [base, current].every((found) => !found || textOf(found) !== null);
  const diff = canCompare
    ? await workspaces.diffTexts(run.project_id, path, base?.content ?? empty, current?.content ?? empty)
    : null;
  return {
    agent_id: run.agent_id,
    project_id: run.project_id,
    task_id: run.task_id,
    attempt: run.number,
    path,
    media_type: latest === undefined ? "application/octet-stream" : mediaTypeOf(latest),
    is_binary: !contents.every(isText),
    base: show(base),
    current: show(current),
    source,
    diff,
  };
}

const empty = Buffer.alloc(0);

function show(found: FileVersion | undefined): AgentVision["base"] {
  return found === undefined ? null : { text: textOf(found), size_bytes: found.sizeBytes };
}

function textOf({ content }: FileVersion): string | null {
  return content !== undefined && content.length <= maxText && isText(content) ? content.toString("utf8") : null;
}
