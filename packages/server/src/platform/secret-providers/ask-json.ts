import { messageOf } from "../errors/index.ts";
import { readWholeAnswer } from "../network/index.ts";
import { ProviderFailure } from "../secrets/index.ts";

/** Fetches from addresses of the operator. */
export type Dial = (url: string, init?: RequestInit) => Promise<Response>;

export interface JsonAnswer {
  readonly status: number;
  readonly body: unknown;
}

const maxAnswerBytes = 1024 * 1024;

/** Calls a provider's API; throws a ProviderFailure that says neither what was sent nor what came back. */
export async function askJson(dial: Dial, url: string, init: RequestInit, timeoutMs: number): Promise<JsonAnswer> {
  const signal = AbortSignal.timeout(timeoutMs);
  try {
    const response = await dial(url, { ...init, signal });
    const text = await readWholeAnswer(response, { maxBytes: maxAnswerBytes, tooLong });
    // What stands in the way, such as a proxy, answers with pages; their status says enough.
    return { status: response.status, body: response.status === 200 ? JSON.parse(text) : null };
  } catch (error) {
    if (error instanceof ProviderFailure) throw error;
    if (error instanceof SyntaxError) throw new ProviderFailure("its answer is not JSON.");
    if (signal.aborted) throw notAnswered(timeoutMs, error);
    throw new ProviderFailure(`it cannot be reached (${reasonOf(error)}).`, { isTransient: true, cause: error });
  }
}

export function unexpectedStatus(status: number): ProviderFailure {
  const isTransient = status === 429 || status >= 500;
  return new ProviderFailure(`it answered with the status ${status}.`, { isTransient });
}

export function notAnswered(timeoutMs: number, cause: unknown): ProviderFailure {
  return new ProviderFailure(`it did not answer within ${timeoutMs / 1000} s.`, { isTransient: true, cause });
}

function tooLong(): ProviderFailure {
  return new ProviderFailure("its answer is too long.");
}

/** Network errors hide their reason in `cause`. */
function reasonOf(error: unknown): string {
  const { cause = error } = error as { cause?: unknown };
  const { code } = cause as { code?: unknown };
  return typeof code === "string" ? code : messageOf(cause);
}
