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

const level = 6;
/** What is compressed at a time. */
const blockBytes = 512 * 1024;
/** What is read ahead and compressed side by side, in blocks and in bytes. */
const mostBlocks = 64;
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
  const ahead: Block[] = [];
  let bytesAhead = 0;
  const writeFirst = async () => {
    const block = ahead.shift()!;
    bytesAhead -= block.bytes;
    output.add(block, await block.compressed);
  };
  for await (const block of blocksOf(entries)) {
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
  /** Of all bytes of the entry up to here. */
  readonly crc: number;
  readonly compressed: Promise<Buffer>;
}

async function* blocksOf(entries: AsyncIterable<ZipEntry> | Iterable<ZipEntry>): AsyncGenerator<Block> {
  const names = new Set<string>();
  for await (const entry of entries) {
    const head = headOf(entry, names);
    let crc = 0;
    let before: Buffer | undefined;
    let isFirst = true;
    for await (const { data, isLast } of cut(entry)) {
      crc = crc32(data, crc);
      const compressed = head.isCompressed ? compress(data, before, isLast) : Promise.resolve(data);
      // Who waits for it comes later; until then a failure is nobody's.
      compressed.catch(() => undefined);
      yield { entry: head, isFirst, isLast, bytes: data.length, crc, compressed };
      before = data.subarray(Math.max(0, data.length - windowBytes));
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
    isCompressed: kind !== "link" && sizeBytes > 0 && !isCompressedAlready(path),
    // Deflate may make a little more of it.
    isLarge: sizeBytes > largestSmall - largestSmall / 1000,
  };
}

/** The bytes of an entry in blocks; at least one, and the last is known as such. */
async function* cut({ path, content, sizeBytes }: ZipEntry): AsyncGenerator<{ data: Buffer; isLast: boolean }> {
  let parts: Uint8Array[] = [];
  let held = 0;
  let total = 0;
  for await (let chunk of content) {
    total += chunk.length;
    while (held + chunk.length > blockBytes) {
      const taken = blockBytes - held;
      yield { data: Buffer.concat([...parts, chunk.subarray(0, taken)]), isLast: false };
      chunk = chunk.subarray(taken);
      parts = [];
      held = 0;
    }
    parts.push(chunk);
    held += chunk.length;
  }
  if (total !== sizeBytes) throw new Error(`'${path}' has ${total} bytes where ${sizeBytes} were promised.`);
  yield { data: parts.length === 1 ? Buffer.from(parts[0]!) : Buffer.concat(parts), isLast: true };
}

/** A part of one stream of deflate: whoever inflates all of them in a row gets the whole. */
function compress(data: Buffer, before: Buffer | undefined, isLast: boolean): Promise<Buffer> {
  return deflate(data, {
    level,
    chunkSize: Math.min(Math.max(1024, data.length), 128 * 1024),
    finishFlush: isLast ? constants.Z_FINISH : constants.Z_SYNC_FLUSH,
    ...(before !== undefined && { dictionary: before }),
  });
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
