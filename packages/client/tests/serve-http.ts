import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import { onTestFinished } from "vitest";

export interface Received {
  readonly method: string;
  readonly url: string;
  readonly headers: IncomingMessage["headers"];
  readonly body: string;
}

interface FakeServer {
  readonly url: string;
  /** What was asked of it, in order. */
  readonly received: Received[];
}

/** A server on this machine that answers as the test says; gone after the test. */
export async function serveHttp(
  answer: (request: Received, response: ServerResponse, count: number) => void,
): Promise<FakeServer> {
  const received: Received[] = [];
  const server = createServer(async (request, response) => {
    const { method = "", url = "", headers } = request;
    const seen = { method, url, headers, body: await text(request) };
    received.push(seen);
    answer(seen, response, received.length);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, received };
}

export function sendJson(
  response: ServerResponse,
  status: number,
  body: unknown,
  headers: Record<string, string> = {},
) {
  const type = status < 400 ? "application/json; charset=utf-8" : "application/problem+json";
  response.writeHead(status, { "content-type": type, ...headers }).end(JSON.stringify(body));
}

export function sendProblem(response: ServerResponse, status: number, code: string, headers?: Record<string, string>) {
  sendJson(response, status, { status, code, detail: `It is ${code}.`, title: code }, headers);
}
