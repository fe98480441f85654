import type { Problem, ProblemCode } from "@slipway/contract";

/** The request that failed. */
export interface RequestInfo {
  readonly method: string;
  readonly url: string;
}

interface AnswerOfError extends Pick<SlipwayError, "status" | "problem" | "retryAfterMs"> {
  /** The address that answered: another one where the request was redirected. */
  readonly answeredBy?: string;
  /** Empty if the response has none. */
  readonly mediaType?: string;
}

/** The server answered with an error status, or something else than a service answered. */
export class SlipwayError extends Error {
  override readonly name = "SlipwayError";
  readonly request: RequestInfo;
  readonly status: number;
  /** The problem in the response; undefined if something else answered, such as a proxy. */
  readonly problem: Problem | undefined;
  /** How long the server asks to wait before a retry. */
  readonly retryAfterMs: number | undefined;

  constructor(request: RequestInfo, answer: AnswerOfError) {
    const { status, problem } = answer;
    super(problem?.detail ?? describe(request, answer));
    this.request = request;
    this.status = status;
    this.problem = problem;
    this.retryAfterMs = answer.retryAfterMs;
  }

  get code(): ProblemCode | undefined {
    return this.problem?.code;
  }

  /** Whether every retry would be refused, too. */
  get isRefusal(): boolean {
    return this.status >= 400 && this.status < 500 && !this.isTransient;
  }

  get isNotFound(): boolean {
    return this.status === 404;
  }

  /** Whether the token is missing, invalid or insufficient. */
  get isDenied(): boolean {
    return this.status === 401 || this.status === 403;
  }

  get isConflict(): boolean {
    return this.code === "conflict";
  }

  /** Whether a retry may succeed. */
  get isTransient(): boolean {
    return this.code === "request_in_flight" || [408, 429, 502, 503, 504].includes(this.status);
  }
}

/** The options of a call do not make a valid request. */
export class UnsendableError extends Error {
  override readonly name = "UnsendableError";
}

/** There was no response, or an incomplete one. */
export class ConnectionError extends Error {
  override readonly name = "ConnectionError";
  readonly request: RequestInfo;

  constructor(request: RequestInfo, cause: unknown) {
    super(`Cannot reach ${originOf(request.url)}: ${reasonOf(cause)}`, { cause });
    this.request = request;
  }

  /** Whether the time limit ended the attempt. */
  get isTimeout(): boolean {
    return this.cause instanceof Error && this.cause.name === "TimeoutError";
  }
}

/** Whether the service refused a call; with a code, whether for that reason. Also true for errors of another copy of this package. */
export function isSlipwayError(error: unknown, code?: ProblemCode): error is SlipwayError {
  return isNamed(error, "SlipwayError") && (code === undefined || (error as SlipwayError).code === code);
}

/** Whether there was no response, or an incomplete one. */
export function isConnectionError(error: unknown): error is ConnectionError {
  return isNamed(error, "ConnectionError");
}

function isNamed(error: unknown, name: string): boolean {
  return error instanceof Error && error.name === name;
}

function describe({ url }: RequestInfo, { status, mediaType, answeredBy }: AnswerOfError): string {
  const isLedAway = answeredBy !== undefined && originOf(answeredBy) !== originOf(url);
  const who = isLedAway ? `${url} leads to ${originOf(answeredBy)}, which` : url;
  const what = mediaType ? `${status} with ${mediaType}` : String(status);
  return `${who} answered ${what}, but not like a Slipway service. Is the address correct?`;
}

/** Not `URL.parse`, which Node 20 lacks. */
function originOf(url: string): string {
  try {
    return new URL(url).origin;
  } catch {
    return url;
  }
}

/** The innermost cause: runtimes report only "fetch failed" at the top. */
function reasonOf(cause: unknown): string {
  let reason = String(cause);
  for (let error = cause; error instanceof Error; error = error.cause) {
    const code = (error as { code?: unknown }).code;
    reason = error.message || (typeof code === "string" ? code : reason);
  }
  return reason;
}
