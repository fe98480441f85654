/** Takes the characters of a text as a decoder reads them, and where each of them stands. */
export interface CharacterSink {
  /** A character that stands for itself. */
  plain(unit: number, start: number, end: number): void;
  /** One that was written by its number: a code point, or half of one. */
  character(code: number, start: number, end: number): void;
  /** A byte that was written by its number. */
  byte(byte: number, start: number, end: number): void;
}

/** Decodes one way of writing a text, character by character. */
export interface Decoder {
  /** The characters that begin an encoded one; all others stand for themselves. */
  readonly openers: string;
  /** The characters that do not count, however they are written: who writes in this way adds some and takes others away. */
  readonly leftOut: string;
  /** Whether nothing is unfinished. */
  readonly isIdle: boolean;
  read(unit: number, at: number, sink: CharacterSink): void;
  /** Where an unfinished encoded character began; infinity if there is none. */
  undecidedFrom(): number;
  end(sink: CharacterSink): void;
}

/** Programs indent lines, fold them, end them in two ways, and make one of them: blanks and control characters of every kind. */
export const blanks = String.fromCharCode(...Array.from({ length: 0x21 }, (_, code) => code), 0x7f);
