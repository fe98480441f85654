export type { Merged } from "./merge.ts";
export { type PackageCache, PackageCaches } from "./package-cache.ts";
export type { Worktree } from "./places.ts";
export type { TreeFile } from "./read-tree.ts";
export { requireGit } from "./require-git.ts";
export { gitIsolation } from "./run-git.ts";
export type { Result } from "./take-result.ts";
export { WorkspaceError } from "./workspace-error.ts";
export { Workspaces } from "./workspaces.ts";
