/** Receives the output of a program as it comes. */
export interface OutputLog {
  write(text: string): void;
  /** The program has ended. */
  end(): void;
}
