import type { Hide, SecretScanner } from "./secret-scanner.ts";

/** Tokens that are secret wherever they come from, recognised by their shape: each a word with a fixed prefix. */
const shapes = new RegExp(
  `^(?:${[
    "spec_(?:sk|ut|rt)_[0-9a-z_]{8}",
    "gh[pousr]_[A-Za-z0-9]{20}",
    "github_pat_[A-Za-z0-9_]{20}",
    "glpat-[A-Za-z0-9_-]{20}",
    "sk-(?:ant-|proj-)?[A-Za-z0-9_-]{20}",
    "xox[abeoprs]-[A-Za-z0-9-]{10}",
    "(?:AKIA|ASIA)[A-Z0-9]{16}",
    "AIza[A-Za-z0-9_-]{35}",
    "npm_[A-Za-z0-9]{36}",
  ].join("|")})`,
);
const jwtPrefix = "eyJ";
const prefixes = ["spec_", "gh", "glpat-", "sk-", "xox", "AKIA", "ASIA", "AIza", "npm_", jwtPrefix];
const maxPrefixLength = Math.max(...prefixes.map((prefix) => prefix.length));
/** More of one word is held back by nobody; what comes after it is shown. */
const maxWordLength = 4_096;
const minJwtPart = 10;
const dot = 0x2e;

interface JwtPart {
  readonly start: number;
}

/** Finds tokens word by word: each character is read once, and only a word that may be a token is kept. */
export class TokenScanner implements SecretScanner {
  readonly #hide: Hide;
  #isInWord = false;
  /** Whether the word may still become a token; only then its text is kept. */
  #isLive = false;
  #word = "";
  #start = 0;
  #end = 0;
  /** The parts of a JSON web token that stand before this word, with dots between: at most two. */
  #parts: readonly JwtPart[] = [];

  constructor(hide: Hide) {
    this.#hide = hide;
  }

  read(chunk: string, from: number, to: number, offset: number): void {
    for (let at = from; at < to; ) {
      const start = at;
      while (at < to && isWordCharacter(chunk.charCodeAt(at))) at += 1;
      if (at > start) this.#readWord(chunk, start, at, offset);
      if (at === to) return;
      if (this.#isInWord) this.#endWord(chunk.charCodeAt(at));
      else this.#parts = [];
      at += 1;
      while (at < to && !this.#isInWord && !isWordCharacter(chunk.charCodeAt(at))) {
        this.#parts = [];
        at += 1;
      }
    }
  }

  /** Something stands here that is no character of a word. */
  breakWord(): void {
    if (this.#isInWord) this.#endWord(0);
    this.#parts = [];
  }

  undecidedFrom(): number {
    if (this.#parts.length > 0) return this.#parts[0]!.start;
    return this.#isInWord && this.#isLive ? this.#start : Number.POSITIVE_INFINITY;
  }

  end(): void {
    this.breakWord();
  }

  #readWord(chunk: string, from: number, to: number, offset: number): void {
    if (!this.#isInWord) {
      this.#isInWord = true;
      this.#isLive = true;
      this.#word = "";
      this.#start = offset + from;
    }
    if (!this.#isLive) return;
    const room = maxWordLength - this.#word.length;
    const fitting = Math.min(to - from, room);
    this.#word += chunk.slice(from, from + fitting);
    this.#end = offset + from + fitting;
    this.#isLive = this.#parts.length === 2 || mayBeToken(this.#word);
    if (this.#word.length < maxWordLength) return;
    if (this.#isLive) this.#judge();
    this.#isLive = false;
    this.#parts = [];
  }

  #endWord(after: number): void {
    const isPart =
      this.#isLive && this.#word.startsWith(jwtPrefix) && this.#word.length >= jwtPrefix.length + minJwtPart;
    if (this.#isLive) this.#judge();
    this.#parts = isPart && after === dot ? [...this.#parts.slice(-1), { start: this.#start }] : [];
    this.#isInWord = false;
  }

  #judge(): void {
    if (shapes.test(this.#word)) this.#hide(this.#start, this.#end);
    if (this.#parts.length === 2 && this.#word.length >= minJwtPart) this.#hide(this.#parts[0]!.start, this.#end);
  }
}

function mayBeToken(word: string): boolean {
  const begin = word.slice(0, maxPrefixLength);
  return prefixes.some((prefix) => begin.startsWith(prefix) || prefix.startsWith(begin));
}

/** Letters, digits, `_` and `-`. */
function isWordCharacter(unit: number): boolean {
  return (
    (unit >= 0x61 && unit <= 0x7a) ||
    (unit >= 0x41 && unit <= 0x5a) ||
    (unit >= 0x30 && unit <= 0x39) ||
    unit === 0x5f ||
    unit === 0x2d
  );
}
