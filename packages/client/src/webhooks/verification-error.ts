/** Why what was received is not taken for a delivery of ours. */
export type WebhookFault =
  | "missing_header"
  | "malformed_header"
  | "bad_signature"
  | "stale"
  | "too_early"
  | "malformed_body"
  | "bad_secret";

/** What was received cannot be trusted: answer it with 400, and do nothing else with it. */
export class WebhookVerificationError extends Error {
  override readonly name = "WebhookVerificationError";
  /** `bad_secret` is not the sender's fault, but the receiver's. */
  readonly code: WebhookFault;

  constructor(code: WebhookFault, message: string) {
    super(message);
    this.code = code;
  }
}
