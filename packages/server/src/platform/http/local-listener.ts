import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import type { FastifyInstance } from "fastify";
import { maxOpenFiles } from "../process/index.ts";
import { boundPipelines } from "./bound-pipelines.ts";

/**
 * Serves commands of this machine without TLS, at a port of the loopback interface: the certificate names the service as
 * others reach it, and its authority may be unknown here.
 */
export async function listenLocally(
  http: FastifyInstance,
): Promise<{ readonly address: string; readonly close: () => Promise<void> }> {
  const serve = boundPipelines((request, response) => http.routing(request, response));
  const server = createServer({ requireHostHeader: false, headersTimeout: 30_000 }, serve);
  server.requestTimeout = 0;
  // Beside those of the service's own address.
  server.maxConnections = Math.floor(maxOpenFiles() / 8);
  await new Promise<void>((resolve, reject) => server.once("error", reject).listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  const close = () =>
    new Promise<void>((resolve) => {
      server.close(() => resolve());
      server.closeAllConnections();
    });
  return { address: `http://127.0.0.1:${port}`, close };
}
