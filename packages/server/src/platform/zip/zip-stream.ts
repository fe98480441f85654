import { crc32 } from "node:zlib";
import { discardBytes } from "../discard-bytes.ts";
import { BlockRoom, blockBytes, type Room } from "./block-room.ts";
import { DeflateLanes } from "./deflate-lanes.ts";
import { safeName } from "./safe-name.ts";
import {
  dataDescriptor,
  directoryEntry,
  type EntryHead,
  endOfDirectory,
  localHeader,
  maxSmall,
} from "./zip-records.ts";

export interface ZipEntry {
  /** Relative, with '/' between its names. */
  readonly path: string;
  readonly kind: "file" | "executable" | "link";
  readonly modified: Date;
  /** Known before it is read: it decides how the sizes are written. */
  readonly sizeBytes: number;
  /** All bytes; of a link its target. Read before the next entry is asked for, each piece before the next. */
  readonly content: AsyncIterable<Uint8Array> | Iterable<Uint8Array>;
}

/** What is read ahead and compressed side by side, in entries and in bytes. */
const maxAhead = 64;
const maxBytesAhead = 8 * blockBytes;
/** Small parts are put together: a write for each of them would cost more than its bytes. */
const sentBytes = 128 * 1024;

/**
 * A zip of the entries, while they are read. Files are cut into blocks, which are compressed side by side and come out in order:
 * the same entries give the same bytes. What is held at a time is bounded, whatever the entries' sizes.
 */
export async function* zipStream(entries: AsyncIterable<ZipEntry> | Iterable<ZipEntry>): AsyncGenerator<Buffer> {
  const output = new Output();
  const lanes = new DeflateLanes();
  const ahead: Block[] = [];
  let bytesAhead = 0;
  const writeFirst = async () => {
    const block = ahead.shift()!;
    bytesAhead -= block.bytes;
    output.add(block, await block.compressed);
  };
  try {
    for await (const block of blocksOf(entries, lanes)) {
      ahead.push(block);
      bytesAhead += block.bytes;
      while (bytesAhead > maxBytesAhead || ahead.length > maxAhead) {
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
    lanes.close();
  }
}

/** A part of a file, being compressed. */
interface Block {
  readonly entry: EntryHead;
  readonly isFirst: boolean;
  readonly isLast: boolean;
  readonly bytes: number;
  /** Of all bytes of the entry up to here. */
  readonly crc: number;
  readonly compressed: Promise<readonly Buffer[]>;
}

async function* blocksOf(
  entries: AsyncIterable<ZipEntry> | Iterable<ZipEntry>,
  lanes: DeflateLanes,
): AsyncGenerator<Block> {
  const names = new Set<string>();
  const room = new BlockRoom();
  for await (const entry of entries) {
    const head = headOf(entry, names);
    const level = isCompressedAlready(entry.path) ? 0 : 6;
    let crc = 0;
    let isFirst = true;
    for await (const { data, giveBack, isLast } of blocksIn(entry, room)) {
      crc = crc32(data, crc);
      // A copy: its room is another's by the time that it is written.
      const compressed = head.isCompressed
        ? lanes.compress(data, { level, isLast })
        : Promise.resolve([Buffer.from(data)]);
      compressed.then(giveBack, giveBack);
      yield { entry: head, isFirst, isLast, bytes: data.length, crc, compressed };
      isFirst = false;
    }
  }
}

/** The bytes of an entry in blocks; at least one. */
async function* blocksIn(entry: ZipEntry, room: BlockRoom): AsyncGenerator<Room & { readonly isLast: boolean }> {
  const { content, sizeBytes } = entry;
  let total = 0;
  let block = room.take(Math.min(blockBytes, sizeBytes));
  let held = 0;
  for await (let chunk of content) {
    if (total + chunk.length > sizeBytes) throw wrongSize(entry, total + chunk.length);
    while (chunk.length > 0) {
      const taken = chunk.subarray(0, block.data.length - held);
      block.data.set(taken, held);
      held += taken.length;
      total += taken.length;
      chunk = chunk.subarray(taken.length);
      if (held < block.data.length || total === sizeBytes) continue;
      yield { ...block, isLast: false };
      block = room.take(Math.min(blockBytes, sizeBytes - total));
      held = 0;
    }
  }
  if (total !== sizeBytes) throw wrongSize(entry, total);
  yield { ...block, isLast: true };
}

function wrongSize({ path, sizeBytes }: ZipEntry, total: number): Error {
  return new Error(`'${path}' has ${total} bytes where ${sizeBytes} were promised.`);
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
    isLarge: sizeBytes > maxSmall - maxSmall / 1000,
  };
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
  readonly #full: Buffer[] = [];
  #part = Buffer.allocUnsafeSlow(sentBytes);
  #used = 0;
  #offset = 0;
  #entryOffset = 0;
  #entryBytes = 0;
  #entryCompressed = 0;
  #entries = 0;
  readonly #directory = new Collected();

  add(block: Block, data: readonly Buffer[]): void {
    const { entry, isFirst, isLast, crc } = block;
    const compressedBytes = data.reduce((sum, { length }) => sum + length, 0);
    // All of it is here: the header can say everything, which the simplest readers like best.
    const isWhole = isFirst && isLast;
    if (isFirst) {
      this.#entryOffset = this.#offset;
      this.#entryBytes = 0;
      this.#entryCompressed = 0;
      this.#write(localHeader(entry, isWhole ? { crc, bytes: block.bytes, compressedBytes } : undefined));
    }
    for (const part of data) {
      this.#write(part);
      // Parts of one buffer come in a row: with the last of them, nobody uses it any more.
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
      if (this.#used < sentBytes) continue;
      this.#full.push(this.#part);
      this.#part = Buffer.allocUnsafeSlow(sentBytes);
      this.#used = 0;
    }
  }
}

const compressedAlready =
  /\.(?:7z|avif|br|bz2|docx|epub|gif|gz|heic|jar|jpe?g|mp[34]|mpeg|ogg|pdf|png|pptx|rar|tgz|webm|webp|whl|woff2?|xlsx|xz|zip|zst)$/i;

function isCompressedAlready(path: string): boolean {
  return compressedAlready.test(path);
}
