import { createServer, type IncomingHttpHeaders } from "node:http";
import type { AddressInfo } from "node:net";
import { buffer } from "node:stream/consumers";
import { onTestFinished } from "vitest";

export interface Received {
  readonly method: string;
  readonly url: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
}

/** What a receiver answers: a status, or nothing at all. */
type Reply = number | { readonly status: number; readonly location: string } | "nothing" | "hang up";

/** A receiver of webhooks on this machine; gone after the test. */
export async function serveReceiver(
  reply: (received: Received) => Reply | Promise<Reply>,
): Promise<{ readonly url: string; readonly received: Received[] }> {
  const received: Received[] = [];
  const server = createServer(async (request, response) => {
    const { method = "", url = "", headers } = request;
    const one = { method, url, headers, body: await buffer(request) };
    received.push(one);
    const answer = await reply(one);
    if (answer === "hang up") response.destroy();
    else if (typeof answer === "object") response.writeHead(answer.status, { location: answer.location }).end();
    else if (answer !== "nothing") response.writeHead(answer).end("told");
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`, received };
}
