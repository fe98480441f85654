import { constants, createDeflateRaw, type DeflateRaw } from "node:zlib";

/** One less than there are threads for such work: whatever else needs one is not kept waiting. */
const laneCount = 3;
/** What a block costs beside its bytes, in bytes that could be compressed meanwhile. */
const blockCost = 2048;
/** Not so little that Node would cut it from a slab that others share. */
const partBytes = 128 * 1024;

/** How a block is compressed: at which level, and whether its file ends with it. */
interface How {
  readonly level: 0 | 6;
  readonly isLast: boolean;
}

/**
 * Compresses blocks side by side, each as a part of one stream of deflate: whoever inflates the parts of a file in a row gets the
 * whole. To make a context for a block costs more than a small file does, so contexts are used again. What they compressed
 * before can show in their bytes; so which lane a block takes follows from the blocks before it, and not from who is free.
 */
export class DeflateLanes {
  readonly #lanes = Array.from({ length: laneCount }, () => ({
    contexts: new Map<string, Context>(),
    assigned: 0,
    last: Promise.resolve(),
  }));

  /** The bytes must stay until it is done. */
  compress(data: Buffer, how: How): Promise<readonly Buffer[]> {
    const lane = this.#lanes.reduce((least, one) => (one.assigned < least.assigned ? one : least));
    lane.assigned += data.length + blockCost;
    const key = `${how.level} ${how.isLast}`;
    const compressed = lane.last.then(() => {
      let context = lane.contexts.get(key);
      if (context === undefined) {
        context = new Context(how);
        lane.contexts.set(key, context);
      }
      return context.compress(data);
    });
    lane.last = compressed.then(() => undefined);
    // Who waits for it comes later; until then a failure is nobody's.
    lane.last.catch(() => undefined);
    return compressed;
  }

  /** Gives their memory back now, which would else wait to be collected. */
  close(): void {
    for (const { contexts } of this.#lanes) for (const context of contexts.values()) context.close();
  }
}

/** A stream of zlib that never ends: each write is finished, and the next begins anew. */
class Context {
  readonly #stream: DeflateRaw;
  #parts: Buffer[] = [];

  constructor({ level, isLast }: How) {
    const flush = isLast ? constants.Z_FINISH : constants.Z_SYNC_FLUSH;
    this.#stream = createDeflateRaw({ level, flush, chunkSize: partBytes });
    this.#stream.on("data", (part: Buffer) => this.#parts.push(part));
  }

  compress(data: Buffer): Promise<readonly Buffer[]> {
    return new Promise((resolve, reject) => {
      this.#stream.write(data, (error) => {
        if (error) return reject(error);
        // Nobody waits for it any more.
        if (this.#stream.destroyed) return reject(new Error("The zip was given up."));
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
