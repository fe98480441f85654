/** Whatever walks through a value calls itself for each level, and reading millions of levels takes seconds. */
export const maxJsonDepth = 500;
/** No text of a megabyte has more. Reading ten times as much takes a second, of which no other request gets any. */
const maxWeight = 1024 * 1024;
/** Of a key, compared to a value: objects with many keys take long. */
const keyWeight = 4;

/** The value of a JSON text that a stranger wrote; undefined if it is none, nested too deeply, or holds too many values. */
export function parseJson(text: string): { readonly value: unknown } | undefined {
  if (isHugeJson(text)) return undefined;
  try {
    return { value: JSON.parse(text) as unknown };
  } catch {
    return undefined;
  }
}

/** Whether lists and objects lie more than `maxJsonDepth` levels deep, or there are hundreds of thousands of values. */
export function isHugeJson(text: string): boolean {
  return new JsonMeasure().add(text);
}

/** Looks at a JSON text piece by piece, without keeping it. */
export class JsonMeasure {
  #depth = 0;
  #weight = 0;
  #isInString = false;
  /** Whether a piece has ended with a backslash that takes away the meaning of the next sign. */
  #isEscaped = false;

  /** Takes the next piece; returns whether the text so far is nested too deeply or holds too many values. */
  add(piece: string): boolean {
    let depth = this.#depth;
    let weight = this.#weight;
    for (let at = this.#isInString ? this.#endOfString(piece, 0) : 0; at < piece.length; at += 1) {
      const sign = piece[at];
      if (sign === '"') at = this.#endOfString(piece, at + 1) - 1;
      else if (sign === "[" || sign === "{") {
        depth += 1;
        weight += 1;
      } else if (sign === "]" || sign === "}") depth -= 1;
      else if (sign === ",") weight += 1;
      else if (sign === ":") weight += keyWeight;
      if (depth > maxJsonDepth || weight > maxWeight) return true;
    }
    this.#depth = depth;
    this.#weight = weight;
    return false;
  }

  /** Takes the end of a line. No string goes beyond it: who reads the text stops there. */
  endLine(): void {
    this.#isInString = false;
    this.#isEscaped = false;
  }

  /** Where the text goes on after a string. That may be a file of megabytes: nobody looks at each sign of it. */
  #endOfString(piece: string, from: number): number {
    this.#isInString = true;
    let at = from;
    if (this.#isEscaped && at < piece.length) {
      this.#isEscaped = false;
      at += 1;
    }
    const begin = at;
    for (;;) {
      const quote = piece.indexOf('"', at);
      const end = quote === -1 ? piece.length : quote;
      let backslashes = 0;
      while (end - 1 - backslashes >= begin && piece[end - 1 - backslashes] === "\\") backslashes += 1;
      const isEscaped = backslashes % 2 === 1;
      if (quote === -1) {
        this.#isEscaped ||= isEscaped;
        return piece.length;
      }
      if (!isEscaped) {
        this.#isInString = false;
        return quote + 1;
      }
      at = quote + 1;
    }
  }
}
