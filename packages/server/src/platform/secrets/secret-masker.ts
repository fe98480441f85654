import { secretEncodings } from "./secret-encodings.ts";

const mask = "********";

/** Tokens that are secret wherever they come from, recognised by their shape. Each has a fixed prefix. */
const tokenShapes = [
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
const tokenPrefixes = ["spec_", "gh", "github_pat_", "glpat-", "sk-", "xox", "AKIA", "ASIA", "AIza", "npm_", "eyJ"];
const tokenCharacters = /[A-Za-z0-9_.-]*$/;
const maxTokenLength = 7_100;

const privateKey = /-----BEGIN [A-Z ]*PRIVATE KEY-----[\s\S]*?-----END [A-Z ]*PRIVATE KEY-----/g;
const openPrivateKey = /-----BEGIN [A-Z ]*PRIVATE KEY-----[\s\S]*$/;
const maxPrivateKeyLength = 16 * 1024;

/**
 * Masks secrets in logs, outputs and messages: their values in every usual encoding, also across line breaks and chunks, and
 * everything that looks like a token or a private key. In a stream, it holds back only what may be the beginning of one.
 */
export class Masker {
  readonly #values: RegExp | undefined;
  readonly #tokens = new RegExp(`(?<![A-Za-z0-9_-])(?:${tokenShapes.join("|")})`, "g");
  readonly #encodings: readonly string[];
  #pending = "";

  constructor(secrets: Iterable<string>) {
    this.#encodings = secretEncodings(secrets);
    // Longest first, because one may contain another.
    const patterns = this.#encodings.map((form) => [...form].map(escaped).join("[\\r\\n]*"));
    this.#values = patterns.length === 0 ? undefined : new RegExp(patterns.join("|"), "g");
  }

  /** Masks a complete text. */
  mask(text: string): string {
    let masked = text.replace(privateKey, mask).replace(openPrivateKey, mask);
    if (this.#values !== undefined) masked = masked.replace(this.#values, mask);
    return masked.replace(this.#tokens, mask);
  }

  /** Takes the next chunk of a stream; returns the text that is safe to pass on. */
  push(chunk: string): string {
    const text = this.#pending + chunk;
    const at = this.#undecidedFrom(text);
    this.#pending = text.slice(at);
    return this.mask(text.slice(0, at));
  }

  /** Ends the stream; returns the text that was held back. */
  end(): string {
    const rest = this.#pending;
    this.#pending = "";
    return this.mask(rest);
  }

  /** The index from which the text may be the beginning of a secret. */
  #undecidedFrom(text: string): number {
    const key = openPrivateKey.exec(text.replace(privateKey, (found) => " ".repeat(found.length)));
    const fromKey = key !== null && text.length - key.index < maxPrivateKeyLength ? key.index : text.length;
    return this.#beforeMatch(text, Math.min(fromKey, this.#valueFrom(text), tokenFrom(text), headerFrom(text)));
  }

  /** Moves a cut through a secret to the front of it: otherwise both halves would pass unmasked. */
  #beforeMatch(text: string, cut: number): number {
    for (const pattern of [privateKey, this.#values, this.#tokens]) {
      if (pattern === undefined) continue;
      for (const match of text.matchAll(pattern)) {
        if (match.index >= cut) break;
        if (match.index + match[0].length > cut) return this.#beforeMatch(text, match.index);
      }
    }
    return cut;
  }

  /** The start of the longest suffix, without line breaks, that is a prefix of an encoded secret. */
  #valueFrom(text: string): number {
    let from = text.length;
    for (const form of this.#encodings) {
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

function tokenFrom(text: string): number {
  const word = tokenCharacters.exec(text)?.[0] ?? "";
  if (word === "" || word.length > maxTokenLength) return text.length;
  const isTokenLike = tokenPrefixes.some((prefix) => word.startsWith(prefix) || prefix.startsWith(word));
  return isTokenLike ? text.length - word.length : text.length;
}

/** The header `-----BEGIN PRIVATE KEY-----` may itself be split. */
function headerFrom(text: string): number {
  const header = /-{1,5}$|-----B[A-Z ]{0,40}-{0,5}$/.exec(text);
  return header === null ? text.length : header.index;
}

function escaped(character: string): string {
  return character.replace(/[\\^$.*+?()[\]{}|/-]/g, "\\$&");
}
