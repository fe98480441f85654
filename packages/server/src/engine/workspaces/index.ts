export { lendCache, PackageCaches } from "./package-cache.ts";
export type { Worktree } from "./paths.ts";
export type { KeptFiles, SavedHead } from "./saved-head.ts";
export { type TakeOptions, Workspaces } from "./workspaces.ts";
