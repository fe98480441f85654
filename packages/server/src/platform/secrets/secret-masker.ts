import { inTurns } from "../in-turns.ts";
import { MaskedText } from "./masked-text.ts";
import { type SecretPatterns, secretPatterns } from "./secret-patterns.ts";
import { maxSecretLength } from "./secret-provider.ts";

/** This much takes at most three milliseconds on a slow machine; the event loop goes on between two slices. */
const sliceLength = 8 * 1024;

declare const isMasked: unique symbol;

/** A text that a masker made: what writes to logs, and what keeps the reasons of failures, takes no other. */
export type Masked = string & { readonly [isMasked]: true };

/** Words of our own, around texts that are masked, as in "It cannot run: …". */
export function ownWords(words: TemplateStringsArray, ...values: readonly (Masked | number)[]): Masked {
  return String.raw({ raw: words }, ...values) as Masked;
}

/** A part of a masked text, or one with less in it. */
export function partOf(text: Masked, take: (text: string) => string): Masked {
  return take(text) as Masked;
}

/**
 * Masks secrets in logs, outputs and messages: their values in every usual encoding, also across line breaks, colours and
 * chunks, and everything that looks like a token or a private key. In a stream, it holds back only what may be the beginning
 * of one. The time is linear in the length of the text, whatever a program writes.
 */
export class Masker {
  readonly #patterns: SecretPatterns | undefined;
  #stream: MaskedText;

  constructor(secrets: Iterable<string>) {
    this.#patterns = secretPatterns(secrets);
    this.#stream = new MaskedText(this.#patterns);
  }

  /** Masks a complete short text, such as a message. Parts of it may have been cut off before, and end with `…`. */
  mask(text: string): Masked {
    const masked = new MaskedText(this.#patterns);
    return (masked.pushCut(text) + masked.end()) as Masked;
  }

  /** Masks a text and cuts it, in this order: the beginning of a secret looks like any other text. Like `mask`, knows `…`. */
  maskAndCut(text: string, maxChars: number): Masked {
    const masked = new MaskedText(this.#patterns);
    const read = text.slice(0, maxChars + sliceLength);
    // What may be the beginning of a secret is held back, unless the text ends there.
    const shown = masked.pushCut(read) + (read.length < text.length ? "" : masked.end());
    return shown.slice(0, maxChars) as Masked;
  }

  /** Like `maskAndCut`, without holding up the event loop. */
  async maskAndCutInSlices(text: string, maxChars: number): Promise<Masked> {
    const masked = new MaskedText(this.#patterns);
    const read = text.slice(0, maxChars + sliceLength);
    let shown = "";
    for await (const slice of slicesOf(read)) shown += masked.pushCut(slice);
    if (read.length === text.length) shown += masked.end();
    return shown.slice(0, maxChars) as Masked;
  }

  /**
   * Masks the end of a text: of a secret that begins before it, the rest is no longer known for one. What stands further
   * before than a secret is long need not be there.
   */
  async maskEnd(text: string, maxChars: number): Promise<Masked> {
    const masked = new MaskedText(this.#patterns);
    const from = Math.max(0, text.length - maxChars);
    for await (const slice of slicesOf(text.slice(Math.max(0, from - maxSecretLength), from))) masked.push(slice);
    let shown = "";
    for await (const slice of slicesOf(text.slice(from))) shown += masked.pushCut(slice);
    return (shown + masked.end()) as Masked;
  }

  /** Masks a complete text of any length without holding up the event loop. */
  async maskInSlices(text: string): Promise<Masked> {
    const masked = new MaskedText(this.#patterns);
    let shown = "";
    for await (const slice of slicesOf(text)) shown += masked.pushCut(slice);
    return (shown + masked.end()) as Masked;
  }

  /** Like `maskInSlices`, for each text of a list: a project makes some of thousands. */
  async maskAll(texts: Iterable<string>): Promise<readonly Masked[]> {
    const masked: Masked[] = [];
    for (const text of texts) masked.push(await this.maskInSlices(text));
    return masked;
  }

  /** Takes the next chunk of a stream; returns the text that is safe to pass on. */
  push(chunk: string): Masked {
    return this.#stream.push(chunk) as Masked;
  }

  /** Like `push`, for a chunk of any length. */
  async pushInSlices(chunk: string): Promise<Masked> {
    let shown = "";
    for await (const slice of slicesOf(chunk)) shown += this.#stream.push(slice);
    return shown as Masked;
  }

  /** Like `pushInSlices`, for a stream of which parts were cut off before, and end with `…`. */
  async pushCutInSlices(chunk: string): Promise<Masked> {
    let shown = "";
    for await (const slice of slicesOf(chunk)) shown += this.#stream.pushCut(slice);
    return shown as Masked;
  }

  /** Ends the stream; returns the text that was held back. */
  end(): Masked {
    const rest = this.#stream.end();
    this.#stream = new MaskedText(this.#patterns);
    return rest as Masked;
  }
}

/** In turns: thousands of short texts, one after the other, take as long as a long one. */
function slicesOf(text: string): AsyncGenerator<string> {
  return inTurns(cut(text));
}

function* cut(text: string): Generator<string> {
  for (let at = 0; at < text.length; at += sliceLength) yield text.slice(at, at + sliceLength);
}
