/** A name that is safe as a key of an object and as text of one line. */
export function safeName(name: string, fallback: string): string {
  const plain = name
    .replace(/\p{Cc}+/gu, " ")
    .trim()
    .slice(0, 60);
  return plain === "" || plain in {} ? fallback : plain;
}

/** Hands out names, each only once. */
export class Names {
  readonly #taken: Set<string>;

  constructor(taken: readonly string[]) {
    this.#taken = new Set(taken);
  }

  take(name: string | undefined, fallback: string): string {
    const base = safeName(name ?? fallback, fallback);
    let free = base;
    for (let number = 2; this.#taken.has(free); number += 1) free = `${base} ${number}`;
    this.#taken.add(free);
    return free;
  }
}
