/** Receives the output of a program as it comes. */
export interface OutputLog {
  /** A property: in place of a method, one would be taken that wants masked text only. */
  readonly write: (text: string) => void;
  /** The program has ended. */
  end(): void;
}
