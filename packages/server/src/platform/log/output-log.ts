/** Takes what a program writes, as it comes. */
export interface OutputLog {
  write(text: string): void;
  /** Nothing more will come. */
  end(): void;
}
