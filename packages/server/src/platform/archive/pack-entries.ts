import { FileRefusal } from "../project-files/index.ts";
import { writeHeaders } from "./pax-header.ts";
import { blockBytes, kinds, paddingOf } from "./tar-header.ts";

/** A file or a link that lies in no folder. */
export interface EntryToPack {
  readonly path: string;
  readonly kind: "file" | "executable" | "link";
  readonly sizeBytes: number;
  /** Read before the next entry is asked for; a chunk need only be valid until the next one. */
  readonly content: AsyncIterable<Uint8Array> | Iterable<Uint8Array>;
}

/** Streams files and links as a tar archive, without a copy of them on the disk. */
export async function* packEntries(entries: AsyncIterable<EntryToPack>): AsyncGenerator<Uint8Array> {
  for await (const { path, kind, sizeBytes, content } of entries) {
    if (kind === "link") {
      const target = targetIn(path, Buffer.concat(await Array.fromAsync(copied(content))));
      yield* writeHeaders({ path, mode: 0o777, size: 0, kind: kinds.link, target });
      continue;
    }
    const mode = kind === "executable" ? 0o755 : 0o644;
    yield* writeHeaders({ path, mode, size: sizeBytes, kind: kinds.file, target: "" });
    yield* copied(content);
    yield Buffer.alloc(paddingOf(sizeBytes));
  }
  yield Buffer.alloc(2 * blockBytes);
}

async function* copied(chunks: EntryToPack["content"]): AsyncGenerator<Uint8Array> {
  for await (const chunk of chunks) yield Uint8Array.from(chunk);
}

function targetIn(path: string, bytes: Buffer): string {
  const target = bytes.toString("utf8");
  if (Buffer.from(target).equals(bytes)) return target;
  throw new FileRefusal("unreadable", path, "leads to a name that is not valid UTF-8.");
}
