import { createServer, type IncomingHttpHeaders, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { whenDone } from "../when-done.ts";

export interface Received {
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
  readonly body: {
    event: string;
    timestamp: string;
    project_id: string;
    data: Record<string, unknown>;
    signature: string;
  };
  readonly id: string;
  readonly sequence: number | undefined;
}

/** How a receiver answers; what it leaves open hangs. */
type Answer = (received: Received, response: ServerResponse) => void;

export interface Receiver {
  readonly url: string;
  /** In the order in which they came. */
  readonly received: Received[];
  answer: Answer;
  /** What came at a path. */
  at(path: string): Received[];
  close(): Promise<void>;
}

const accept: Answer = (_received, response) => void response.writeHead(204).end();

/** Somebody else's server that takes webhooks, on this machine. Call it at the top of a test file. */
export async function startReceiver(): Promise<Receiver> {
  const received: Received[] = [];
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    request.on("end", () => {
      const text = Buffer.concat(chunks).toString("utf8");
      const { headers, url: path = "" } = request;
      const sequence = headers["webhook-sequence"];
      const one: Received = {
        path,
        headers,
        text,
        body: JSON.parse(text),
        id: String(headers["webhook-id"]),
        sequence: sequence === undefined ? undefined : Number(sequence),
      };
      received.push(one);
      receiver.answer(one, response);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  const receiver: Receiver = {
    url: `http://127.0.0.1:${port}`,
    received,
    answer: accept,
    at: (path) => received.filter((one) => one.path === path),
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
  whenDone(() => receiver.close());
  return receiver;
}
