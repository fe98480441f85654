export { lendCache, PackageCaches } from "./package-cache.ts";
export type { Worktree } from "./paths.ts";
export { type KeptFiles, type SavedHead, type TakeOptions, Workspaces } from "./workspaces.ts";
