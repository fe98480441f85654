import { FileRefusal, openProjectFile, resolveInside } from "../../platform/project-files/index.ts";

/** A file of a folder in which an agent may be working. */
export type LiveFile =
  | { readonly is: "folder_missing" }
  | { readonly is: "missing" }
  /** Content is undefined for a file that is larger than asked for. */
  | { readonly is: "file"; readonly sizeBytes: number; readonly content: Buffer | undefined };

/** Reads a file of a tree that an agent may change at any moment; links are followed as far as they stay inside. */
export async function readLiveFile(tree: string, path: string, maxBytes: number): Promise<LiveFile> {
  try {
    await resolveInside(tree, ".");
  } catch (error) {
    return refused(error, "folder_missing");
  }
  // One spelling for each file.
  if (path.split("/").some((part) => ["", ".", ".."].includes(part))) return { is: "missing" };
  try {
    const inside = await resolveInside(tree, path);
    const file = await openProjectFile(tree, inside, { maxBytes: Number.POSITIVE_INFINITY });
    try {
      if (file.sizeBytes > maxBytes) return { is: "file", sizeBytes: file.sizeBytes, content: undefined };
      const content = Buffer.concat(await Array.fromAsync(file.chunks(maxBytes)));
      return { is: "file", sizeBytes: content.length, content };
    } finally {
      await file.close();
    }
  } catch (error) {
    return refused(error, "missing");
  }
}

function refused(error: unknown, is: "folder_missing" | "missing"): LiveFile {
  if (error instanceof FileRefusal) return { is };
  throw error;
}
