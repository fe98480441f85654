export { fetchBundle, saveBundle } from "./bundle.ts";
export { diffTexts } from "./diff-texts.ts";
export { fetchFile } from "./fetch-file.ts";
export { leavingLinks } from "./find-leaving-link.ts";
export { whyTooLargeBuilt } from "./find-too-large.ts";
export { findLaidOver } from "./laid-over.ts";
export { type Merged, type MergeOptions, merge } from "./merge.ts";
export { findMarked } from "./merge-file.ts";
export { namesIn } from "./names-in.ts";
export {
  type ChangedFile,
  changedFilesBetween,
  filesAt,
  type ListedBlob,
  listFilesAt,
  patchBetween,
  type ReadOptions,
  readFileAt,
  streamFilesAt,
} from "./read-files.ts";
export {
  type ReadTreeOptions,
  readCommitFiles,
  readTree,
  summarizeTree,
  type TreeFile,
  type TreeSummary,
} from "./read-tree.ts";
export { type Conflict, type Regenerated, type RegenerateOptions, regenerate } from "./regenerate.ts";
export { hasCommit, makeRepository, rootCommit } from "./repository.ts";
export { requireGit } from "./require-git.ts";
export { gitIsolation, type Repository, runGit } from "./run-git.ts";
export { type Result, type ResultOptions, takeResult } from "./take-result.ts";
export { trackFiles } from "./track-files.ts";
export { explainFileError, isMachineFault, WorkspaceError } from "./workspace-error.ts";
