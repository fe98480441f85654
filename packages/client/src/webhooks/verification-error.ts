/** Why a received request is not a valid delivery. */
export type WebhookFault =
  | "missing_header"
  | "malformed_header"
  | "bad_signature"
  | "stale"
  | "too_early"
  | "malformed_body"
  | "bad_secret";

/** The received request cannot be trusted: answer 400 and ignore it. */
export class WebhookVerificationError extends Error {
  override readonly name = "WebhookVerificationError";
  /** `bad_secret` is the receiver's fault, the others are the sender's. */
  readonly code: WebhookFault;

  constructor(code: WebhookFault, message: string) {
    super(message);
    this.code = code;
  }
}
