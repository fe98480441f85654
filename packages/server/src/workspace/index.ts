export type { Merged } from "./merge.ts";
export { type PackageCache, PackageCaches } from "./package-cache.ts";
export type { Worktree } from "./places.ts";
export type { Conflict } from "./regenerate.ts";
export { requireGit } from "./require-git.ts";
export { gitIsolation } from "./run-git.ts";
export type { Result } from "./take-result.ts";
export { WorkspaceError } from "./workspace-error.ts";
export { type SavedHead, Workspaces } from "./workspaces.ts";
