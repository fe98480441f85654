/** The exit codes. They are part of the public interface. */
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
  unread: 141,
  terminated: 143,
} as const;

export type ExitCode = (typeof exitCode)[keyof typeof exitCode];

/** An expected failure: the message explains it, so no stack trace is printed. */
export class CommandError extends Error {
  override readonly name: string = "CommandError";
  readonly code: ExitCode;

  constructor(code: ExitCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
  }
}

/** The command line is wrong; the message says how to fix it. */
export class UsageError extends CommandError {
  override readonly name = "UsageError";

  constructor(message: string) {
    super(exitCode.usage, message);
  }
}
