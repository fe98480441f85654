/** A text to look for, as symbols: code units, bytes or digits. */
export interface Pattern {
  readonly symbols: ArrayLike<number>;
  /** Whether the symbol after it belongs to it as well, such as the last digit of base64. */
  readonly hasTail?: boolean;
  /** Which value it betrays, by its place among all. */
  readonly of: number;
}

const root = 0;
const rootSize = 256;

/**
 * Finds many patterns at once in linear time, whatever the text is (Aho–Corasick). A state stands for the longest end of the
 * text that begins a pattern. The children of a state are a list: nearly all have one, so it stays small.
 */
export class PatternAutomaton {
  readonly maxLength: number;
  /** How many symbols a state stands for. */
  readonly depths: Int32Array;
  /** The state of the longest shorter end of the text that begins a pattern. */
  readonly fallbacks: Int32Array;
  /** The length of the longest pattern that ends here; 0 if none does. */
  readonly foundLengths: Int32Array;
  /** Whether a pattern with a tail ends here. */
  readonly tails: Uint8Array;
  /** Of the states in which a pattern ends: which values these betray. */
  readonly #owners = new Map<number, number[]>();
  readonly #symbols: Int32Array;
  readonly #firstChildren: Int32Array;
  readonly #nextSiblings: Int32Array;
  /** The root has many children: a table for all but rare symbols. */
  readonly #fromRoot = new Int32Array(rootSize);
  #size = 1;

  constructor(patterns: readonly Pattern[]) {
    const maxStates = patterns.reduce((sum, { symbols }) => sum + symbols.length, 1);
    const column = () => new Int32Array(maxStates);
    this.depths = column();
    this.fallbacks = column();
    this.foundLengths = column();
    this.tails = new Uint8Array(maxStates);
    this.#symbols = column();
    this.#firstChildren = column();
    this.#nextSiblings = column();
    this.maxLength = patterns.reduce((max, { symbols }) => Math.max(max, symbols.length), 0);
    for (const pattern of patterns) this.#add(pattern);
    this.#link();
  }

  next(state: number, symbol: number): number {
    for (let from = state; from !== root; from = this.fallbacks[from]!) {
      let child = this.#firstChildren[from]!;
      while (child !== root && this.#symbols[child] !== symbol) child = this.#nextSiblings[child]!;
      if (child !== root) return child;
    }
    return this.first(symbol);
  }

  /** The state after the first symbol of a pattern; 0 if no pattern begins with it. */
  first(symbol: number): number {
    return symbol < rootSize ? this.#fromRoot[symbol]! : this.#child(root, symbol);
  }

  /** Adds the values that a state betrays, but for states in `seen`, whose values are there already. */
  addOwners(state: number, owners: Set<number>, seen: Set<number>): void {
    for (let at = state; this.foundLengths[at] !== 0 && !seen.has(at); at = this.fallbacks[at]!) {
      seen.add(at);
      for (const owner of this.#owners.get(at) ?? []) owners.add(owner);
    }
  }

  #child(state: number, symbol: number): number {
    let child = this.#firstChildren[state]!;
    while (child !== root && this.#symbols[child] !== symbol) child = this.#nextSiblings[child]!;
    return child;
  }

  #add({ symbols, hasTail = false, of }: Pattern): void {
    let state = root;
    for (let at = 0; at < symbols.length; at += 1)
      state = this.#child(state, symbols[at]!) || this.#addChild(state, symbols[at]!);
    this.foundLengths[state] = symbols.length;
    if (hasTail) this.tails[state] = 1;
    this.#owners.set(state, [...(this.#owners.get(state) ?? []), of]);
  }

  #addChild(parent: number, symbol: number): number {
    const child = this.#size;
    this.#size += 1;
    this.#symbols[child] = symbol;
    this.#nextSiblings[child] = this.#firstChildren[parent]!;
    this.#firstChildren[parent] = child;
    this.depths[child] = this.depths[parent]! + 1;
    if (parent === root && symbol < rootSize) this.#fromRoot[symbol] = child;
    return child;
  }

  /** Breadth first: a fallback is always shorter than its state. */
  #link(): void {
    const queue = new Int32Array(this.#size);
    let queued = 1;
    for (let at = 0; at < queued; at += 1) {
      const parent = queue[at]!;
      for (let child = this.#firstChildren[parent]!; child !== root; child = this.#nextSiblings[child]!) {
        const fallback = parent === root ? root : this.next(this.fallbacks[parent]!, this.#symbols[child]!);
        this.fallbacks[child] = fallback;
        this.foundLengths[child] ||= this.foundLengths[fallback]!;
        this.tails[child] ||= this.tails[fallback]!;
        queue[queued] = child;
        queued += 1;
      }
    }
  }
}
