const nothing = Buffer.alloc(0);
/** By which of a pair of bytes the higher one is. */
const littleEndian = 1;
const bigEndian = 0;

/**
 * The text of a file in UTF-16, whose bytes come in parts: in the order that its first two say, else in the one in which its
 * letters of ASCII have the zeros. A file without zeros has none.
 */
export class WideText {
  #begun = nothing;
  #isFirst = true;
  #said: number | undefined;
  readonly #zeros: [number, number] = [0, 0];

  read(bytes: Buffer): string {
    const all = this.#begun.length === 0 ? bytes : Buffer.concat([this.#begun, bytes]);
    const pairs = all.subarray(0, all.length - (all.length % 2));
    this.#begun = Buffer.from(all.subarray(pairs.length));
    if (pairs.length === 0) return "";
    if (this.#isFirst) this.#said = orderSaidBy(pairs);
    this.#isFirst = false;
    switch (this.#said ?? this.#likelyOrder(pairs)) {
      case littleEndian:
        return pairs.toString("utf16le");
      case bigEndian:
        return Buffer.from(pairs).swap16().toString("utf16le");
      default:
        return "";
    }
  }

  end(): void {
    this.#begun = nothing;
    this.#isFirst = true;
    this.#said = undefined;
    this.#zeros.fill(0);
  }

  /** Programs have zeros in both places, and so have pictures. */
  #likelyOrder(pairs: Buffer): number | undefined {
    const zeros = this.#zeros;
    if (pairs.includes(0)) {
      for (let at = 0; at < pairs.length; at += 2) {
        const isFirst = pairs[at] === 0;
        if (isFirst !== (pairs[at + 1] === 0)) zeros[isFirst ? bigEndian : littleEndian] += 1;
      }
    }
    if (zeros[littleEndian] > 2 * zeros[bigEndian]) return littleEndian;
    return zeros[bigEndian] > 2 * zeros[littleEndian] ? bigEndian : undefined;
  }
}

function orderSaidBy(pairs: Buffer): number | undefined {
  const [first, second] = pairs;
  if (first === 0xff && second === 0xfe) return littleEndian;
  return first === 0xfe && second === 0xff ? bigEndian : undefined;
}
