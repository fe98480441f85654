import type { Artifact, Part } from "@a2a-js/sdk";

/** What the artifacts of a remote agent hold. */
export interface ArtifactContent {
  /** Each is applied as a whole. */
  readonly patches: readonly Buffer[];
  /** Whole files; a path starts at the project's folder. */
  readonly files: readonly { readonly path: string; readonly bytes: Buffer }[];
  /** Plain text beside them. */
  readonly texts: readonly string[];
  /** Files that the agent sent a URL for, and not the content. */
  readonly links: readonly string[];
}

/** Sorts the parts of artifacts into patches, files, texts and links. A patch may come in several parts. */
export function readArtifacts(artifacts: readonly Pick<Artifact, "parts">[]): ArtifactContent {
  const content = {
    patches: [] as Buffer[],
    files: [] as ArtifactContent["files"][number][],
    texts: [] as string[],
    links: [] as string[],
  };
  for (const { parts } of artifacts) {
    const pieces: Buffer[] = [];
    for (const part of parts) {
      const bytes = bytesOf(part);
      if (part.content?.$case === "url") content.links.push(part.filename || part.content.value);
      else if (bytes === undefined) continue;
      else if (isPatch(part)) pieces.push(bytes);
      else if (part.filename !== "") content.files.push({ path: part.filename, bytes });
      else if (part.content?.$case === "text") content.texts.push(part.content.value);
    }
    if (pieces.length > 0) content.patches.push(withLineEnd(Buffer.concat(pieces)));
  }
  return content;
}

function bytesOf({ content }: Part): Buffer | undefined {
  if (content?.$case === "text") return Buffer.from(content.value);
  return content?.$case === "raw" ? Buffer.from(content.value) : undefined;
}

function isPatch({ mediaType, filename }: Part): boolean {
  return /^text\/x-(diff|patch)\b/i.test(mediaType) || /\.(patch|diff)$/i.test(filename);
}

/** Git refuses a patch whose last line does not end. */
function withLineEnd(patch: Buffer): Buffer {
  return patch.at(-1) === 0x0a ? patch : Buffer.concat([patch, Buffer.from("\n")]);
}
