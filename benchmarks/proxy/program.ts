/** Instances of all versions of an application, each on a port of its own. */
import { once } from "node:events";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { serve } from "./messages.ts";

const servers = new Map<string, Server>();

serve({
  "program open": async ({ name, failEvery }) => {
    const body = JSON.stringify({ name, text: "x".repeat(200) });
    const headers = { "content-type": "application/json", "content-length": Buffer.byteLength(body) };
    let requests = 0;
    const server = createServer({ keepAliveTimeout: 60_000 }, (_request, response) => {
      requests += 1;
      response.writeHead(failEvery !== undefined && requests % failEvery === 0 ? 500 : 200, headers).end(body);
    });
    server.listen(0, "127.0.0.1");
    await once(server, "listening");
    const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    servers.set(origin, server);
    return origin;
  },
  "program die": ({ origin }) => {
    servers.get(origin)?.close().closeAllConnections();
    servers.delete(origin);
    return null;
  },
});
