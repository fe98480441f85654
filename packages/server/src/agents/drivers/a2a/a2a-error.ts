/** Why a remote agent cannot be used; the message becomes the task's failure. */
export class A2aError extends Error {
  readonly code: "agent_unavailable" | "agent_card" | "agent_login" | "agent_answer";
  /** Whether a retry may succeed. */
  readonly isTemporary: boolean;
  /** Whether the request may have reached the agent. */
  readonly mayHaveArrived: boolean;
  /** How long the agent asks callers to wait. */
  readonly retryAfterMs: number | undefined;

  constructor(
    code: A2aError["code"],
    message: string,
    details: {
      isTemporary?: boolean;
      mayHaveArrived?: boolean;
      retryAfterMs?: number | undefined;
      cause?: unknown;
    } = {},
  ) {
    super(message, { cause: details.cause });
    this.name = "A2aError";
    this.code = code;
    this.isTemporary = details.isTemporary ?? false;
    this.mayHaveArrived = details.mayHaveArrived ?? true;
    this.retryAfterMs = details.retryAfterMs;
  }
}
