import { once } from "node:events";
import { createServer, type RequestListener, type Server } from "node:http";
import { type AddressInfo, createServer as createTcpServer, type Socket } from "node:net";
import { afterEach } from "vitest";
import { type Backend, ReverseProxy, type ReverseProxyOptions } from "../../../src/deployment/proxy/index.ts";

const started: (() => void | Promise<void>)[] = [];

afterEach(async () => {
  // The last first: a proxy before the programs that it asks.
  for (const stop of started.splice(0).reverse()) await stop();
});

/** An instance of a program. */
export interface Program {
  readonly origin: string;
  readonly server: Server;
  /** Takes no connections any more and breaks those it has, as the death of a process does. */
  die(): void;
}

/** A program in this process, ended with the test. */
export async function startProgram(answer: RequestListener): Promise<Program> {
  const server = createServer({ keepAliveTimeout: 60_000 }, answer);
  const sockets = new Set<Socket>();
  server.on("connection", (socket) => {
    sockets.add(socket);
    socket.on("error", () => undefined).on("close", () => sockets.delete(socket));
  });
  const die = () => {
    server.close();
    for (const socket of sockets) socket.resetAndDestroy();
  };
  started.push(die);
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return { origin: originOf(server), server, die };
}

/** A program that answers every request with these bytes, whatever they are. */
export async function startRawProgram(onRequest: (socket: Socket, bytes: Buffer) => void): Promise<string> {
  const sockets = new Set<Socket>();
  const server = createTcpServer((socket) => {
    sockets.add(socket);
    socket.on("error", () => undefined).on("data", (bytes) => onRequest(socket, bytes));
  });
  started.push(() => {
    server.close();
    for (const socket of sockets) socket.destroy();
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return originOf(server);
}

/** A program that says its name, and the path. */
export function startNamed(name: string): Promise<Program> {
  return startProgram((_request, response) => response.setHeader("x-release", name).end(name));
}

export interface Stage {
  readonly proxy: ReverseProxy;
  readonly port: number;
  readonly url: string;
}

/** A proxy on a free port that routes to these releases, ended with the test. */
export async function startProxy(backends: readonly Backend[], options: ReverseProxyOptions = {}): Promise<Stage> {
  const proxy = new ReverseProxy(options);
  started.push(() => proxy.close());
  const port = await proxy.listen({ host: "127.0.0.1", port: 0 });
  proxy.route(backends);
  return { proxy, port, url: `http://127.0.0.1:${port}` };
}

/** All requests to one release. */
export function only(release: string, ...origins: readonly string[]): Backend[] {
  return [{ release, origins, weight: 1 }];
}

function originOf(server: { address(): unknown }): string {
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}
