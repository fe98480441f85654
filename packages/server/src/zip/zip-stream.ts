import { promisify } from "node:util";
import { constants, crc32, deflateRaw, deflateRawSync } from "node:zlib";
import { BlockBuffers, blockBytes, cut } from "./cut-blocks.ts";
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
/** What is read ahead and compressed side by side, in blocks and in bytes. */
const mostBlocks = 16;
const mostBytesAhead = 8 * blockBytes;
/** Small parts are put together: a write for each of them would cost more than its bytes. */
const sentBytes = 256 * 1024;
/** What is compressed right here. */
const smallBytes = 8 * 1024;
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

/** A part of one stream of deflate: whoever inflates all of them in a row gets the whole. */
async function compress(
  data: Buffer,
  { before, isLast, level }: { before: Buffer | undefined; isLast: boolean; level: number },
): Promise<Buffer> {
  // Handing so little to another thread costs more than doing it; a small window is all that it needs.
  if (data.length <= smallBytes && isLast && before === undefined)
    return deflateRawSync(data, { level, windowBits: 13, memLevel: 6, chunkSize: smallBytes / 2 });
  const compressed = await deflate(data, {
    level,
    chunkSize: Math.min(Math.max(1024, data.length), 128 * 1024),
    finishFlush: isLast ? constants.Z_FINISH : constants.Z_SYNC_FLUSH,
    ...(before !== undefined && level > 0 && { dictionary: before }),
  });
  // What compresses well would hold on to all of the room that it did not need.
  return compressed.length * 2 < compressed.buffer.byteLength ? Buffer.from(compressed) : compressed;
}

/** Small buffers that are kept for long, as copies: each of them would keep the slab that Node cut it from, and others with it. */
class Collected {
  readonly #full: Buffer[] = [];
  #slab = Buffer.allocUnsafeSlow(64 * 1024);
  #used = 0;

  add(bytes: Buffer): void {
    if (this.#used + bytes.length > this.#slab.length) {
      this.#full.push(this.#slab.subarray(0, this.#used));
      this.#slab = Buffer.allocUnsafeSlow(Math.max(64 * 1024, bytes.length));
      this.#used = 0;
    }
    this.#slab.set(bytes, this.#used);
    this.#used += bytes.length;
  }

  parts(): Buffer[] {
    return [...this.#full, this.#slab.subarray(0, this.#used)];
  }
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
  readonly #directory = new Collected();

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
    this.#directory.add(directoryEntry({ ...written, offset: this.#entryOffset, hasDescriptor: !isWhole }));
    this.#entries += 1;
  }

  end(): void {
    const offset = this.#offset;
    for (const part of this.#directory.parts()) this.#write(part);
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
