import type { AgentVision } from "@slipway/contract";
import { Refusal } from "../../../platform/errors/index.ts";
import { WorkspaceError } from "../../../platform/git/index.ts";
import { isText, mediaTypeOf } from "./media-type.ts";
import { type FileParts, isNotHere, openHead, withRepository } from "./project-repository.ts";
import type { AgentRunRow } from "./store.ts";

const maxText = 1024 * 1024;
const maxFile = 10 * 1024 * 1024;

/** A file that is there; without content it is too large to be looked at. */
interface Found {
  readonly sizeBytes: number | null;
  readonly content: Buffer | undefined;
}

/** A file as an agent sees it: what it was given, and what it has made of it. */
export interface SeenFile {
  readonly base: Found | undefined;
  readonly current: Found | undefined;
  readonly source: AgentVision["source"];
}

export async function seeFile(parts: FileParts, run: AgentRunRow, path: string): Promise<SeenFile> {
  const { project_id, attempt_id, base_commit, ended_at } = run;
  const base = await readAt(parts, project_id, base_commit, path);
  const live = await parts.workspaces.readLiveFile(project_id, attempt_id, path, maxFile);
  const seen = ((): SeenFile | "later" => {
    if (live.is === "file") return { base, current: live, source: "folder" };
    if (live.is === "missing") return { base, current: undefined, source: "folder" };
    return ended_at === null ? { base, current: undefined, source: "elsewhere" } : "later";
  })();
  if (seen !== "later") return requireSome(seen, path);
  const head = await openHead(parts, project_id);
  return requireSome({ base, current: await readAt(parts, project_id, head, path), source: "head" }, path);
}

function requireSome(seen: SeenFile, path: string): SeenFile {
  if (seen.base === undefined && seen.current === undefined)
    throw new Refusal("not_found", `The agent sees no file '${path}'.`);
  return seen;
}

async function readAt(parts: FileParts, projectId: string, commit: string, path: string): Promise<Found | undefined> {
  try {
    const read = () => parts.workspaces.readFile(projectId, commit, path, { maxBytes: maxFile });
    const content = await withRepository(parts, projectId, read);
    return content && { content, sizeBytes: content.length };
  } catch (error) {
    if (error instanceof WorkspaceError && error.code === "too_large") return { content: undefined, sizeBytes: null };
    if (isNotHere(error)) throw new Refusal("not_found", "The files of this run cannot be had on this node.");
    throw error;
  }
}

/** The file as the API shows it. */
export async function showSeen(
  { workspaces }: FileParts,
  run: AgentRunRow,
  path: string,
  { base, current, source }: SeenFile,
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

function show(found: Found | undefined): AgentVision["base"] {
  return found === undefined ? null : { text: textOf(found), size_bytes: found.sizeBytes };
}

function textOf({ content }: Found): string | null {
  return content !== undefined && content.length <= maxText && isText(content) ? content.toString("utf8") : null;
}
