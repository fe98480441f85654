import type { BlobBackend } from "./blob-store.ts";
import { FolderBlobStore } from "./folder-blob-store.ts";
import type { S3Options } from "./s3-blob-store.ts";

/** Opens the blob store that the operator chose. */
export async function openBlobBackend({
  folder,
  s3,
}: {
  readonly folder: string;
  readonly s3: S3Options | undefined;
}): Promise<BlobBackend> {
  if (s3 === undefined) return FolderBlobStore.open(folder);
  // Imported on demand: the AWS SDK takes time and memory.
  const { S3BlobStore } = await import("./s3-blob-store.ts");
  return S3BlobStore.open(s3, folder);
}
