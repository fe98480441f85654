import { constants, createDeflateRaw, type DeflateRaw } from "node:zlib";

/** One fewer than the threads of libuv, so that other work always finds a free one. */
const workerCount = 3;
/** The fixed cost of a block, in bytes that could be compressed in the same time. */
const blockCostBytes = 2048;
/** Large enough that Node allocates it separately, not from its shared slab. */
const chunkBytes = 128 * 1024;

/** How to compress a block; `isLast` ends the stream of its file. */
interface DeflateOptions {
  readonly level: 0 | 6;
  readonly isLast: boolean;
}

/**
 * Compresses blocks in parallel, each as a part of one deflate stream: the parts of a file, concatenated, inflate to the whole.
 * Creating a zlib context costs more than compressing a small file, so workers reuse theirs. A context's history can change
 * the bytes it writes; so the blocks before it, not which worker is free, decide the worker of a block.
 */
export class DeflateWorkers {
  readonly #workers = Array.from({ length: workerCount }, () => ({
    contexts: new Map<string, Context>(),
    assigned: 0,
    last: Promise.resolve(),
  }));

  /** The caller must not change the bytes until the promise resolves. */
  compress(data: Buffer, how: DeflateOptions): Promise<readonly Buffer[]> {
    const worker = this.#workers.reduce((min, one) => (one.assigned < min.assigned ? one : min));
    worker.assigned += data.length + blockCostBytes;
    const key = `${how.level} ${how.isLast}`;
    const compressed = worker.last.then(() => {
      let context = worker.contexts.get(key);
      if (context === undefined) {
        context = new Context(how);
        worker.contexts.set(key, context);
      }
      return context.compress(data);
    });
    worker.last = compressed.then(() => undefined);
    // The caller awaits `compressed` later; until then, nothing else handles a failure.
    worker.last.catch(() => undefined);
    return compressed;
  }

  /** Frees the memory of zlib at once, not at the next garbage collection. */
  close(): void {
    for (const { contexts } of this.#workers) for (const context of contexts.values()) context.close();
  }
}

/** A zlib stream that is reset after each write, so that it never ends. */
class Context {
  readonly #stream: DeflateRaw;
  #parts: Buffer[] = [];

  constructor({ level, isLast }: DeflateOptions) {
    const flush = isLast ? constants.Z_FINISH : constants.Z_SYNC_FLUSH;
    this.#stream = createDeflateRaw({ level, flush, chunkSize: chunkBytes });
    this.#stream.on("data", (part: Buffer) => this.#parts.push(part));
  }

  compress(data: Buffer): Promise<readonly Buffer[]> {
    return new Promise((resolve, reject) => {
      this.#stream.write(data, (error) => {
        if (error) return reject(error);
        // The stream was closed: the client is gone.
        if (this.#stream.destroyed) return reject(new Error("The zip was abandoned."));
        this.#stream.reset();
        const parts = this.#parts;
        this.#parts = [];
        resolve(parts);
      });
    });
  }

  close(): void {
    this.#stream.close();
  }
}
