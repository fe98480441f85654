export { BoundedCalls, leaveStuckCalls, stuckFileCalls } from "./bounded-calls.ts";
export { FileRefusal } from "./file-refusal.ts";
export { resolveInside } from "./inner-path.ts";
export { keepInPlace } from "./keep-in-place.ts";
export { type FolderEntry, listProjectFolder, readProjectLink, walkProjectFiles } from "./list-folder.ts";
export { openProjectFile, readProjectFile } from "./read-file.ts";
export { moveAside, removeEmptyFolder, removeProjectFile, writeProjectFile } from "./write-file.ts";
