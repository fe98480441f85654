import { lacksSpace } from "../disk-space.ts";

/** Why an operation on a workspace failed; the message names the path, if there is one. */
export type WorkspaceErrorCode =
  | "no_space"
  | "nested_repository"
  | "link_leaves_tree"
  | "unacceptable_file"
  | "secret_found"
  | "unknown_commit"
  | "repository_missing"
  | "repository_broken"
  | "bundle_unusable"
  | "too_large"
  | "timed_out"
  | "git_missing"
  | "git_failed";

export class WorkspaceError extends Error {
  override readonly name = "WorkspaceError";
  readonly code: WorkspaceErrorCode;
  /** From the root of the tree, if the problem has a path. */
  readonly path: string | undefined;

  constructor(code: WorkspaceErrorCode, message: string, { path, cause }: { path?: string; cause?: unknown } = {}) {
    super(message, { cause });
    this.code = code;
    this.path = path;
  }
}

/** Whether the machine is at fault, so that nothing need be wrong with what git was to work on. */
export function isMachineFault({ code }: WorkspaceError): boolean {
  return code === "no_space" || code === "timed_out" || code === "git_missing";
}

/** Turns errors of a full disk into a WorkspaceError; returns any other error unchanged. */
export function explainFileError(error: unknown, doing: string): unknown {
  if (!lacksSpace(error)) return error;
  return error instanceof WorkspaceError ? error : noSpace(doing, error);
}

export function noSpace(doing: string, cause?: unknown): WorkspaceError {
  return new WorkspaceError("no_space", `The disk is full: ${doing} failed.`, { cause });
}
