import { request as httpRequest, type IncomingMessage } from "node:http";
import { request as httpsRequest } from "node:https";
import { ConnectionError } from "@slipway/client";

/** A body, and the headers that it is posted with. */
export interface Posting {
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** What came of it. A receiver that took too long gave no answer, whatever it said after. */
export type Answer = {
  readonly ms: number;
} & (
  | { readonly is: "answer"; readonly status: number }
  | { readonly is: "silence"; readonly why: string; readonly isConnected: boolean }
);

/** As long as the service waits. */
const longestMs = 15_000;
const mostRead = 64 * 1024;

/** Posts to a receiver as the service does: exactly these headers and bytes, no redirect, a connection of its own. */
export async function post(url: URL, posting: Posting, signal: AbortSignal, limitMs = longestMs): Promise<Answer> {
  const startedAt = performance.now();
  const limit = AbortSignal.timeout(limitMs);
  const ms = () => Math.round(performance.now() - startedAt);
  try {
    const response = await send(url, posting, AbortSignal.any([signal, limit]));
    await readSome(response);
    return { is: "answer", status: response.statusCode ?? 0, ms: ms() };
  } catch (error) {
    signal.throwIfAborted();
    if (limit.aborted) return { is: "silence", why: `no answer in ${limitMs / 1000} s`, isConnected: true, ms: ms() };
    const { message } = new ConnectionError({ method: "POST", url: url.href }, error);
    return { is: "silence", why: message, isConnected: !isUnreachable(error), ms: ms() };
  }
}

function send(url: URL, { headers, body }: Posting, signal: AbortSignal): Promise<IncomingMessage> {
  const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>();
  const bytes = Buffer.from(body, "utf8");
  const request = url.protocol === "https:" ? httpsRequest : httpRequest;
  const all = { ...withoutHop(headers), "content-length": String(bytes.length) };
  request(url, { method: "POST", headers: all, agent: false, signal })
    .on("response", resolve)
    // Also after the answer: a receiver may say no before it has read everything, and close.
    .on("error", reject)
    .end(bytes);
  return promise;
}

/** What is about one connection, and not about what is sent over it. */
function withoutHop(headers: Posting["headers"]): Record<string, string> {
  const hop = ["host", "content-length", "connection", "transfer-encoding"];
  return Object.fromEntries(Object.entries(headers).filter(([name]) => !hop.includes(name.toLowerCase())));
}

async function readSome(response: IncomingMessage): Promise<void> {
  let read = 0;
  // Leaving the loop ends the connection.
  for await (const chunk of response) {
    read += (chunk as Buffer).length;
    if (read > mostRead) return;
  }
}

function isUnreachable(error: unknown): boolean {
  const { code, syscall } = error as NodeJS.ErrnoException;
  return syscall === "connect" || syscall === "getaddrinfo" || /CERT|TLS|SSL|SIGNED/.test(code ?? "");
}
