export {
  type BlobBackend,
  BlobError,
  type BlobStore,
  type ByteRange,
  type PutOptions,
  type StoredBlob,
} from "./blob-store.ts";
export { FolderBlobStore } from "./folder-blob-store.ts";
export { openBlobBackend } from "./open-blob-backend.ts";
export { refusalOf, refuseBlobError } from "./refuse-blob-error.ts";
