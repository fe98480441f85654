import { Readable } from "node:stream";
import { extract, type Header } from "tar-stream";
import { oneLine } from "../one-line.ts";
import { blockBytes } from "./tar-header.ts";

/** An entry of a tar archive; its content must be read before the next one. */
export interface Entry {
  readonly path: string;
  readonly kind: "file" | "link" | "folder" | "hard_link";
  readonly isExecutable: boolean;
  /** Where a link leads; for a hard link, the path of an entry before it. */
  readonly target: string;
  readonly content: AsyncIterable<Uint8Array>;
}

/** Reads a tar archive as GNU tar, bsdtar and others write it; throws if it is damaged or has anything else than files. */
export async function* readEntries(archive: AsyncIterable<Uint8Array>): AsyncGenerator<Entry> {
  const entries = extract({ allowUnknownFormat: true } as Parameters<typeof extract>[0]);
  const source = Readable.from(untilEnd(archive), { objectMode: false });
  let failure: Error | undefined;
  source.on("error", (error) => {
    failure = error;
    entries.destroy(error);
  });
  source.pipe(entries as unknown as NodeJS.WritableStream);
  // The library may report the source's failure in words of its own.
  const reason = (error: unknown) => failure ?? explain(error as Error);
  try {
    for await (const entry of entries) {
      const { header } = entry;
      const content = withReason(entry as unknown as AsyncIterable<Uint8Array>, reason);
      yield { ...kindOf(header), path: header.name, isExecutable: ((header.mode ?? 0) & 0o100) !== 0, content };
      entry.resume();
    }
  } catch (error) {
    throw reason(error);
  } finally {
    source.destroy();
  }
}

async function* withReason(
  content: AsyncIterable<Uint8Array>,
  reason: (error: unknown) => Error,
): AsyncGenerator<Uint8Array> {
  try {
    yield* content;
  } catch (error) {
    throw reason(error);
  }
}

function kindOf({ name: path, type, linkname, pax }: Header): Pick<Entry, "kind" | "target"> {
  const name = oneLine(path, 200);
  const isSparse = Object.keys(pax ?? {}).some((key) => key.startsWith("GNU.sparse."));
  if (isSparse) throw new Error(`The archive's '${name}' is packed as a sparse file. Pack it without --sparse.`);
  if (type === "file" || type === "contiguous-file") return { kind: "file", target: "" };
  if (type === "directory") return { kind: "folder", target: "" };
  if (type === "symlink") return { kind: "link", target: linkname ?? "" };
  if (type === "link") return { kind: "hard_link", target: linkname ?? "" };
  throw new Error(`The archive's '${name}' is neither a file nor a link nor a folder.`);
}

/** Passes the archive on, and throws if it lacks its end: one that is cut off between two files would look whole. */
async function* untilEnd(archive: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  let last = Buffer.alloc(0);
  let size = 0;
  for await (const chunk of archive) {
    size += chunk.length;
    last = Buffer.concat([last, chunk.subarray(-blockBytes)]).subarray(-blockBytes);
    yield chunk;
  }
  const isWhole = size % blockBytes === 0 && last.length === blockBytes && last.every((byte) => byte === 0);
  if (!isWhole) throw new Error(tooEarly);
}

const tooEarly = "The archive ends too early.";

/** The library's own messages, in our words. */
function explain(error: Error): Error {
  // The library says the latter of an entry that claims to be larger than the rest of the archive.
  if (["Unexpected end of data", "Stream was destroyed"].includes(error.message))
    return new Error(tooEarly, { cause: error });
  if (/^Invalid tar header|^Invalid header/.test(error.message))
    return new Error("This is not a tar archive, or it is damaged.", { cause: error });
  if (error.message === "Header exceeds max size")
    return new Error("The archive has a header that is too long.", { cause: error });
  return error;
}
