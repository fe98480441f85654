import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import { whenDone } from "./when-done.ts";

export interface Heard {
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingMessage["headers"];
  readonly body: Readonly<Record<string, unknown>>;
}

/** What somebody else's server answers; nothing: it never does. */
export interface Said {
  readonly status: number;
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
}

/** Somebody else's server on this machine: notes what it hears, and answers as it is told to. */
export async function startOthersServer(answer: (heard: Heard, nth: number) => Said | undefined) {
  const heard: Heard[] = [];
  const server = createServer((request, response) => void serve(request, response));
  async function serve(request: IncomingMessage, response: ServerResponse) {
    const raw = await text(request);
    const body = raw === "" ? {} : (JSON.parse(raw) as Heard["body"]);
    const one = { method: request.method ?? "", path: request.url ?? "", headers: request.headers, body };
    heard.push(one);
    const said = answer(one, heard.length);
    if (said === undefined) return;
    const content = said.body ?? "";
    response.writeHead(said.status, said.headers ?? {});
    response.end(typeof content === "string" ? content : JSON.stringify(content));
  }
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  whenDone(() => {
    server.closeAllConnections();
    server.close();
  });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, heard };
}
