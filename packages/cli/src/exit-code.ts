/** What the command ends with. The numbers are part of the interface. */
export const exitCode = { ok: 0, failed: 1, usage: 2 } as const;

export type ExitCode = (typeof exitCode)[keyof typeof exitCode];

/** The command was called in a way that cannot work; the message says what would. */
export class UsageError extends Error {
  override readonly name = "UsageError";
}
