import { crc32 } from "node:zlib";
import { discardBytes } from "../discard-bytes.ts";
import { BlockPool, blockBytes, type PooledBlock } from "./block-pool.ts";
import { DeflateWorkers } from "./deflate-workers.ts";
import { safeName } from "./safe-name.ts";
import { holdYoungHeap } from "./young-heap.ts";
import {
  dataDescriptor,
  directoryEntry,
  type EntryHead,
  endOfDirectory,
  localHeader,
  maxUint32,
} from "./zip-records.ts";

export interface ZipEntry {
  /** Relative, with '/' between its names. */
  readonly path: string;
  readonly kind: "file" | "executable" | "link";
  readonly modified: Date;
  /** Must be known in advance: it decides between 32-bit and Zip64 sizes. */
  readonly sizeBytes: number;
  /** The bytes, or the target of a link. It is read completely before the next entry is requested. */
  readonly content: AsyncIterable<Uint8Array> | Iterable<Uint8Array>;
}

/** Limits of what is read ahead and compressed in parallel. */
const maxBlocksAhead = 64;
const maxBytesAhead = 8 * blockBytes;
/** Small pieces are joined, because each write has a fixed cost. */
const chunkBytes = 128 * 1024;

/**
 * Streams a zip of the entries while reading them. Blocks of files are compressed in parallel and written in order, so that
 * equal entries give equal bytes. Memory is bounded, whatever the sizes of the entries.
 */
export async function* zipStream(
  entries: AsyncIterable<ZipEntry> | Iterable<ZipEntry>,
  pool = new BlockPool(),
): AsyncGenerator<Buffer> {
  const output = new Output();
  const workers = new DeflateWorkers();
  const releaseHeap = holdYoungHeap();
  const ahead: Block[] = [];
  let bytesAhead = 0;
  const writeFirst = async () => {
    const block = ahead.shift()!;
    bytesAhead -= block.bytes;
    output.add(block, await block.compressed);
  };
  try {
    for await (const block of blocksOf(entries, workers, pool)) {
      ahead.push(block);
      bytesAhead += block.bytes;
      while (bytesAhead > maxBytesAhead || ahead.length > maxBlocksAhead) {
        await writeFirst();
        yield* output.takeFull();
      }
    }
    while (ahead.length > 0) {
      await writeFirst();
      yield* output.takeFull();
    }
    yield* output.end();
  } finally {
    workers.close();
    pool.close();
    releaseHeap();
  }
}

/** A part of a file, being compressed. */
interface Block {
  readonly entry: EntryHead;
  readonly isFirst: boolean;
  readonly isLast: boolean;
  readonly bytes: number;
  /** Of all bytes of the entry up to the end of this block. */
  readonly crc: number;
  readonly compressed: Promise<readonly Buffer[]>;
}

async function* blocksOf(
  entries: AsyncIterable<ZipEntry> | Iterable<ZipEntry>,
  workers: DeflateWorkers,
  pool: BlockPool,
): AsyncGenerator<Block> {
  const names = new Map<string, number>();
  for await (const entry of entries) {
    const head = headOf(entry, names);
    const level = isCompressedAlready(entry.path) ? 0 : 6;
    let crc = 0;
    let isFirst = true;
    for await (const { data, release, isLast } of blocksIn(entry, pool)) {
      crc = crc32(data, crc);
      // Stored bytes are copied, because the pool reuses the block before they are written.
      const compressed = head.isCompressed
        ? workers.compress(data, { level, isLast })
        : Promise.resolve([Buffer.from(data)]);
      compressed.then(release, release);
      yield { entry: head, isFirst, isLast, bytes: data.length, crc, compressed };
      isFirst = false;
    }
  }
}

/** Cuts an entry into blocks; at least one. */
async function* blocksIn(entry: ZipEntry, pool: BlockPool): AsyncGenerator<PooledBlock & { readonly isLast: boolean }> {
  const { content, sizeBytes } = entry;
  let total = 0;
  let block = pool.take(Math.min(blockBytes, sizeBytes));
  let filled = 0;
  for await (let chunk of content) {
    if (total + chunk.length > sizeBytes) throw wrongSize(entry, total + chunk.length);
    while (chunk.length > 0) {
      const taken = chunk.subarray(0, block.data.length - filled);
      block.data.set(taken, filled);
      filled += taken.length;
      total += taken.length;
      chunk = chunk.subarray(taken.length);
      if (filled < block.data.length || total === sizeBytes) continue;
      yield { ...block, isLast: false };
      block = pool.take(Math.min(blockBytes, sizeBytes - total));
      filled = 0;
    }
  }
  if (total !== sizeBytes) throw wrongSize(entry, total);
  yield { ...block, isLast: true };
}

function wrongSize({ path, sizeBytes }: ZipEntry, total: number): Error {
  return new Error(`'${path}' has ${total} bytes but ${sizeBytes} were announced.`);
}

function headOf({ path, kind, modified, sizeBytes }: ZipEntry, names: Map<string, number>): EntryHead {
  const mode = { file: 0o100644, executable: 0o100755, link: 0o120777 }[kind];
  return {
    name: Buffer.from(safeName(path, names)),
    mode,
    modified,
    // Some readers cannot read stored bytes whose size only follows them: such files are "compressed" at level 0.
    isCompressed: kind !== "link" && sizeBytes > 0 && (sizeBytes > blockBytes || !isCompressedAlready(path)),
    // Deflate may add a little to incompressible bytes.
    isLarge: sizeBytes > maxUint32 - maxUint32 / 1000,
  };
}

/** Copies small buffers that live long, because each would keep alive the slab from which Node allocated it. */
class BufferList {
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

/** Joins the output into chunks, and counts offsets for the directory. */
class Output {
  readonly #full: Buffer[] = [];
  #part = Buffer.allocUnsafeSlow(chunkBytes);
  #used = 0;
  #offset = 0;
  #entryOffset = 0;
  #entryBytes = 0;
  #entryCompressed = 0;
  #entries = 0;
  readonly #directory = new BufferList();

  add(block: Block, data: readonly Buffer[]): void {
    const { entry, isFirst, isLast, crc } = block;
    const compressedBytes = data.reduce((sum, { length }) => sum + length, 0);
    // The file is complete: with all sizes in the header, even simple readers understand it.
    const isWhole = isFirst && isLast;
    if (isFirst) {
      this.#entryOffset = this.#offset;
      this.#entryBytes = 0;
      this.#entryCompressed = 0;
      this.#write(localHeader(entry, isWhole ? { crc, bytes: block.bytes, compressedBytes } : undefined));
    }
    for (const part of data) {
      this.#write(part);
      // Parts of one buffer come in order: after the last one, nothing uses the buffer.
      if (part.byteOffset + part.length === part.buffer.byteLength) discardBytes(part);
    }
    this.#entryBytes += block.bytes;
    this.#entryCompressed += compressedBytes;
    if (!isLast) return;
    const written = { ...entry, crc, bytes: this.#entryBytes, compressedBytes: this.#entryCompressed };
    if (!isWhole) this.#write(dataDescriptor(written));
    this.#directory.add(directoryEntry({ ...written, offset: this.#entryOffset, hasDescriptor: !isWhole }));
    this.#entries += 1;
  }

  takeFull(): Buffer[] {
    return this.#full.splice(0);
  }

  *end(): Generator<Buffer> {
    const offset = this.#offset;
    for (const part of this.#directory.parts()) {
      this.#write(part);
      yield* this.takeFull();
    }
    this.#write(endOfDirectory({ entries: this.#entries, bytes: this.#offset - offset, offset }));
    yield* this.takeFull();
    yield this.#part.subarray(0, this.#used);
  }

  #write(data: Buffer): void {
    this.#offset += data.length;
    for (let at = 0; at < data.length; ) {
      const taken = data.copy(this.#part, this.#used, at);
      at += taken;
      this.#used += taken;
      if (this.#used < chunkBytes) continue;
      this.#full.push(this.#part);
      this.#part = Buffer.allocUnsafeSlow(chunkBytes);
      this.#used = 0;
    }
  }
}

const compressedAlready =
  /\.(?:7z|avif|br|bz2|docx|epub|gif|gz|heic|jar|jpe?g|mp[34]|mpeg|ogg|pdf|png|pptx|rar|tgz|webm|webp|whl|woff2?|xlsx|xz|zip|zst)$/i;

function isCompressedAlready(path: string): boolean {
  return compressedAlready.test(path);
}
