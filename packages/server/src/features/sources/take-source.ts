import { randomUUID } from "node:crypto";
import { takeProvenance } from "../../engine/generation/index.ts";
import type { KeptFiles, SavedHead, Workspaces } from "../../engine/workspaces/index.ts";
import { unpackFolder } from "../../platform/archive/index.ts";
import { lacksSpace, measureDisk } from "../../platform/disk-space.ts";
import { Refusal } from "../../platform/errors/index.ts";
import { WorkspaceError } from "../../platform/git/index.ts";
import { leavingReserve, requireReserve } from "../../platform/leaving-reserve.ts";

interface SourceUpload {
  readonly applicationId: string;
  readonly archive: AsyncIterable<Uint8Array>;
  readonly author: string;
  readonly at: Date;
  /** What the archive's files may have been made from: it names the run, or does not. */
  readonly findEarlier: (madeFrom: string | undefined) => Promise<readonly KeptFiles[]>;
}

export interface TakenSource {
  readonly source: SavedHead;
  readonly files: number;
  readonly sizeBytes: number;
  readonly paths: ReadonlySet<string>;
  /** The run that the archive names as its base. */
  readonly madeFrom: string | undefined;
}

/** Empty folders cost an archive nothing, and the disk four kilobytes each. */
const maxEntries = 100_000;

/** Commits an uploaded archive to the application's repository; refuses unsafe or conflicting files. */
export async function takeSource(
  workspaces: Workspaces,
  { applicationId, archive, author, at, findEarlier }: SourceUpload,
): Promise<TakenSource> {
  const { root, worktree } = await withSpace(async () => {
    const { commit } = await workspaces.open(applicationId, undefined);
    return { root: commit, worktree: await workspaces.checkOut(applicationId, sourceAttempt(), commit) };
  });
  try {
    const { path: folder } = worktree;
    // Git stores it once more.
    const kept = { folder, before: await measureDisk(folder), refuse: noRoom };
    await unpackFolder(leavingReserve(archive, kept), folder, { maxEntries });
    await requireReserve(kept);
    const madeFrom = await takeProvenance(folder);
    // What somebody has got is not lost on its way back, where an agent has had git ignore it.
    await workspaces.track(worktree, await findEarlier(madeFrom));
    const email = "person@slipway.invalid";
    const made = await workspaces.takeResult(worktree, {
      base: root,
      author: { name: author, email },
      message: "Put the source",
      trailers: {},
      at,
    });
    if (made === undefined) throw new Refusal("invalid_body", "The archive has no files.");
    const { commit } = made;
    await refuseMarked(workspaces, applicationId, commit);
    const listed = await workspaces.listFiles(applicationId, commit);
    return {
      source: { commit, bundle: await workspaces.save(applicationId, commit) },
      files: listed.length,
      sizeBytes: listed.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0),
      paths: new Set(listed.map(({ path }) => path)),
      madeFrom,
    };
  } catch (error) {
    throw explain(error);
  } finally {
    await workspaces.release(worktree);
  }
}

/** The id of a temporary folder; it cannot clash with an attempt, because none has the number 0. */
function sourceAttempt(): string {
  return `0-0-source-${randomUUID()}`;
}

function noRoom(): WorkspaceError {
  return new WorkspaceError("no_space", "The source would take what the disk keeps for the service.");
}

async function refuseMarked(workspaces: Workspaces, applicationId: string, commit: string): Promise<void> {
  const marked = await workspaces.findMarked(applicationId, commit);
  if (marked.length === 0) return;
  throw new Refusal(
    "invalid_body",
    `Conflicts are still marked in ${nameSome(marked)}. Resolve them and put the source again.`,
  );
}

/** Names the first ten paths. */
export function nameSome(paths: readonly string[]): string {
  const more = paths.length > 10 ? ` and ${paths.length - 10} more` : "";
  return `${paths.slice(0, 10).join(", ")}${more}`;
}

/** Error codes for paths that conflict with others, or that the system does not allow. */
const invalidPathCodes = [
  "EEXIST",
  "ENOTDIR",
  "EISDIR",
  "ENAMETOOLONG",
  "EINVAL",
  "ERR_INVALID_ARG_VALUE",
  "ELOOP",
  "ENOENT",
];

/** Turns a full disk into a refusal that says when to try again. */
export async function withSpace<T>(work: () => Promise<T>): Promise<T> {
  return work().catch((error: unknown) => {
    throw explainSpace(error);
  });
}

function explainSpace(error: unknown): unknown {
  if (!lacksSpace(error)) return error;
  const headers = { "retry-after": "60" };
  return new Refusal("overloaded", "The disk has no space left for the source.", { headers, cause: error as Error });
}

function explain(thrown: unknown): unknown {
  const error = explainSpace(thrown);
  if (error instanceof Refusal || !(error instanceof Error)) return error;
  const { code } = error as NodeJS.ErrnoException;
  const isFault =
    error instanceof WorkspaceError
      ? ["nested_repository", "link_leaves_tree", "unacceptable_file"].includes(error.code)
      : code === undefined;
  if (isFault) return new Refusal("invalid_body", error.message, { cause: error });
  if (!(error instanceof WorkspaceError) && code !== undefined && invalidPathCodes.includes(code))
    return new Refusal("invalid_body", `The archive has a duplicate or invalid path (${code}).`, {
      cause: error,
    });
  return error;
}
