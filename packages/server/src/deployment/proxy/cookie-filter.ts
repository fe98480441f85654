/** Removes cookies by their names from what a browser sends and from what a program sets. */
export class CookieFilter {
  /** In lower case: some programs do not tell cases apart. */
  readonly #names: ReadonlySet<string>;
  readonly #prefixes: readonly string[];

  /** A name that ends in `*` stands for all that begin so. */
  constructor(names: readonly string[]) {
    this.#names = new Set(names.map((name) => name.toLowerCase()));
    this.#prefixes = [...this.#names].filter((name) => name.endsWith("*")).map((name) => name.slice(0, -1));
  }

  /** A `Cookie` header without the cookies in question; undefined if nothing is left. */
  ofRequest(header: string): string | undefined {
    if (this.#names.size === 0) return header;
    const pairs = header.split(";");
    const kept = pairs.filter((pair) => !this.#isStripped(pair));
    if (kept.length === pairs.length) return header;
    const text = kept.join(";").trim();
    return text === "" ? undefined : text;
  }

  /** Whether a `Set-Cookie` header may reach the browser. */
  mayBeSet(header: string): boolean {
    return this.#names.size === 0 || !this.#isStripped(header);
  }

  /**
   * A `Clear-Site-Data` header that leaves cookies alone; undefined if nothing is left. Browsers clear those of all ports of
   * the host, also what scripts cannot touch; all else belongs to one port.
   */
  ofClearing(header: string): string | undefined {
    if (this.#names.size === 0) return header;
    const asked = header.split(",").map((one) => one.trim());
    const kept = asked.flatMap((one) =>
      one.includes("*") ? ['"cache"', '"storage"'] : /cookies/i.test(one) ? [] : [one],
    );
    return kept.length === 0 ? undefined : kept.join(", ");
  }

  /** A cookie without a name, `=session=x`, comes back from some browsers as `session=x`. */
  #isStripped(pair: string): boolean {
    const name = /^[\s=]*([^=;]*)/.exec(pair)![1]!;
    const key = name.trim().toLowerCase();
    return this.#names.has(key) || this.#prefixes.some((prefix) => key.startsWith(prefix));
  }
}
