/** Told of each part of the text that must not be shown, from `start` up to `end`. */
export type Hide = (start: number, end: number) => void;

/** Told where the value of a secret stands, and by the state of the automaton whose it is. */
export type Find = (start: number, end: number, state: number) => void;

/** Looks for one kind of secret in a text that comes in parts. Positions count from the beginning of the whole text. */
export interface SecretScanner {
  /** Reads on: the characters `from` up to `to` of a chunk whose first character stands at `offset`. */
  read(chunk: string, from: number, to: number, offset: number): void;
  /** Where a secret may have begun that the text so far does not decide; infinity if nowhere. */
  undecidedFrom(position: number): number;
  /** There is no further text; what is read next is another one. */
  end(): void;
}

/** Looks for known values in one way of writing. Control characters and breaks do not count. */
export interface ValueScanner extends SecretScanner {
  /** Whether it would go on in the same way if nothing had been read. */
  readonly isIdle: boolean;
}
