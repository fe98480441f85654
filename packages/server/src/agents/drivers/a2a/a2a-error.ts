/** Why an agent elsewhere cannot be worked with, in words for who reads the task's failure. */
export class A2aError extends Error {
  readonly code: "agent_unavailable" | "agent_card" | "agent_login" | "agent_answer";
  /** Whether it may go well the next time. */
  readonly isPassing: boolean;
  /** Whether the other side may have heard what it was told. */
  readonly mayHaveBeenHeard: boolean;
  /** How long the other side wants to be left alone. */
  readonly retryAfterMs: number | undefined;

  constructor(
    code: A2aError["code"],
    message: string,
    about: { isPassing?: boolean; mayHaveBeenHeard?: boolean; retryAfterMs?: number | undefined; cause?: unknown } = {},
  ) {
    super(message, { cause: about.cause });
    this.name = "A2aError";
    this.code = code;
    this.isPassing = about.isPassing ?? false;
    this.mayHaveBeenHeard = about.mayHaveBeenHeard ?? true;
    this.retryAfterMs = about.retryAfterMs;
  }
}
