import { discardBytes } from "../discard-bytes.ts";

/** The size of the blocks that files are cut into. */
export const blockBytes = 512 * 1024;

/** Memory that small blocks share. */
interface Slab {
  readonly bytes: Buffer;
  used: number;
  users: number;
}

/** Memory for a block, until it is released. */
export interface PooledBlock {
  readonly data: Buffer;
  release(): void;
}

/** Reuses the memory of blocks, because the garbage collector frees large buffers late. Small blocks share a slab. */
export class BlockPool {
  readonly #free: Slab[] = [];
  #slab: Slab = newSlab();
  #isClosed = false;

  take(bytes: number): PooledBlock {
    if (this.#slab.used + bytes > blockBytes) this.#next();
    const slab = this.#slab;
    const data = slab.bytes.subarray(slab.used, slab.used + bytes);
    slab.used += bytes;
    slab.users += 1;
    return {
      data,
      release: () => {
        slab.users -= 1;
        if (slab.users > 0) return;
        if (this.#isClosed) discardBytes(slab.bytes);
        else if (slab !== this.#slab) this.#free.push(slab);
      },
    };
  }

  /** Frees the memory: at once where nobody uses it, else with its last block. Nothing can be taken any more. */
  close(): void {
    this.#isClosed = true;
    for (const slab of [...this.#free, this.#slab]) if (slab.users === 0) discardBytes(slab.bytes);
  }

  #next(): void {
    const full = this.#slab;
    this.#slab = this.#free.pop() ?? newSlab();
    this.#slab.used = 0;
    if (full.users === 0) this.#free.push(full);
  }
}

function newSlab(): Slab {
  return { bytes: Buffer.allocUnsafeSlow(blockBytes), used: 0, users: 0 };
}
