import { createServer, type IncomingMessage, request, type ServerResponse } from "node:http";
import { type AddressInfo, connect, type Socket } from "node:net";
import type { Duplex } from "node:stream";
import type { FlowsToCarryOut } from "./messages.ts";

/** Starts a proxy that lets requests through to the software alone, redirected ones and WebSockets included; gives its port. */
export async function startProxy({
  ports,
  socketFolder,
}: Pick<FlowsToCarryOut, "ports" | "socketFolder">): Promise<number> {
  /** Where to connect for an address; undefined if nobody may. */
  const wayTo: WayTo = (host, port) => {
    if (host !== "127.0.0.1" || !ports.includes(port)) return undefined;
    return socketFolder === undefined ? { host, port } : { path: `${socketFolder}/${port}` };
  };
  const server = createServer({ keepAliveTimeout: 1_000 }, (asked, answer) => forward(wayTo, asked, answer));
  server.on("connect", (asked: IncomingMessage, socket: Duplex, head: Buffer) => tunnel(wayTo, asked, socket, head));
  server.on("clientError", (_error, socket) => socket.destroy());
  server.maxConnections = maxConnections;
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return (server.address() as AddressInfo).port;
}

const maxConnections = 500;

type WayTo = (host: string, port: number) => { host: string; port: number } | { path: string } | undefined;

function forward(wayTo: WayTo, asked: IncomingMessage, answer: ServerResponse): void {
  const url = URL.parse(asked.url ?? "");
  const way = url?.protocol === "http:" ? wayTo(url.hostname, Number(url.port || 80)) : undefined;
  if (url === null || way === undefined) {
    // No answer at all: the page must not take ours for that of somebody else.
    answer.destroy();
    return;
  }
  const { "proxy-connection": _, ...headers } = asked.headers;
  const place = "path" in way ? { socketPath: way.path } : way;
  const onwards = request({ ...place, path: url.pathname + url.search, method: asked.method, headers, agent: false });
  onwards.on("response", (answered) => {
    answer.writeHead(answered.statusCode ?? 502, answered.headers);
    answered.on("error", () => answer.destroy()).pipe(answer);
  });
  // As if nobody proxied: a software that does not answer is seen as such.
  onwards.on("error", () => answer.destroy());
  answer.on("close", () => onwards.destroy());
  asked.on("error", () => onwards.destroy()).pipe(onwards);
}

function tunnel(wayTo: WayTo, asked: IncomingMessage, socket: Duplex, head: Buffer): void {
  const [, host = "", port = ""] = /^(.*):(\d{1,5})$/.exec(asked.url ?? "") ?? [];
  const way = wayTo(host, Number(port));
  if (way === undefined) {
    socket.destroy();
    return;
  }
  const onwards: Socket = connect(way, () => {
    socket.write("HTTP/1.1 200 Connection established\r\n\r\n");
    onwards.write(head);
    socket.pipe(onwards).pipe(socket);
  });
  onwards.on("error", () => socket.destroy());
  socket.on("error", () => onwards.destroy());
  socket.on("close", () => onwards.destroy());
}
