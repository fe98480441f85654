import { readAnswerStart, readRetryAfter } from "../../platform/network/index.ts";
import { timeLimit } from "../../platform/time-limit.ts";
import type { NoticeOutcome } from "./notice.ts";

/** The answer, or why there is none. */
export type Answered =
  | {
      readonly is: "answered";
      readonly status: number;
      /** Cut off, without control characters. */
      readonly body: string;
      readonly retryAfterMs: number | undefined;
    }
  | Extract<NoticeOutcome, { readonly is: "failed" }>;

export interface CallOptions {
  readonly fetch: (url: string, init: RequestInit) => Promise<Response>;
  /** Until the whole answer is read. */
  readonly wholeMs: number;
  readonly signal: AbortSignal;
  readonly headers?: Readonly<Record<string, string>>;
  readonly now: () => Date;
}

const maxBytes = 256 * 1024;

/** Calls another service with JSON. The errors never contain the address: Slack's is a secret. */
export async function call(
  { fetch, wholeMs, signal, headers = {}, now }: CallOptions,
  method: "GET" | "POST" | "PUT",
  url: string,
  body?: unknown,
): Promise<Answered> {
  try {
    const response = await fetch(url, {
      method,
      headers: {
        ...headers,
        accept: "application/json",
        ...(body !== undefined && { "content-type": "application/json" }),
      },
      signal: AbortSignal.any([signal, timeLimit(wholeMs)]),
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    return {
      is: "answered",
      status: response.status,
      body: await readText(response),
      retryAfterMs: readRetryAfter(response.headers.get("retry-after") ?? undefined, now().getTime()),
    };
  } catch (error) {
    signal.throwIfAborted();
    return { is: "failed", ...explain(error as Error, wholeMs) };
  }
}

async function readText(response: Response): Promise<string> {
  const text = await readAnswerStart(response, maxBytes);
  return text.replace(/[\p{Cc}]+/gu, " ").trim();
}

function explain(error: Error, wholeMs: number): { reason: string; isFinal: boolean } {
  if (error.name === "TimeoutError") return { reason: `It did not answer within ${wholeMs / 1000} s.`, isFinal: false };
  const cause = (error.cause ?? error) as NodeJS.ErrnoException;
  if (error.name === "DialRefusal" || cause.name === "DialRefusal")
    return { reason: "Its address is not one that may be called: it must be https and public.", isFinal: true };
  if (error.name === "TypeError" && error.cause === undefined)
    return { reason: "Its address is not valid.", isFinal: true };
  return { reason: `It cannot be reached${cause.code === undefined ? "" : ` (${cause.code})`}.`, isFinal: false };
}
