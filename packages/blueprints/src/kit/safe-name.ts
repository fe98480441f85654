import { slugOf } from "@slipway/spec";

/** Hands out names that are safe in file names and options, each only once. */
export class SafeNames {
  readonly #taken: Set<string>;

  constructor(taken: Iterable<string> = []) {
    this.#taken = new Set([...taken].map((name) => name.toLowerCase()));
  }

  /** The name itself if it is safe, else a safe form of it; with a number if it is taken. */
  take(name: string): string {
    const safe = /^[A-Za-z][A-Za-z\d_-]{0,62}$/.test(name) ? name : slugOf(name);
    let unique = safe;
    for (let number = 2; this.#taken.has(unique.toLowerCase()); number += 1) unique = `${safe}-${number}`;
    this.#taken.add(unique.toLowerCase());
    return unique;
  }
}
