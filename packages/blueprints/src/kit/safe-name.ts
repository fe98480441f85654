import { slugOf } from "@slipway/spec";

/** Gives names that are safe in files, options and identifiers of files; each is given out once. */
export class SafeNames {
  readonly #taken: Set<string>;

  constructor(taken: Iterable<string> = []) {
    this.#taken = new Set([...taken].map((name) => name.toLowerCase()));
  }

  /** The name as it is where it is safe, else made safe; with a number where it is taken already. */
  take(name: string): string {
    const safe = /^[A-Za-z][A-Za-z\d_-]{0,62}$/.test(name) ? name : slugOf(name);
    let unique = safe;
    for (let number = 2; this.#taken.has(unique.toLowerCase()); number += 1) unique = `${safe}-${number}`;
    this.#taken.add(unique.toLowerCase());
    return unique;
  }
}
