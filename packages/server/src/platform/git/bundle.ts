import type { BlobStore } from "../blobs/index.ts";
import { compactObjects } from "./compact-objects.ts";
import { packArgs } from "./pack-objects.ts";
import { hasCommit } from "./repository.ts";
import { type Repository, runGit } from "./run-git.ts";
import { streamGit } from "./stream-git.ts";
import { isMachineFault, WorkspaceError } from "./workspace-error.ts";

/**
 * Stores a commit with its history in the blob store, as a bundle that any git can clone. This file writes the header itself
 * and streams the pack from git, so that a dead process leaves neither references nor temporary files.
 */
export async function saveBundle(
  repository: Repository,
  { blobs, ownerId }: { readonly blobs: BlobStore; readonly ownerId: string },
  commit: string,
  signal?: AbortSignal,
): Promise<string> {
  await compactObjects(repository, commit, signal);
  const { args, config } = packArgs(["--stdout"]);
  return (await blobs.put(contents(), { ownerId })).digest;

  async function* contents(): AsyncGenerator<Uint8Array> {
    yield Buffer.from(`# v2 git bundle\n${commit} HEAD\n${commit} refs/heads/main\n\n`);
    // Where git fails it fails too: half a pack is never stored.
    yield* streamGit(repository, args, { input: `${commit}\n`, config, signal });
  }
}

/** Fetches a commit and its history from a bundle that another node saved. */
export async function fetchBundle(
  repository: Repository,
  blobs: BlobStore,
  { commit, bundle }: { commit: string; bundle: string },
  signal?: AbortSignal,
): Promise<void> {
  const source = await blobs.open(bundle);
  try {
    await runGit(repository, ["index-pack", "--stdin"], { input: packOf(source, commit), signal });
    // Checks everything that the commit refers to, not only the commit.
    await runGit(repository, ["rev-list", "--objects", "--quiet", commit], { signal });
  } catch (error) {
    const isOurs = error instanceof WorkspaceError && !isMachineFault(error);
    throw isOurs ? unusable(bundle, error.message, error) : error;
  } finally {
    source.destroy();
  }
  if (!(await hasCommit(repository, commit, signal))) throw unusable(bundle, `it does not hold the commit ${commit}`);
}

/** Enough for the header that `saveBundle` writes. */
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
