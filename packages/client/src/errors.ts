import type { Problem, ProblemCode } from "@slipway/contract";

/** What was asked of which server. */
export interface RequestInfo {
  readonly method: string;
  readonly url: string;
}

/** The server answered, and not with what was asked for. */
export class SlipwayError extends Error {
  override readonly name = "SlipwayError";
  readonly request: RequestInfo;
  readonly status: number;
  /** Why, in the API's own words; nothing where somebody else answered, such as a proxy. */
  readonly problem: Problem | undefined;
  /** How long the server asks to wait before the next try. */
  readonly retryAfterMs: number | undefined;

  constructor(request: RequestInfo, answer: Pick<SlipwayError, "status" | "problem" | "retryAfterMs">) {
    const { status, problem } = answer;
    super(
      problem?.detail ??
        `${request.url} answered ${status}, and not as Slipway answers. Is this the address of a Slipway service?`,
    );
    this.request = request;
    this.status = status;
    this.problem = problem;
    this.retryAfterMs = answer.retryAfterMs;
  }

  get code(): ProblemCode | undefined {
    return this.problem?.code;
  }

  /** The request will be refused again, however often it is repeated. */
  get isRefusal(): boolean {
    return this.status >= 400 && this.status < 500 && !this.isTransient;
  }

  get isNotFound(): boolean {
    return this.status === 404;
  }

  /** Who asks is not known, or may not. */
  get isDenied(): boolean {
    return this.status === 401 || this.status === 403;
  }

  get isConflict(): boolean {
    return this.code === "conflict";
  }

  /** The same request may be answered a little later. */
  get isTransient(): boolean {
    return this.code === "request_in_flight" || [408, 429, 502, 503, 504].includes(this.status);
  }
}

/** What was asked for cannot be put into a request. */
export class UnsendableError extends Error {
  override readonly name = "UnsendableError";
}

/** There was no answer, or only a part of one. */
export class ConnectionError extends Error {
  override readonly name = "ConnectionError";
  readonly request: RequestInfo;

  constructor(request: RequestInfo, cause: unknown) {
    super(`${URL.parse(request.url)?.origin ?? request.url} cannot be reached: ${reasonOf(cause)}`, { cause });
    this.request = request;
  }
}

/** Runtimes say only "fetch failed", and hide why behind it. */
function reasonOf(cause: unknown): string {
  let reason = String(cause);
  for (let error = cause; error instanceof Error; error = error.cause) {
    const code = (error as { code?: unknown }).code;
    reason = error.message || (typeof code === "string" ? code : reason);
  }
  return reason;
}
