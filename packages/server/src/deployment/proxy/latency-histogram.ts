/** Sixteen buckets for each doubling: a percentile is at most 6 % too high. */
const subBits = 4;
const buckets = 32 << subBits;

/** Counts latencies in a fixed amount of memory and gives their percentiles. */
export class LatencyHistogram {
  readonly #counts = new Float64Array(buckets);
  #total = 0;

  add(ms: number): void {
    this.#counts[bucketOf(ms)]! += 1;
    this.#total += 1;
  }

  /** The latency in milliseconds that this share of the requests did not exceed; 0 without requests. */
  percentile(share: number): number {
    const wanted = Math.max(1, Math.ceil(share * this.#total));
    let seen = 0;
    for (let index = 0; this.#total > 0 && index < buckets; index += 1) {
      seen += this.#counts[index]!;
      if (seen >= wanted) return upperMs(index);
    }
    return 0;
  }
}

function bucketOf(ms: number): number {
  const us = Math.min(Math.max(Math.round(ms * 1_000), 1), 2 ** 31 - 1);
  const exponent = 31 - Math.clz32(us);
  const sub = exponent >= subBits ? us >> (exponent - subBits) : us << (subBits - exponent);
  return (exponent << subBits) | (sub & ((1 << subBits) - 1));
}

/** The largest latency that falls into a bucket. */
function upperMs(index: number): number {
  const exponent = index >> subBits;
  const sub = index & ((1 << subBits) - 1);
  return (2 ** exponent * (1 + (sub + 1) / (1 << subBits))) / 1_000;
}
