/** Why a model gave no answer that can be used. */
export class ModelError extends Error {
  readonly code: "model_unavailable" | "model_answer" | "model_rejected" | "model_context";
  /** Whether the same question may be answered the next time. */
  readonly isPassing: boolean;
  /** How long the other side wants to be left alone. */
  readonly retryAfterMs: number | undefined;

  constructor(
    code: ModelError["code"],
    message: string,
    { isPassing = false, retryAfterMs }: { isPassing?: boolean; retryAfterMs?: number | undefined } = {},
  ) {
    super(message);
    this.name = "ModelError";
    this.code = code;
    this.isPassing = isPassing;
    this.retryAfterMs = retryAfterMs;
  }
}
