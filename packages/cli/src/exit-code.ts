/** What the command ends with. The numbers are part of the interface. */
export const exitCode = {
  ok: 0,
  failed: 1,
  usage: 2,
  refused: 3,
  notFound: 4,
  cannotConnect: 5,
  timedOut: 124,
  hungUp: 129,
  interrupted: 130,
  terminated: 143,
} as const;

export type ExitCode = (typeof exitCode)[keyof typeof exitCode];

/** An end that was to be expected; the message says why, and there is nothing more to know. */
export class CommandError extends Error {
  override readonly name: string = "CommandError";
  readonly code: ExitCode;

  constructor(code: ExitCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
  }
}

/** The command was called in a way that cannot work; the message says what would. */
export class UsageError extends CommandError {
  override readonly name = "UsageError";

  constructor(message: string) {
    super(exitCode.usage, message);
  }
}
