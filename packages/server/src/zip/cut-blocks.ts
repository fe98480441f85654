import type { ZipEntry } from "./zip-stream.ts";

/** What is compressed at a time. */
export const blockBytes = 512 * 1024;

/** Buffers of the size of a block, used again: what is thrown away is not collected at once. */
export class BlockBuffers {
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

/** The bytes of an entry in blocks; at least one, and the last is known as such. */
export async function* cut(
  { path, content, sizeBytes }: Pick<ZipEntry, "path" | "content" | "sizeBytes">,
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
