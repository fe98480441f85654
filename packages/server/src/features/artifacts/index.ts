export { patchPath } from "./artifact-path.ts";
export { artifactChores } from "./retention/chores.ts";
export { artifactRoutes } from "./routes.ts";
export { findArtifact, findPatch, keepArtifacts, putArtifact, selectArtifacts } from "./store.ts";
export { TrackedBlobs } from "./tracked-blobs.ts";
export { uploadRoutes } from "./uploads/routes.ts";
