import { basename } from "node:path";
import type { BlobStore } from "../../platform/blobs/index.ts";
import { openProjectFile } from "../../platform/project-files/index.ts";
import type { NewArtifact } from "../lifecycle/index.ts";

const maxFileBytes = 2 ** 31;

type ToStore = ({ readonly text: string } | { readonly bytes: Uint8Array }) &
  Pick<NewArtifact, "type" | "path" | "mediaType">;

/** Stores a text, or bytes, as a blob, ready to be listed as an artifact when its task counts. */
export async function storeText(blobs: Pick<BlobStore, "put">, projectId: string, file: ToStore): Promise<NewArtifact> {
  const { type, path, mediaType } = file;
  const { digest, size } = await blobs.put(Buffer.from("text" in file ? file.text : file.bytes), {
    ownerId: projectId,
  });
  return { type, path, mediaType, digest, size };
}

/** Stores a file that a project made as a blob, ready to be listed as an artifact when its task counts. */
export async function storeFile(
  blobs: Pick<BlobStore, "put">,
  { projectId, folder, signal }: { readonly projectId: string; readonly folder: string; readonly signal: AbortSignal },
  { type, path }: { readonly type: string; readonly path: string },
): Promise<NewArtifact> {
  const file = await openProjectFile(folder, path, { maxBytes: maxFileBytes, signal });
  try {
    const { digest, size } = await blobs.put(file.chunks(), { ownerId: projectId });
    return { type, path: `deployment/${basename(path)}`, mediaType: "application/octet-stream", digest, size };
  } finally {
    await file.close();
  }
}
