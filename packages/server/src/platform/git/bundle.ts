import { PassThrough } from "node:stream";
import type { BlobStore } from "../blobs/index.ts";

import { compactObjects } from "./compact-objects.ts";
import { hasCommit } from "./repository.ts";
import { type Repository, runGit, startGit } from "./run-git.ts";
import { WorkspaceError } from "./workspace-error.ts";

/**
 * Puts a commit and all its history into the blob store, as a bundle that any git can clone. The head of the file is ours and the
 * pack comes right from git: no reference and no temporary file is needed, which a dead process could leave behind.
 */
export async function saveBundle(
  repository: Repository,
  { blobs, projectId }: { readonly blobs: BlobStore; readonly projectId: string },
  commit: string,
  signal?: AbortSignal,
): Promise<string> {
  await compactObjects(repository, commit, signal);
  const git = startGit(repository, ["pack-objects", "--revs", "--stdout", "--delta-base-offset", "-q"], {
    input: `${commit}\n`,
    signal,
  });
  const pack = git.stdout.pipe(new PassThrough());
  try {
    return (await blobs.put(contents(), { projectId })).digest;
  } catch (error) {
    git.stop(error);
    throw error;
  }

  async function* contents(): AsyncGenerator<Uint8Array> {
    yield Buffer.from(`# v2 git bundle\n${commit} HEAD\n${commit} refs/heads/main\n\n`);
    yield* pack;
    // Without this, half a pack would be kept when git fails.
    await git.done;
  }
}

/** Brings a commit and its history into the repository, from a bundle that another node has saved. */
export async function fetchBundle(
  repository: Repository,
  blobs: BlobStore,
  { commit, bundle }: { commit: string; bundle: string },
  signal?: AbortSignal,
): Promise<void> {
  const source = await blobs.open(bundle);
  try {
    await runGit(repository, ["index-pack", "--stdin"], { input: packOf(source, commit), signal });
    // Everything that the commit needs, not just itself.
    await runGit(repository, ["rev-list", "--objects", "--quiet", commit], { signal });
  } catch (error) {
    const isOurs = error instanceof WorkspaceError && !["no_space", "timed_out"].includes(error.code);
    throw isOurs ? unusable(bundle, error.message, error) : error;
  } finally {
    source.destroy();
  }
  if (!(await hasCommit(repository, commit, signal))) throw unusable(bundle, `it does not hold the commit ${commit}`);
}

/** Long enough for the two references of ours. */
const maxHead = 4_096;

async function* packOf(bundle: AsyncIterable<Uint8Array>, commit: string): AsyncGenerator<Uint8Array> {
  let head: Buffer | undefined = Buffer.alloc(0);
  for await (const chunk of bundle) {
    if (head === undefined) {
      yield chunk;
      continue;
    }
    head = Buffer.concat([head, chunk]);
    const end = head.indexOf("\n\n");
    if (end === -1 && head.length < maxHead) continue;
    const text = head.toString("latin1", 0, Math.max(end, 0));
    if (!text.startsWith("# v2 git bundle\n") || !text.includes(`\n${commit} `)) {
      throw unusable(commit, `it is no bundle of the commit ${commit}`);
    }
    yield head.subarray(end + 2);
    head = undefined;
  }
}

function unusable(bundle: string, reason: string, cause?: unknown): WorkspaceError {
  return new WorkspaceError("bundle_unusable", `The saved repository ${bundle} cannot be used: ${reason}`, { cause });
}
