import { diskFault } from "../disk-fault.ts";
import { maxPathBytes, roomIn } from "../path-length.ts";
import {
  FileRefusal,
  type FolderEntry,
  listProjectFolder,
  openProjectFile,
  readProjectLink,
} from "../project-files/index.ts";
import type { LeftOut } from "./left-out.ts";
import { writeHeaders } from "./pax-header.ts";
import { blockBytes, kinds, paddingOf } from "./tar-header.ts";

interface LiveOptions {
  readonly onLeftOut: (left: LeftOut) => void;
  /** Where to read a file instead; null: it is left out without a word, because others stand for it. */
  readonly replaced?: (path: string) => { readonly root: string; readonly path: string } | null | undefined;
  /** After so many bytes that are written somewhere, the archive ends; each entry counts for its header at least. */
  readonly maxBytes?: number;
}

const data = { hasRepositories: true } as const;
const maxDepth = 200;
/** What a program can make us remember of files with several names. */
const maxRememberedBytes = 128 * 1024 ** 2;
const rememberedBytes = 100;
/** A file that takes up this much is remembered in any case: a program could move it on before us. */
const largeBytes = 1024 ** 2;
/** Files with holes are read as zeros: a program could make the service read for years. */
const maxHoleShare = 16;
const freeHoleBytes = 1024 ** 3;

/**
 * Streams a folder that programs change meanwhile as a tar archive, with its empty folders. A file is as long as it was
 * when it was opened; what cannot be read is left out and told, so that no program can prevent the archive. A file with
 * several names is packed once, so that the archive is not much larger than the folder. With `maxBytes` it ends even if a
 * program writes, or moves, files ahead of the packer all the time.
 */
export async function* packLiveFolder(
  folder: string,
  { maxBytes = Number.POSITIVE_INFINITY, ...options }: LiveOptions,
): AsyncGenerator<Uint8Array> {
  const walk = {
    ...options,
    maxBytes,
    pathBytes: roomIn(folder),
    found: new Map(),
    ...{ rememberedBytes: 0, readBytes: 0, allocatedBytes: 0, countedBytes: 0 },
  };
  try {
    yield* packEntries(folder, ".", 0, walk);
  } catch (error) {
    if (!(error instanceof GrewTooLarge)) throw error;
    const reason = `and what comes after it is not packed: the folder grew beyond ${maxBytes} bytes meanwhile`;
    walk.onLeftOut({ path: error.path, reason, isLoss: true });
  }
  yield Buffer.alloc(2 * blockBytes);
}

/** Thrown between entries, where the archive can end. */
class GrewTooLarge extends Error {
  override readonly name = "GrewTooLarge";
  readonly path: string;

  constructor(path: string) {
    super(`The folder grew while it was packed, up to '${path}'.`);
    this.path = path;
  }
}

function count(walk: Walk, path: string, bytes: number): void {
  walk.countedBytes += bytes;
  if (walk.countedBytes > walk.maxBytes) throw new GrewTooLarge(path);
}

interface Walk extends Omit<LiveOptions, "maxBytes"> {
  readonly maxBytes: number;
  /** How long a path may be, from the folder on. */
  readonly pathBytes: number;
  /** The first paths of files by their identity; empty for one that was left out. */
  readonly found: Map<string, string>;
  rememberedBytes: number;
  readBytes: number;
  allocatedBytes: number;
  countedBytes: number;
}

async function* packEntries(root: string, path: string, depth: number, walk: Walk): AsyncGenerator<Uint8Array> {
  const onOddName = (odd: string, kind: FolderEntry["kind"]) =>
    walk.onLeftOut({ path: odd, reason: "has a name that is not valid UTF-8", isLoss: kind !== "other" });
  const entries = await orLeftOut(walk, path, () => listProjectFolder(root, path, { ...data, onOddName }));
  let last = "";
  for (const { name, kind } of entries ?? []) {
    // A folder that changes may list a name twice, which no archive may.
    if (name === last) continue;
    last = name;
    const inner = path === "." ? name : `${path}/${name}`;
    count(walk, inner, blockBytes);
    if (Buffer.byteLength(inner) > walk.pathBytes && kind !== "other") {
      walk.onLeftOut({ path: inner, reason: `has a path longer than ${maxPathBytes} bytes`, isLoss: true });
      continue;
    }
    switch (kind) {
      case "folder":
        if (depth >= maxDepth) walk.onLeftOut({ path: inner, reason: "lies too deep", isLoss: true });
        else {
          yield* writeHeaders({ path: `${inner}/`, mode: 0o755, size: 0, kind: kinds.folder, target: "" });
          yield* packEntries(root, inner, depth + 1, walk);
        }
        break;
      case "link": {
        const target = await orLeftOut(walk, inner, () => readProjectLink(root, inner, data));
        if (target !== undefined) yield* writeHeaders({ path: inner, mode: 0o777, size: 0, kind: kinds.link, target });
        break;
      }
      case "file":
        yield* packFile(root, inner, walk);
        break;
      case "other":
        walk.onLeftOut({ path: inner, reason: "is a pipe, a socket or a device", isLoss: false });
    }
  }
}

async function* packFile(root: string, path: string, walk: Walk): AsyncGenerator<Uint8Array> {
  const place = walk.replaced?.(path);
  if (place === null) return;
  const { root: from, path: inner } = place ?? { root, path };
  const limits = { ...data, maxBytes: Number.POSITIVE_INFINITY };
  const file = await orLeftOut(walk, path, () => openProjectFile(from, inner, limits));
  if (file === undefined) return;
  try {
    const { sizeBytes, allocatedBytes, identity } = file;
    const mode = file.isExecutable ? 0o755 : 0o644;
    // A copy stands for all names of what it was made of.
    const hasNames = file.nameCount > 1 || place !== undefined;
    const first = walk.found.get(identity);
    if (hasNames && first) return yield* writeHeaders({ path, mode, size: 0, kind: kinds.hardLink, target: first });
    if (first === undefined) {
      walk.allocatedBytes += allocatedBytes;
      if (hasNames && walk.rememberedBytes + path.length > maxRememberedBytes)
        return walk.onLeftOut({ path, reason: "is one of too many files with several names", isLoss: true });
      if (hasNames || allocatedBytes >= largeBytes) remember(walk, identity, "");
    }
    if (walk.readBytes + sizeBytes > maxHoleShare * walk.allocatedBytes + freeHoleBytes)
      return walk.onLeftOut({ path, reason: `has ${sizeBytes} bytes, of which hardly any are written`, isLoss: true });
    // Holes are packed to nearly nothing. A copy does not grow, and is packed once.
    if (place === undefined) count(walk, path, Math.min(sizeBytes, allocatedBytes));
    if (hasNames) remember(walk, identity, path);
    walk.readBytes += sizeBytes;
    yield* writeHeaders({ path, mode, size: sizeBytes, kind: kinds.file, target: "" });
    yield* exactly(sizeBytes, file.chunks(), (why) =>
      walk.onLeftOut({ path, reason: `${why}: its end is zeros`, isLoss: true }),
    );
    yield Buffer.alloc(paddingOf(sizeBytes));
  } finally {
    await file.close();
  }
}

function remember(walk: Walk, identity: string, path: string): void {
  walk.found.set(identity, path);
  walk.rememberedBytes += path.length + rememberedBytes;
}

/** As many bytes as the header says: what was added meanwhile is cut, what was taken away is zeros. */
async function* exactly(
  sizeBytes: number,
  chunks: AsyncIterable<Uint8Array>,
  onShort: (why: string) => void,
): AsyncGenerator<Uint8Array> {
  let missing = sizeBytes;
  let fault: string | undefined;
  try {
    for await (const chunk of chunks) {
      if (missing === 0) break;
      const part = chunk.subarray(0, missing);
      missing -= part.length;
      yield part;
    }
  } catch (error) {
    // The header is written already, so the archive must go on.
    fault = diskFault(error);
    if (fault === undefined && !(error instanceof FileRefusal)) throw error;
  }
  if (missing > 0 || fault !== undefined) onShort(fault ?? "became shorter while it was read");
  for (; missing > 0; missing -= Math.min(missing, zeros.length)) yield zeros.subarray(0, missing);
}

const zeros = Buffer.alloc(64 * 1024);

/** Undefined for what is gone meanwhile; what is refused is told. */
async function orLeftOut<T>(walk: Walk, path: string, read: () => Promise<T>): Promise<T | undefined> {
  try {
    return await read();
  } catch (error) {
    const fault = diskFault(error);
    if (fault !== undefined) {
      walk.onLeftOut({ path, reason: fault, isLoss: true });
      return undefined;
    }
    if (!(error instanceof FileRefusal) || error.code === "stuck") throw error;
    // Programs remove files all the time.
    if (error.code !== "missing") walk.onLeftOut({ path, reason: error.message, isLoss: true });
    return undefined;
  }
}
