import { once } from "node:events";
import { connect } from "node:net";
import { text } from "node:stream/consumers";
import { expect, test } from "vitest";
import { createTestApp } from "../../support/test-app.ts";

const service = await createTestApp();
const address = await service.http.listen({ host: "127.0.0.1", port: 0 });
const port = Number(new URL(address).port);
const asked = (path: string, rest = "") => `GET ${path} HTTP/1.1\r\nHost: localhost\r\n${rest}\r\n`;

test("requests on one connection that nobody reads the answers of end it, before they fill the memory", async () => {
  const socket = connect({ port, host: "127.0.0.1" });
  socket.on("error", () => undefined);
  await once(socket, "connect");
  socket.write(asked("/api/v1/openapi.json").repeat(1_000));
  const { promise: isOver, resolve } = Promise.withResolvers<void>();
  service.http.server.getConnections((_, count) => {
    expect(count).toBe(1);
    // Nothing is read: only the other side can end it.
    const look = () => service.http.server.getConnections((_, left) => (left === 0 ? resolve() : setImmediate(look)));
    look();
  });
  await isOver;
  socket.destroy();
});

test("a few requests on one connection are answered one after the other", async () => {
  const socket = connect({ port, host: "127.0.0.1" });
  socket.write(asked("/healthz").repeat(30) + asked("/healthz", "Connection: close\r\n"));
  expect((await text(socket)).match(/HTTP\/1\.1 200 OK/g)).toHaveLength(31);
});

test.each(["GET", "HEAD", "OPTIONS"])("%s of the address '*' is malformed, and no page", async (method) => {
  const socket = connect({ port, host: "127.0.0.1" });
  socket.write(`${method} * HTTP/1.1\r\nHost: localhost\r\nAccept: text/html\r\nConnection: close\r\n\r\n`);
  expect(await text(socket)).toMatch(/^HTTP\/1\.1 400 /);
});
