import { openProjectFile, readProjectLink, walkProjectFiles } from "../project-files/index.ts";
import { blockBytes, kinds, paddingOf, type TarHeader, writeHeader } from "./tar-header.ts";

interface PackOptions {
  /** Whether to leave out files and folders of this name, at any depth. */
  readonly leavesOut?: (name: string) => boolean;
  /** Whether to pack a link with this target; left out: every link. */
  readonly keepsLink?: (path: string, target: string) => boolean;
  /** A larger file is refused before any of it is read. */
  readonly maxFileBytes?: number;
}

/** Streams the files and links of a folder as a tar archive; equal files give equal bytes. */
export async function* packFolder(
  folder: string,
  { leavesOut = () => false, keepsLink = () => true, maxFileBytes = Number.POSITIVE_INFINITY }: PackOptions = {},
): AsyncGenerator<Uint8Array> {
  for await (const { path, kind } of walkProjectFiles(folder, { leavesOut })) {
    if (kind === "link") {
      const target = await readProjectLink(folder, path);
      if (keepsLink(path, target)) yield* headers({ path, mode: 0o777, size: 0, kind: kinds.link, target });
    } else if (kind === "file") yield* packFile(folder, path, maxFileBytes);
  }
  yield Buffer.alloc(2 * blockBytes);
}

async function* packFile(folder: string, path: string, maxBytes: number): AsyncGenerator<Uint8Array> {
  const file = await openProjectFile(folder, path, { maxBytes });
  try {
    const mode = file.isExecutable ? 0o755 : 0o644;
    yield* headers({ path, mode, size: file.sizeBytes, kind: kinds.file, target: "" });
    let size = 0;
    for await (const chunk of file.chunks()) {
      size += chunk.length;
      yield chunk;
    }
    if (size !== file.sizeBytes) throw new Error(`'${path}' was changed while it was read.`);
    yield Buffer.alloc(paddingOf(size));
  } finally {
    await file.close();
  }
}

/** Values that do not fit into a header go into a pax header before it. */
function* headers(header: TarHeader): Generator<Uint8Array> {
  const records = [
    ...(fits(header.path) ? [] : [paxRecord("path", header.path)]),
    ...(fits(header.target) ? [] : [paxRecord("linkpath", header.target)]),
    ...(header.size < 8 ** 11 ? [] : [paxRecord("size", String(header.size))]),
  ];
  if (records.length > 0) {
    const content = Buffer.concat(records);
    yield writeHeader({ path: "pax", mode: 0o644, size: content.length, kind: kinds.pax, target: "" });
    yield content;
    yield Buffer.alloc(paddingOf(content.length));
  }
  yield writeHeader({
    ...header,
    path: fits(header.path) ? header.path : "long",
    target: fits(header.target) ? header.target : "long",
    size: header.size < 8 ** 11 ? header.size : 0,
  });
}

/** Short and printable ASCII, which every reader understands alike. */
function fits(text: string): boolean {
  return text.length <= 99 && /^[\x20-\x7e]*$/.test(text);
}

/** A pax record: `<length> <name>=<value>` and a newline; the length counts itself. */
function paxRecord(name: string, value: string): Buffer {
  const rest = Buffer.byteLength(` ${name}=${value}\n`);
  let length = rest + String(rest).length;
  length = rest + String(length).length;
  return Buffer.from(`${length} ${name}=${value}\n`);
}
