export { refuseBlobError } from "./blob-refusal.ts";
export { BlobError, type BlobStore } from "./blob-store.ts";
export { FolderBlobStore } from "./folder-blob-store.ts";
export { artifactChores } from "./keeping/chores.ts";
export { KeptBlobs } from "./kept-blobs.ts";
export { openBlobPlace } from "./open-blob-place.ts";
export { artifactRoutes } from "./routes.ts";
export { findArtifact, keepArtifacts, putArtifact, selectArtifacts } from "./store.ts";
export { uploadRoutes } from "./uploads/routes.ts";
