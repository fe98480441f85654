import type { ProblemCode, ProblemDetail } from "@slipway/contract";

interface RefusalExtras {
  readonly errors?: readonly ProblemDetail[];
  readonly headers?: Readonly<Record<string, string>>;
  readonly cause?: unknown;
}

/** An expected "no": which kind, and why this very request. Its HTTP status stands in the contract's table. */
export class Refusal extends Error {
  override readonly name = "Refusal";
  readonly code: ProblemCode;
  readonly errors: readonly ProblemDetail[] | undefined;
  readonly headers: Readonly<Record<string, string>>;

  constructor(code: ProblemCode, detail: string, { errors, headers = {}, cause }: RefusalExtras = {}) {
    super(detail, { cause });
    this.code = code;
    this.errors = errors;
    this.headers = headers;
  }
}
