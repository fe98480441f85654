import { promisify } from "node:util";
import { constants, crc32, deflateRaw } from "node:zlib";
import { safeName } from "./safe-name.ts";
import {
  dataDescriptor,
  directoryEntry,
  type EntryHead,
  endOfDirectory,
  largestSmall,
  localHeader,
} from "./zip-records.ts";

export interface ZipEntry {
  /** Relative, with '/' between its names. */
  readonly path: string;
  readonly kind: "file" | "executable" | "link";
  readonly modified: Date;
  /** Known before it is read: it decides how the sizes are written. */
  readonly sizeBytes: number;
  /** All bytes; of a link its target. Read before the next entry is asked for. */
  readonly content: AsyncIterable<Uint8Array> | Iterable<Uint8Array>;
}

const usualLevel = 6;
/** What is compressed at a time. */
const blockBytes = 512 * 1024;
/** What is read ahead and compressed side by side, in blocks and in bytes. */
const mostBlocks = 32;
const mostBytesAhead = 8 * blockBytes;
/** Small parts are put together: a write for each of them would cost more than its bytes. */
const sentBytes = 256 * 1024;
/** How far back a match may lie. */
const windowBytes = 32 * 1024;

const deflate = promisify<Buffer, object, Buffer>(deflateRaw);

/**
 * A zip of the entries, while they are read. Files are cut into blocks, which are compressed side by side and come out in order:
 * the same entries give the same bytes. What is held at a time is bounded, whatever the entries' sizes.
 */
export async function* zipStream(entries: AsyncIterable<ZipEntry> | Iterable<ZipEntry>): AsyncGenerator<Buffer> {
  const output = new Output();
  const buffers = new BlockBuffers();
  const ahead: Block[] = [];
  let bytesAhead = 0;
  const writeFirst = async () => {
    const block = ahead.shift()!;
    bytesAhead -= block.bytes;
    output.add(block, await block.compressed);
    if (block.entry.isCompressed) buffers.release(block.data);
  };
  for await (const block of blocksOf(entries, buffers)) {
    ahead.push(block);
    bytesAhead += block.bytes;
    while (bytesAhead > mostBytesAhead || ahead.length > mostBlocks) {
      await writeFirst();
      if (output.bytes >= sentBytes) yield output.take();
    }
  }
  while (ahead.length > 0) {
    await writeFirst();
    if (output.bytes >= sentBytes) yield output.take();
  }
  output.end();
  yield output.take();
}

/** A part of a file, being compressed. */
interface Block {
  readonly entry: EntryHead;
  readonly isFirst: boolean;
  readonly isLast: boolean;
  readonly bytes: number;
  readonly data: Buffer;
  /** Of all bytes of the entry up to here. */
  readonly crc: number;
  readonly compressed: Promise<Buffer>;
}

/** Buffers of the size of a block, used again: what is thrown away is not collected at once. */
class BlockBuffers {
  readonly #free: Buffer[] = [];
  readonly #ours = new WeakSet<ArrayBufferLike>();

  take(): Buffer {
    const free = this.#free.pop();
    if (free !== undefined) return free;
    const made = Buffer.allocUnsafeSlow(blockBytes);
    this.#ours.add(made.buffer);
    return made;
  }

  /** Also of what is none of ours: then nothing happens. */
  release({ buffer }: Buffer): void {
    if (this.#ours.has(buffer)) this.#free.push(Buffer.from(buffer));
  }
}

async function* blocksOf(
  entries: AsyncIterable<ZipEntry> | Iterable<ZipEntry>,
  buffers: BlockBuffers,
): AsyncGenerator<Block> {
  const names = new Set<string>();
  for await (const entry of entries) {
    const head = headOf(entry, names);
    const takeBuffer = () => (head.isCompressed ? buffers.take() : Buffer.allocUnsafeSlow(entry.sizeBytes));
    let crc = 0;
    let before: Buffer | undefined;
    let isFirst = true;
    for await (const { data, isLast } of cut(entry, takeBuffer)) {
      crc = crc32(data, crc);
      const compressed = head.isCompressed
        ? compress(data, { before, isLast, level: isCompressedAlready(entry.path) ? 0 : usualLevel })
        : Promise.resolve(data);
      // Who waits for it comes later; until then a failure is nobody's.
      compressed.catch(() => undefined);
      // A copy: the block's buffer may be another's by then.
      before = isLast ? undefined : Buffer.from(data.subarray(Math.max(0, data.length - windowBytes)));
      yield { entry: head, isFirst, isLast, bytes: data.length, data, crc, compressed };
      isFirst = false;
    }
  }
}

function headOf({ path, kind, modified, sizeBytes }: ZipEntry, names: Set<string>): EntryHead {
  const mode = { file: 0o100644, executable: 0o100755, link: 0o120777 }[kind];
  return {
    name: Buffer.from(safeName(path, names)),
    mode,
    modified,
    // Bytes as they are, with their size only after them, are what some readers cannot read: such files are "compressed" at level 0.
    isCompressed: kind !== "link" && sizeBytes > 0 && (sizeBytes > blockBytes || !isCompressedAlready(path)),
    // Deflate may make a little more of it.
    isLarge: sizeBytes > largestSmall - largestSmall / 1000,
  };
}

/** The bytes of an entry in blocks; at least one, and the last is known as such. */
async function* cut(
  { path, content, sizeBytes }: ZipEntry,
  takeBuffer: () => Buffer,
): AsyncGenerator<{ data: Buffer; isLast: boolean }> {
  // What came in one piece is used as it is; only what comes in several is put together.
  let only: Uint8Array | undefined;
  let block: Buffer | undefined;
  let held = 0;
  let total = 0;
  for await (let chunk of content) {
    if (chunk.length === 0) continue;
    total += chunk.length;
    if (held === 0 && block === undefined && chunk.length <= blockBytes) {
      only = chunk;
      held = chunk.length;
      continue;
    }
    if (total > sizeBytes) throw wrongSize(path, total, sizeBytes);
    while (chunk.length > 0) {
      if (held === blockBytes) {
        yield { data: block ?? asBuffer(only!), isLast: false };
        block = undefined;
        only = undefined;
        held = 0;
      }
      if (block === undefined) {
        block = takeBuffer();
        if (only !== undefined) block.set(only);
        only = undefined;
      }
      const taken = chunk.subarray(0, blockBytes - held);
      block.set(taken, held);
      held += taken.length;
      chunk = chunk.subarray(taken.length);
    }
  }
  if (total !== sizeBytes) throw wrongSize(path, total, sizeBytes);
  yield { data: block?.subarray(0, held) ?? asBuffer(only ?? new Uint8Array()), isLast: true };
}

function wrongSize(path: string, total: number, sizeBytes: number): Error {
  return new Error(`'${path}' has ${total} bytes where ${sizeBytes} were promised.`);
}

/** The same bytes: copying them would only make more of them. */
function asBuffer(bytes: Uint8Array): Buffer {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
}

/** A part of one stream of deflate: whoever inflates all of them in a row gets the whole. */
async function compress(
  data: Buffer,
  { before, isLast, level }: { before: Buffer | undefined; isLast: boolean; level: number },
): Promise<Buffer> {
  const compressed = await deflate(data, {
    level,
    chunkSize: Math.min(Math.max(1024, data.length), 128 * 1024),
    finishFlush: isLast ? constants.Z_FINISH : constants.Z_SYNC_FLUSH,
    ...(before !== undefined && level > 0 && { dictionary: before }),
  });
  // What compresses well would hold on to all of the room that it did not need.
  return compressed.length * 2 < compressed.buffer.byteLength ? Buffer.from(compressed) : compressed;
}

/** Collects what is to be sent, and counts where everything is. */
class Output {
  bytes = 0;
  #parts: Buffer[] = [];
  #offset = 0;
  #entryOffset = 0;
  #entryBytes = 0;
  #entryCompressed = 0;
  #entries = 0;
  readonly #directory: Buffer[] = [];

  add(block: Block, data: Buffer): void {
    const { entry, isFirst, isLast, crc } = block;
    // All of it is here: the header can say everything, which the simplest readers like best.
    const isWhole = isFirst && isLast;
    if (isFirst) {
      this.#entryOffset = this.#offset;
      this.#entryBytes = 0;
      this.#entryCompressed = 0;
      this.#write(localHeader(entry, isWhole ? { crc, bytes: block.bytes, compressedBytes: data.length } : undefined));
    }
    this.#write(data);
    this.#entryBytes += block.bytes;
    this.#entryCompressed += data.length;
    if (!isLast) return;
    const written = { ...entry, crc, bytes: this.#entryBytes, compressedBytes: this.#entryCompressed };
    if (!isWhole) this.#write(dataDescriptor(written));
    this.#directory.push(directoryEntry({ ...written, offset: this.#entryOffset, hasDescriptor: !isWhole }));
    this.#entries += 1;
  }

  end(): void {
    const offset = this.#offset;
    for (const entry of this.#directory) this.#write(entry);
    this.#write(endOfDirectory({ entries: this.#entries, bytes: this.#offset - offset, offset }));
  }

  take(): Buffer {
    const taken = Buffer.concat(this.#parts);
    this.#parts = [];
    this.bytes = 0;
    return taken;
  }

  #write(data: Buffer): void {
    this.#parts.push(data);
    this.bytes += data.length;
    this.#offset += data.length;
  }
}

const compressedAlready =
  /\.(?:7z|avif|br|bz2|docx|epub|gif|gz|heic|jar|jpe?g|mp[34]|mpeg|ogg|pdf|png|pptx|rar|tgz|webm|webp|whl|woff2?|xlsx|xz|zip|zst)$/i;

function isCompressedAlready(path: string): boolean {
  return compressedAlready.test(path);
}
