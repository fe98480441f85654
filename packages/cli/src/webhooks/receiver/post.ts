import { request as httpRequest, type IncomingMessage } from "node:http";
import { request as httpsRequest } from "node:https";
import { ConnectionError } from "@slipway/client";

/** The headers and the body of a POST. */
export interface Posting {
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** The receiver's answer; `silence` if it took too long or could not be reached. */
export type Answer = {
  readonly ms: number;
} & (
  | { readonly is: "answer"; readonly status: number }
  | { readonly is: "silence"; readonly why: string; readonly isConnected: boolean }
);

/** As long as the service waits. */
const maxWaitMs = 15_000;
const maxReadBytes = 64 * 1024;

/** Posts to a receiver as the service does: exactly these headers and bytes, no redirects, a new connection. */
export async function post(url: URL, posting: Posting, signal: AbortSignal, limitMs = maxWaitMs): Promise<Answer> {
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
    // Also after the answer: a receiver may refuse before it has read everything, and close the connection.
    .on("error", reject)
    .end(bytes);
  return promise;
}

/** Without the headers that belong to one connection. */
function withoutHop(headers: Posting["headers"]): Record<string, string> {
  const hop = ["host", "content-length", "connection", "transfer-encoding"];
  return Object.fromEntries(Object.entries(headers).filter(([name]) => !hop.includes(name.toLowerCase())));
}

async function readSome(response: IncomingMessage): Promise<void> {
  let read = 0;
  // Leaving the loop ends the connection.
  for await (const chunk of response) {
    read += (chunk as Buffer).length;
    if (read > maxReadBytes) return;
  }
}

function isUnreachable(error: unknown): boolean {
  const { code, syscall } = error as NodeJS.ErrnoException;
  return syscall === "connect" || syscall === "getaddrinfo" || /CERT|TLS|SSL|SIGNED/.test(code ?? "");
}
