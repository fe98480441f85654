import { readAnswerStart } from "../../platform/network/index.ts";
import { oneLine } from "../../platform/one-line.ts";
import { timeLimit } from "../../platform/time-limit.ts";

/** A request to the started software. */
export interface ProbeRequest {
  readonly method: string;
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  /** Sent as JSON; left out: no body. */
  readonly body?: unknown;
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
}

/** What was sent and what came back. */
export interface Exchange {
  readonly method: string;
  readonly url: string;
  readonly sent: { readonly headers: Readonly<Record<string, string>>; readonly body?: string };
  readonly answer?: ProbeAnswer;
  /** Why there is no answer. */
  readonly failure?: string;
  readonly durationMs: number;
}

export interface ProbeAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly cookies: readonly string[];
  /** At most the first 1 MiB. */
  readonly text: string;
}

/** A program may send without end. */
const maxBodyBytes = 1024 * 1024;

/** Programs that answer only what they take for a check must not recognise one: these are common clients. */
const userAgents = ["curl/8.5.0", "python-requests/2.32.3", "Go-http-client/1.1", "okhttp/4.12.0", "axios/1.7.9"];

/** Sends one request, without following redirects; never rejects but for the signal. */
export async function exchange(request: ProbeRequest): Promise<Exchange> {
  const { method, url, timeoutMs, signal } = request;
  const body = request.body === undefined ? undefined : JSON.stringify(request.body);
  const headers = {
    "user-agent": userAgents[Math.floor(Math.random() * userAgents.length)]!,
    ...(body !== undefined && { "content-type": "application/json" }),
    ...lowerCased(request.headers),
  };
  const sent = { headers, ...(body !== undefined && { body }) };
  const startedAt = performance.now();
  const ended = (rest: Pick<Exchange, "answer" | "failure">): Exchange => ({
    ...{ method, url, sent, ...rest },
    durationMs: Math.round(performance.now() - startedAt),
  });
  const limit = timeLimit(timeoutMs);
  try {
    const answer = await fetch(url, {
      ...{ method, headers, redirect: "manual", signal: AbortSignal.any([limit, signal]) },
      ...(body !== undefined && { body }),
    });
    const text = await readAnswerStart(answer, maxBodyBytes);
    const cookies = answer.headers.getSetCookie();
    return ended({ answer: { status: answer.status, headers: Object.fromEntries(answer.headers), cookies, text } });
  } catch (error) {
    signal.throwIfAborted();
    if (limit.aborted) return ended({ failure: `no answer within ${timeoutMs / 1000} s` });
    return ended({ failure: describeFailure(error) });
  }
}

function describeFailure(error: unknown): string {
  const cause = error instanceof Error ? (error.cause ?? error) : error;
  const { code, message } = cause as { code?: unknown; message?: unknown };
  if (code === "ECONNREFUSED") return "the connection was refused";
  if (code === "ECONNRESET" || code === "UND_ERR_SOCKET") return "the connection was closed without an answer";
  // It may quote a token that the software has given, and is masked after it was cut.
  return oneLine(String(message ?? error), 200);
}

function lowerCased(headers: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));
}
