import { maxPathBytes, roomIn } from "../path-length.ts";
import { FileRefusal, openProjectFile, readProjectLink, walkProjectFiles } from "../project-files/index.ts";
import { writeHeaders } from "./pax-header.ts";
import { blockBytes, kinds, paddingOf } from "./tar-header.ts";

interface PackOptions {
  /** Whether to leave out files and folders of this name, at any depth. */
  readonly leavesOut?: (name: string) => boolean;
  /** Whether to pack a link with this target; left out: every link. */
  readonly keepsLink?: (path: string, target: string) => boolean;
  /** A larger file is refused before any of it is read. */
  readonly maxFileBytes?: number;
  readonly signal?: AbortSignal;
}

/** Streams the files and links of a folder as a tar archive; equal files give equal bytes. */
export async function* packFolder(
  folder: string,
  {
    leavesOut = () => false,
    keepsLink = () => true,
    maxFileBytes = Number.POSITIVE_INFINITY,
    signal,
  }: PackOptions = {},
): AsyncGenerator<Uint8Array> {
  for await (const { path, kind } of walkProjectFiles(folder, { leavesOut, signal })) {
    // Nobody could unpack it.
    if (Buffer.byteLength(path) > roomIn(folder))
      throw new FileRefusal("too_large", path, `has a path longer than ${maxPathBytes} bytes.`);
    if (kind === "link") {
      const target = await readProjectLink(folder, path, { signal });
      if (keepsLink(path, target)) yield* writeHeaders({ path, mode: 0o777, size: 0, kind: kinds.link, target });
    } else if (kind === "file") yield* packFile(folder, path, { maxBytes: maxFileBytes, signal });
  }
  yield Buffer.alloc(2 * blockBytes);
}

async function* packFile(
  folder: string,
  path: string,
  limits: { readonly maxBytes: number; readonly signal: AbortSignal | undefined },
): AsyncGenerator<Uint8Array> {
  const file = await openProjectFile(folder, path, limits);
  try {
    const mode = file.isExecutable ? 0o755 : 0o644;
    yield* writeHeaders({ path, mode, size: file.sizeBytes, kind: kinds.file, target: "" });
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
