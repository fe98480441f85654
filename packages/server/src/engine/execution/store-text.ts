import type { BlobStore } from "../../platform/blobs/index.ts";
import type { NewArtifact } from "../lifecycle/index.ts";

type ToStore = ({ readonly text: string } | { readonly bytes: Uint8Array }) &
  Pick<NewArtifact, "type" | "path" | "mediaType">;

/** Stores a text, or bytes, as a blob, ready to be listed as an artifact when its task counts. */
export async function storeText(blobs: Pick<BlobStore, "put">, projectId: string, file: ToStore): Promise<NewArtifact> {
  const { type, path, mediaType } = file;
  const bytes = "text" in file ? Buffer.from(file.text) : Buffer.from(file.bytes);
  const { digest, size } = await blobs.put(bytes, { ownerId: projectId });
  return { type, path, mediaType, digest, size };
}
