import { randomUUID } from "node:crypto";
import { mkdir, rename } from "node:fs/promises";
import { join } from "node:path";
import type { BlobStore } from "../../platform/blobs/index.ts";
import {
  type ChangedFile,
  changedFilesBetween,
  diffTexts,
  explainFileError,
  fetchBundle,
  findLaidOver,
  findMarked,
  hasCommit,
  type ListedBlob,
  listFilesAt,
  type Merged,
  type MergeOptions,
  makeRepository,
  merge,
  namesIn,
  patchBetween,
  type ReadOptions,
  type ReadTreeOptions,
  type Regenerated,
  type RegenerateOptions,
  type Repository,
  type Result,
  type ResultOptions,
  readCommitFiles,
  readFileAt,
  regenerate,
  rootCommit,
  runGit,
  saveBundle,
  streamFilesAt,
  summarizeTree,
  type TreeFile,
  type TreeSummary,
  takeResult,
  trackFiles,
} from "../../platform/git/index.ts";
import { FileRefusal } from "../../platform/project-files/index.ts";
import { removeFolder } from "../../platform/remove-folder.ts";
import { AttemptFolders } from "./attempt-folders.ts";
import { attemptFolders, isAttemptId, isProjectId, projectFolders, requireCommitId, type Worktree } from "./paths.ts";
import { type LiveFile, readLiveFile } from "./read-live-file.ts";
import { refuseSecrets } from "./refuse-secrets.ts";
import type { KeptFiles, SavedHead } from "./saved-head.ts";
import { sweepUnfinished } from "./sweep-unfinished.ts";

interface Log {
  info(details: object, message: string): void;
  warn(details: object, message: string): void;
}

interface WorkspacesOptions {
  /** Holds one folder a project. */
  readonly folder: string;
  readonly blobs: BlobStore;
  readonly log: Log;
  /** How long one call of git may take. */
  readonly gitLimitMs?: number;
  /** How many files a project may have. */
  readonly maxFiles?: number;
}

/** How to take an attempt's result. */
export interface TakeOptions extends ResultOptions {
  /** Values that must not get into the repository. */
  readonly secrets?: readonly string[];
}

interface Abortable {
  readonly signal?: AbortSignal | undefined;
}

/**
 * The projects' repositories and the folders in which agents work. The database says which commit counts: there are no
 * references and no garbage collection, so every operation may run beside others and be killed at any moment.
 */
export class Workspaces {
  readonly #folder: string;
  readonly #blobs: BlobStore;
  readonly #log: Log;
  readonly #gitLimitMs: number;
  readonly #maxFiles: number | undefined;
  /** Folders of attempts that this process works on: a sweep leaves them alone. */
  readonly #inUse = new Set<string>();
  readonly #attempts = new AttemptFolders();

  constructor({ folder, blobs, log, gitLimitMs = 120_000, maxFiles }: WorkspacesOptions) {
    this.#folder = folder;
    this.#blobs = blobs;
    this.#log = log;
    this.#gitLimitMs = gitLimitMs;
    this.#maxFiles = maxFiles;
  }

  /** Makes the repository if it is missing, and fetches the head into it; without a head, returns the empty first commit. */
  async open(projectId: string, head: SavedHead | undefined, { signal }: Abortable = {}): Promise<{ commit: string }> {
    const repository = this.#repository(projectId);
    const commit = requireCommitId(head?.commit ?? rootCommit);
    return explained("opening the repository", async () => {
      await makeRepository(repository);
      if (head && !(await hasCommit(repository, commit, signal))) {
        await fetchBundle(repository, this.#blobs, head, signal);
        this.#log.info({ project_id: projectId, commit }, "Fetched the project's repository from the artifacts.");
      }
      return { commit };
    });
  }

  /** Makes a broken repository anew from what was saved, as after a power cut; nobody may work on the project meanwhile. */
  async rebuild(projectId: string, head: SavedHead): Promise<void> {
    const { gitDir } = projectFolders(this.#folder, projectId);
    const broken = `${gitDir}.${randomUUID()}`;
    await rename(gitDir, broken);
    try {
      await this.open(projectId, head);
    } catch (error) {
      // What is left of it is better than nothing.
      await removeFolder(gitDir);
      await rename(broken, gitDir);
      throw error;
    }
    await removeFolder(broken);
    this.#log.warn({ project_id: projectId }, "Rebuilt the project's broken repository.");
  }

  /** Fills a new folder for an attempt with the files of a commit. */
  async checkOut(projectId: string, attemptId: string, commit: string, { signal }: Abortable = {}): Promise<Worktree> {
    const { attempt, tree, index } = attemptFolders(this.#folder, projectId, attemptId);
    this.#inUse.add(attempt);
    return explained("filling a workspace", async () => {
      await this.#attempts.make(attempt);
      await mkdir(tree);
      const args = ["read-tree", "-m", "-u", requireCommitId(commit)];
      signal?.throwIfAborted();
      // The first commit has no files.
      if (commit !== rootCommit)
        await runGit(this.#repository(projectId), args, { workTree: tree, indexFile: index, signal });
      return { projectId, attemptId, path: tree };
    }).catch(async (error: unknown) => {
      await this.release({ projectId, attemptId, path: tree });
      throw error;
    });
  }

  /** Lets git take files of others' commits from a new folder, whatever is ignored there: they were taken before. */
  async track({ projectId, attemptId }: Worktree, earlier: readonly KeptFiles[]): Promise<void> {
    for (const { repositoryId, source } of earlier) await this.open(repositoryId, source);
    const { index } = attemptFolders(this.#folder, projectId, attemptId);
    const commits = earlier.map(({ repositoryId, source }) => ({
      repository: this.#repository(repositoryId),
      commit: source.commit,
    }));
    await explained("filling an index", () => trackFiles(this.#repository(projectId), index, commits));
  }

  /**
   * Hands the folder of an abandoned attempt to another, as it is; undefined if the folder, or the commit that it was
   * filled from, is not on this machine.
   */
  async adopt(projectId: string, from: string, attemptId: string, base: string): Promise<Worktree | undefined> {
    const left = attemptFolders(this.#folder, projectId, from);
    const { attempt, tree } = attemptFolders(this.#folder, projectId, attemptId);
    if (this.#inUse.has(left.attempt)) return undefined;
    if (!(await hasCommit(this.#repository(projectId), requireCommitId(base)))) return undefined;
    this.#inUse.add(attempt);
    return explained("taking over a workspace", async () => {
      await rename(left.attempt, attempt);
      return { projectId, attemptId, path: tree };
    }).catch(async (error: unknown) => {
      this.#inUse.delete(attempt);
      if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
      throw error;
    });
  }

  /** Commits an attempt's files; undefined if nothing changed. Refuses what must not get into the repository. */
  async takeResult(
    { projectId, attemptId }: Worktree,
    { secrets = [], ...options }: TakeOptions,
  ): Promise<Result | undefined> {
    requireCommitId(options.base);
    const repository = this.#repository(projectId);
    const files = attemptFolders(this.#folder, projectId, attemptId);
    return explained("taking a result", async () => {
      const result = await takeResult(repository, files, { maxFiles: this.#maxFiles, ...options });
      if (result === undefined) return undefined;
      await refuseSecrets(repository, { from: options.base, to: result.commit, signal: options.signal }, secrets);
      return result;
    });
  }

  /** Merges a result onto the project's head, or says which paths both have changed. */
  async merge(projectId: string, options: MergeOptions): Promise<Merged> {
    for (const commit of [options.base, options.mine, options.head]) requireCommitId(commit);
    return explained("merging", () => merge(this.#repository(projectId), { maxFiles: this.#maxFiles, ...options }));
  }

  /** Fetches a commit, possibly another project's, without making it part of this one's history. */
  async bring(projectId: string, saved: SavedHead, { signal }: Abortable = {}): Promise<void> {
    const repository = this.#repository(projectId);
    await explained("fetching files", async () => {
      if (!(await hasCommit(repository, requireCommitId(saved.commit), signal)))
        await fetchBundle(repository, this.#blobs, saved, signal);
    });
  }

  /** Merges what is generated now with what a person made of the last generation; all commits must be here. */
  async regenerate(
    projectId: string,
    { base = rootCommit, ...options }: Omit<RegenerateOptions, "base"> & { readonly base?: string | undefined },
  ): Promise<Regenerated> {
    const { yours, regenerated, began } = options;
    for (const commit of [base, yours, regenerated, began?.result ?? base, began?.merged ?? base])
      requireCommitId(commit);
    return explained("merging", () => regenerate(this.#repository(projectId), { base, ...options }));
  }

  /** The files of a commit in which a conflict is still marked. */
  async findMarked(projectId: string, commit: string, { signal }: Abortable = {}): Promise<string[]> {
    return findMarked(this.#repository(projectId), requireCommitId(commit), signal);
  }

  /** The generations, merged with a person's changes, that are in a commit. */
  async findLaidOver(projectId: string, commit: string, { signal }: Abortable = {}): Promise<ReadonlySet<string>> {
    return findLaidOver(this.#repository(projectId), requireCommitId(commit), signal);
  }

  /** Saves a commit with its history in the blob store; returns the digest. */
  async save(projectId: string, commit: string, { signal }: Abortable = {}): Promise<string> {
    return explained("saving the repository", () =>
      saveBundle(
        this.#repository(projectId),
        { blobs: this.#blobs, ownerId: projectId },
        requireCommitId(commit),
        signal,
      ),
    );
  }

  async readFile(projectId: string, commit: string, path: string, options?: ReadOptions): Promise<Buffer | undefined> {
    return readFileAt(this.#repository(projectId), requireCommitId(commit), path, options);
  }

  /** A file of an attempt's folder as it is now, while the agent may be working there. */
  async readLiveFile(projectId: string, attemptId: string, path: string, maxBytes: number): Promise<LiveFile> {
    return readLiveFile(attemptFolders(this.#folder, projectId, attemptId).tree, path, maxBytes);
  }

  /** The unified diff between two texts of a file. */
  async diffTexts(projectId: string, path: string, from: Buffer, to: Buffer): Promise<string> {
    return diffTexts(this.#repository(projectId), path, from, to);
  }

  async listFiles(projectId: string, commit: string, { signal }: Abortable = {}): Promise<ListedBlob[]> {
    return listFilesAt(this.#repository(projectId), requireCommitId(commit), signal);
  }

  /** The same, one after the other: a list may take 200 MB, and many may ask for one at once. */
  streamFiles(projectId: string, commit: string, { signal }: Abortable = {}): AsyncGenerator<ListedBlob> {
    return streamFilesAt(this.#repository(projectId), requireCommitId(commit), signal);
  }

  /** Number, size and digest of a commit's files; the commit must be here. */
  async summarize(projectId: string, commit: string, { signal }: Abortable = {}): Promise<TreeSummary> {
    return summarizeTree(this.#repository(projectId), requireCommitId(commit), signal);
  }

  /** The files of a commit with their bytes, one after the other; only the one at the path, if given. */
  async *readTree(projectId: string, commit: string, options?: ReadTreeOptions): AsyncGenerator<TreeFile> {
    yield* readCommitFiles(this.#repository(projectId), requireCommitId(commit), options);
  }

  async changedFiles(projectId: string, from: string, to: string, { signal }: Abortable = {}): Promise<ChangedFile[]> {
    return changedFilesBetween(this.#repository(projectId), requireCommitId(from), requireCommitId(to), signal);
  }

  /** The patch that leads from one commit to another. */
  async patch(projectId: string, from: string, to: string, options?: ReadOptions): Promise<Buffer> {
    return patchBetween(this.#repository(projectId), requireCommitId(from), requireCommitId(to), options);
  }

  /** Moves an attempt's files out of its folder, to a path on the same disk where nothing is. */
  async moveTo({ path }: Worktree, folder: string): Promise<void> {
    await explained("moving a workspace", () => rename(path, folder));
  }

  /** Removes an attempt's folder; a later sweep does, where the disk does not answer. */
  async release({ projectId, attemptId }: Worktree): Promise<void> {
    const { attempt } = attemptFolders(this.#folder, projectId, attemptId);
    await this.#attempts.remove(attempt).catch((error: unknown) => {
      if (!(error instanceof FileRefusal)) throw error;
      this.#log.warn({ attempt, err: error }, "Could not remove a workspace.");
    });
    this.#inUse.delete(attempt);
  }

  /** Removes the folders of attempts that nobody works on any more; returns their ids. */
  async sweep(isInUse: (projectId: string, attemptId: string) => boolean | Promise<boolean>): Promise<string[]> {
    const removed: string[] = [];
    for (const projectId of (await namesIn(this.#folder)).filter(isProjectId)) {
      const { project, attempts } = projectFolders(this.#folder, projectId);
      // Of one whose folder the disk cannot read, say: the others are swept all the same.
      const noteUnswept = (error: unknown) => {
        this.#log.warn({ project, err: error }, "Could not look through a project's folder.");
        return [];
      };
      for (const attemptId of (await namesIn(attempts).catch(noteUnswept)).filter(isAttemptId)) {
        const attempt = join(attempts, attemptId);
        if (this.#inUse.has(attempt) || (await isInUse(projectId, attemptId))) continue;
        try {
          await this.#attempts.remove(attempt);
          removed.push(attemptId);
        } catch (error) {
          // A git of the dead process may still write there; the next sweep removes it.
          this.#log.warn({ attempt, err: error }, "Could not remove an abandoned workspace.");
        }
      }
      await sweepUnfinished(project).catch(noteUnswept);
    }
    if (removed.length > 0) this.#log.info({ attempts: removed }, "Removed abandoned workspaces.");
    return removed;
  }

  /** Removes a project's repository and all its folders. */
  async remove(projectId: string): Promise<void> {
    await removeFolder(projectFolders(this.#folder, projectId).project);
  }

  #repository(projectId: string): Repository {
    return { gitDir: projectFolders(this.#folder, projectId).gitDir, limitMs: this.#gitLimitMs };
  }
}

async function explained<T>(doing: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw explainFileError(error, doing);
  }
}
