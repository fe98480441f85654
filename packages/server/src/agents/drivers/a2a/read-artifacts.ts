import type { Artifact, Part } from "@a2a-js/sdk";

/** What an agent has made. */
export interface Made {
  /** Differences, each to be applied as a whole. */
  readonly patches: readonly Buffer[];
  /** Whole files, by their paths from the project's folder on. */
  readonly files: readonly { readonly path: string; readonly bytes: Buffer }[];
  /** What it says besides. */
  readonly texts: readonly string[];
  /** Names of files that it only says where to find. */
  readonly links: readonly string[];
}

/** Tells apart what an agent hands in. Differences may come in pieces. */
export function sortParts(artifacts: readonly Pick<Artifact, "parts">[]): Made {
  const made = {
    patches: [] as Buffer[],
    files: [] as Made["files"][number][],
    texts: [] as string[],
    links: [] as string[],
  };
  for (const { parts } of artifacts) {
    const pieces: Buffer[] = [];
    for (const part of parts) {
      const bytes = bytesOf(part);
      if (part.content?.$case === "url") made.links.push(part.filename || part.content.value);
      else if (bytes === undefined) continue;
      else if (isPatch(part)) pieces.push(bytes);
      else if (part.filename !== "") made.files.push({ path: part.filename, bytes });
      else if (part.content?.$case === "text") made.texts.push(part.content.value);
    }
    if (pieces.length > 0)
      made.patches.push(Buffer.concat([...pieces, Buffer.from(endsLine(pieces.at(-1)!) ? "" : "\n")]));
  }
  return made;
}

function bytesOf({ content }: Part): Buffer | undefined {
  if (content?.$case === "text") return Buffer.from(content.value);
  return content?.$case === "raw" ? Buffer.from(content.value) : undefined;
}

function isPatch({ mediaType, filename }: Part): boolean {
  return /^text\/x-(diff|patch)\b/i.test(mediaType) || /\.(patch|diff)$/i.test(filename);
}

function endsLine(bytes: Buffer): boolean {
  return bytes.at(-1) === 0x0a;
}
