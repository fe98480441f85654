export { BlobError, type BlobStore } from "./blob-store.ts";
export { FolderBlobStore } from "./folder-blob-store.ts";
export { findArtifact, keepArtifacts, putArtifact, selectArtifacts } from "./store.ts";
