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
        if (slab.users === 0 && slab !== this.#slab) this.#free.push(slab);
      },
    };
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
