import { secretForms } from "./secret-forms.ts";

const mask = "********";

/** Tokens that are secret wherever they come from, by their shape. Each begins with something that gives it away. */
const shapes = [
  "spec_(?:sk|ut|rt)_[0-9a-z_]{8,200}",
  "gh[pousr]_[A-Za-z0-9]{20,255}",
  "github_pat_[A-Za-z0-9_]{20,255}",
  "glpat-[A-Za-z0-9_-]{20,64}",
  "sk-(?:ant-|proj-)?[A-Za-z0-9_-]{20,255}",
  "xox[abeoprs]-[A-Za-z0-9-]{10,255}",
  "(?:AKIA|ASIA)[A-Z0-9]{16}",
  "AIza[A-Za-z0-9_-]{35}",
  "npm_[A-Za-z0-9]{36}",
  "eyJ[A-Za-z0-9_-]{10,2000}\\.eyJ[A-Za-z0-9_-]{10,4000}\\.[A-Za-z0-9_-]{10,1000}",
];
const beginnings = ["spec_", "gh", "github_pat_", "glpat-", "sk-", "xox", "AKIA", "ASIA", "AIza", "npm_", "eyJ"];
const shapeCharacters = /[A-Za-z0-9_.-]*$/;
const maxShape = 7_100;

const privateKey = /-----BEGIN [A-Z ]*PRIVATE KEY-----[\s\S]*?-----END [A-Z ]*PRIVATE KEY-----/g;
const openPrivateKey = /-----BEGIN [A-Z ]*PRIVATE KEY-----[\s\S]*$/;
const maxPrivateKey = 16 * 1024;

/**
 * Takes secrets out of a text that comes in pieces: their values in any usual encoding, also where a line break or the end of
 * a piece stands in the middle, and whatever looks like a token or a private key. Holds back only what may be the beginning of one.
 */
export class Masker {
  readonly #values: RegExp | undefined;
  readonly #shapes = new RegExp(`(?<![A-Za-z0-9_-])(?:${shapes.join("|")})`, "g");
  readonly #forms: readonly string[];
  #held = "";

  constructor(secrets: Iterable<string>) {
    this.#forms = secretForms(secrets);
    // The longest first: one may contain another.
    const patterns = this.#forms.map((form) => [...form].map(escaped).join("[\\r\\n]*"));
    this.#values = patterns.length === 0 ? undefined : new RegExp(patterns.join("|"), "g");
  }

  /** A text that is complete. */
  mask(text: string): string {
    let masked = text.replace(privateKey, mask).replace(openPrivateKey, mask);
    if (this.#values !== undefined) masked = masked.replace(this.#values, mask);
    return masked.replace(this.#shapes, mask);
  }

  /** The next piece of a text that comes in pieces; gives what can be told by now. */
  push(piece: string): string {
    const text = this.#held + piece;
    const at = this.#undecidedFrom(text);
    this.#held = text.slice(at);
    return this.mask(text.slice(0, at));
  }

  /** The text is over; gives what was held back. */
  end(): string {
    const rest = this.#held;
    this.#held = "";
    return this.mask(rest);
  }

  /** From where on the text may be the beginning of a secret. */
  #undecidedFrom(text: string): number {
    const key = openPrivateKey.exec(text.replace(privateKey, (found) => " ".repeat(found.length)));
    const fromKey = key !== null && text.length - key.index < maxPrivateKey ? key.index : text.length;
    return this.#beforeMatch(text, Math.min(fromKey, this.#valueFrom(text), shapeFrom(text), headerFrom(text)));
  }

  /** A cut through a secret would let both halves through: the cut goes before it. */
  #beforeMatch(text: string, cut: number): number {
    for (const pattern of [privateKey, this.#values, this.#shapes]) {
      if (pattern === undefined) continue;
      for (const match of text.matchAll(pattern)) {
        if (match.index >= cut) break;
        if (match.index + match[0].length > cut) return this.#beforeMatch(text, match.index);
      }
    }
    return cut;
  }

  /** Where the longest end of the text starts that a form of a secret begins with, line breaks left out. */
  #valueFrom(text: string): number {
    let from = text.length;
    for (const form of this.#forms) {
      const start = Math.max(0, text.length - 4 * form.length);
      for (let at = start; at < from; at += 1) {
        if (text[at] !== form[0]) continue;
        const tail = text.slice(at).replace(/[\r\n]/g, "");
        if (tail.length < form.length && form.startsWith(tail)) from = at;
      }
    }
    return from;
  }
}

function shapeFrom(text: string): number {
  const word = shapeCharacters.exec(text)?.[0] ?? "";
  if (word === "" || word.length > maxShape) return text.length;
  const isTokenLike = beginnings.some((beginning) => word.startsWith(beginning) || beginning.startsWith(word));
  return isTokenLike ? text.length - word.length : text.length;
}

/** `-----BEGIN PRIVATE KEY-----` may itself be cut in two. */
function headerFrom(text: string): number {
  const header = /-{1,5}$|-----B[A-Z ]{0,40}-{0,5}$/.exec(text);
  return header === null ? text.length : header.index;
}

function escaped(character: string): string {
  return character.replace(/[\\^$.*+?()[\]{}|/-]/g, "\\$&");
}
