/** What is compressed at a time. */
export const blockBytes = 512 * 1024;

/** A slab that blocks are cut from. */
interface Slab {
  readonly bytes: Buffer;
  used: number;
  users: number;
}

/** Room for a block, until it is given back. */
export interface Room {
  readonly data: Buffer;
  giveBack(): void;
}

/** Room for blocks, small ones side by side in one slab. It is used again: what is thrown away is not collected at once. */
export class BlockRoom {
  readonly #free: Slab[] = [];
  #slab: Slab = newSlab();

  take(bytes: number): Room {
    if (this.#slab.used + bytes > blockBytes) this.#next();
    const slab = this.#slab;
    const data = slab.bytes.subarray(slab.used, slab.used + bytes);
    slab.used += bytes;
    slab.users += 1;
    return {
      data,
      giveBack: () => {
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
