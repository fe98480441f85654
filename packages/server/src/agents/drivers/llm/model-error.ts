/** Why a model gave no usable answer. */
export class ModelError extends Error {
  readonly code: "model_unavailable" | "model_answer" | "model_rejected" | "model_context";
  /** Whether a retry may succeed. */
  readonly isTemporary: boolean;
  /** How long the endpoint asks callers to wait. */
  readonly retryAfterMs: number | undefined;

  constructor(
    code: ModelError["code"],
    message: string,
    { isTemporary = false, retryAfterMs }: { isTemporary?: boolean; retryAfterMs?: number | undefined } = {},
  ) {
    super(message);
    this.name = "ModelError";
    this.code = code;
    this.isTemporary = isTemporary;
    this.retryAfterMs = retryAfterMs;
  }
}
