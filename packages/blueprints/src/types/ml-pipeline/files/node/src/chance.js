/** Numbers as if by chance that follow from the seed and from nothing else. */
export class Chance {
  #state;

  constructor(seed) {
    this.#state = (seed ^ Math.floor(seed / 2 ** 32)) >>> 0;
  }

  /** From 0 up to, but without, 1. */
  next() {
    this.#state = (this.#state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(this.#state ^ (this.#state >>> 15), this.#state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  }

  uniform(min, max) {
    return min + (max - min) * this.next();
  }

  /** By the method of Box and Muller; the logarithm of 0 must not be asked for. */
  normal(mean, deviation) {
    const radius = Math.sqrt(-2 * Math.log(1 - this.next()));
    return mean + deviation * radius * Math.cos(2 * Math.PI * this.next());
  }

  exponential(mean) {
    return -mean * Math.log(1 - this.next());
  }

  /** One of the values, each as often as its share says. */
  pick(values, shares) {
    let left = this.next() * shares.reduce((sum, share) => sum + share, 0);
    const index = shares.findIndex((share) => {
      left -= share;
      return left < 0;
    });
    return values.at(index);
  }

  /** A copy in another order. */
  shuffle(values) {
    const shuffled = [...values];
    for (let last = shuffled.length - 1; last > 0; last -= 1) {
      const other = Math.floor(this.next() * (last + 1));
      [shuffled[last], shuffled[other]] = [shuffled[other], shuffled[last]];
    }
    return shuffled;
  }
}
