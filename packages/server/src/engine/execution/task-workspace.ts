import type { Attempt, Head } from "../lifecycle/index.ts";
import type { TakeOptions, Worktree } from "../workspaces/index.ts";
import { type ResumeDeps, resumeAttempt } from "./resume-attempt.ts";

/** Whose workspace it is: an attempt at a task, or the verification of a phase. */
type Owner = Pick<Attempt, "projectId" | "id" | "signal">;

/** A folder for an agent, filled for it or taken over from an earlier process that died. */
export interface WorkFolder {
  readonly path: string;
  /** The commit that it was filled from. */
  readonly base: string;
  /** By which handle the agent continues, if it had begun already, and whether its changes are still there. */
  readonly resumed: { readonly handle: string; readonly areChangesThere: boolean } | undefined;
}

/** The folder in which one attempt works: filled from the project's head, or taken over from a process that died. */
export class TaskWorkspace {
  readonly #deps: Pick<ResumeDeps, "workspaces">;
  readonly #owner: Owner;
  readonly #head: Head | null;
  #worktree: Worktree | undefined;

  constructor(deps: Pick<ResumeDeps, "workspaces">, owner: Owner, head: Head | null) {
    this.#deps = deps;
    this.#owner = owner;
    this.#head = head;
  }

  /** Checks out the project's head into a new folder. */
  async checkOut(): Promise<{ readonly folder: string; readonly commit: string }> {
    return this.#fill(await this.#openHead());
  }

  /**
   * Prepares the folder for an agent: a new one, or that of an earlier process which died at this very attempt. `whenFilled`
   * may change a new one before the agent sees it; in the other there may be what the agent has written.
   */
  async prepareForAgent(
    deps: ResumeDeps,
    attempt: Attempt,
    whenFilled: (folder: string) => Promise<void> = async () => undefined,
  ): Promise<WorkFolder> {
    const head = await this.#openHead();
    const interrupted = await resumeAttempt(deps, attempt);
    if (interrupted?.left === undefined) {
      const { folder, commit } = await this.#fill(head);
      await whenFilled(folder);
      return {
        path: folder,
        base: commit,
        resumed: interrupted && { handle: interrupted.handle, areChangesThere: false },
      };
    }
    const { handle, left } = interrupted;
    this.#worktree = left.worktree;
    return { path: left.worktree.path, base: left.base, resumed: { handle, areChangesThere: true } };
  }

  /** Commits what is in the folder now; undefined if nothing changed since the base. */
  commitResult(options: Omit<TakeOptions, "signal">): Promise<{ commit: string } | undefined> {
    if (this.#worktree === undefined) throw new Error("A result is taken from a workspace that was never filled.");
    return this.#deps.workspaces.takeResult(this.#worktree, { ...options, signal: this.#owner.signal });
  }

  /** Moves the files to where they stay: a deployed program runs from there. The path must be free, on the same disk. */
  async moveTo(folder: string): Promise<void> {
    if (this.#worktree === undefined) throw new Error("A workspace is moved that was never filled.");
    await this.#deps.workspaces.moveTo(this.#worktree, folder);
  }

  /** Removes the folder. */
  async cleanUp(): Promise<void> {
    if (this.#worktree !== undefined) await this.#deps.workspaces.release(this.#worktree);
  }

  async #openHead(): Promise<string> {
    const { projectId, signal } = this.#owner;
    const { commit } = await this.#deps.workspaces.open(projectId, this.#head ?? undefined, { signal });
    return commit;
  }

  async #fill(commit: string): Promise<{ folder: string; commit: string }> {
    const { projectId, id, signal } = this.#owner;
    this.#worktree = await this.#deps.workspaces.checkOut(projectId, id, commit, { signal });
    return { folder: this.#worktree.path, commit };
  }
}
