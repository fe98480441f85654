import type { BlobStore } from "../../platform/blobs/index.ts";
import type { NewArtifact } from "../lifecycle/index.ts";

/** Stores a text as a blob, ready to be listed as an artifact when its task counts. */
export async function storeText(
  blobs: Pick<BlobStore, "put">,
  projectId: string,
  { text, ...about }: { readonly text: string } & Pick<NewArtifact, "type" | "path" | "mediaType">,
): Promise<NewArtifact> {
  const { digest, size } = await blobs.put(Buffer.from(text), { ownerId: projectId });
  return { ...about, digest, size };
}
