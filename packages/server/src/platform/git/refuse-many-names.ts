import { open } from "node:fs/promises";
import { type Repository, runGit } from "./run-git.ts";
import { WorkspaceError } from "./workspace-error.ts";

/** More than the projects of people have; reading the list of a million files would hold up the service for seconds. */
const defaultMaxFiles = 200_000;
/** With what git writes beside each name, a list of 200,000 files stays below what is read of git's output. */
const maxNameBytes = 40 * 1024 * 1024;
/** What an entry of an index takes at most beside its path. */
const entryBytes = 70;

/** Refuses an index of too many files, or whose paths are too long together: nobody could list such a project any more. */
export async function refuseManyNames(index: string, maxFiles = defaultMaxFiles): Promise<void> {
  const { files, nameBytes } = await measureIndex(index);
  if (files > maxFiles) throw tooMany(files, maxFiles);
  if (nameBytes > maxNameBytes) throw tooLong();
}

/** The same for what was merged: each of two sides may have had as much as it may. */
export async function refuseManyMerged(
  repository: Repository,
  tree: string,
  {
    maxFiles = defaultMaxFiles,
    signal,
  }: { readonly maxFiles?: number | undefined; readonly signal?: AbortSignal | undefined },
): Promise<void> {
  const options = { signal, maxOutputBytes: maxNameBytes };
  const args = ["ls-tree", "-r", "-z", "--name-only", "--full-tree", tree];
  const { stdout } = await runGit(repository, args, options).catch((error) => {
    throw error instanceof WorkspaceError && error.code === "too_large" ? tooLong() : error;
  });
  let files = 0;
  for (let end = stdout.indexOf(0); end !== -1; end = stdout.indexOf(0, end + 1)) files += 1;
  if (files > maxFiles) throw tooMany(files, maxFiles);
}

function tooMany(files: number, maxFiles: number): WorkspaceError {
  return new WorkspaceError(
    "unacceptable_file",
    `The workspace has ${files} files, more than the ${maxFiles} that a project may have. Remove some, or have git ignore them.`,
  );
}

function tooLong(): WorkspaceError {
  return new WorkspaceError(
    "unacceptable_file",
    `The paths of all files have more than ${maxNameBytes / 2 ** 20} MiB together: the folders that a file is in count for each. Shorten them, remove files, or have git ignore them.`,
  );
}

/** Its head tells the number of files: the signature, the version and the count take four bytes each. */
async function measureIndex(index: string): Promise<{ readonly files: number; readonly nameBytes: number }> {
  const file = await open(index).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== "ENOENT") throw error;
  });
  // Git writes none where it finds nothing to add.
  if (!file) return { files: 0, nameBytes: 0 };
  try {
    const { buffer } = await file.read(Buffer.alloc(12), 0, 12, 0);
    const files = buffer.readUInt32BE(8);
    return { files, nameBytes: (await file.stat()).size - files * entryBytes };
  } finally {
    await file.close();
  }
}
