import { connect } from "node:net";
import { expect, test } from "vitest";
import { only, startProgram, startProxy } from "../../support/proxy/stage.ts";

const smuggled = "GET /smuggled HTTP/1.1\r\nhost: a\r\n\r\n";
const chunkedSmuggled = `0\r\n\r\n${smuggled}`;

test.for([
  [
    "a length and chunks",
    `POST / HTTP/1.1\r\nhost: a\r\ncontent-length: 4\r\ntransfer-encoding: chunked\r\n\r\n${chunkedSmuggled}`,
  ],
  [
    "chunks and a length",
    `POST / HTTP/1.1\r\nhost: a\r\ntransfer-encoding: chunked\r\ncontent-length: 4\r\n\r\n${chunkedSmuggled}`,
  ],
  ["two lengths", `POST / HTTP/1.1\r\nhost: a\r\ncontent-length: 0\r\ncontent-length: 38\r\n\r\n${smuggled}`],
  ["a list of lengths", `POST / HTTP/1.1\r\nhost: a\r\ncontent-length: 0, 38\r\n\r\n${smuggled}`],
  ["a signed length", `POST / HTTP/1.1\r\nhost: a\r\ncontent-length: +38\r\n\r\n${smuggled}`],
  [
    "a coding that looks like chunked",
    `POST / HTTP/1.1\r\nhost: a\r\ntransfer-encoding: xchunked\r\n\r\n${chunkedSmuggled}`,
  ],
  [
    "chunked, but not last",
    `POST / HTTP/1.1\r\nhost: a\r\ntransfer-encoding: chunked, identity\r\n\r\n${chunkedSmuggled}`,
  ],
  [
    "a coding before chunked",
    `POST / HTTP/1.1\r\nhost: a\r\ntransfer-encoding: gzip, chunked\r\n\r\n${chunkedSmuggled}`,
  ],
  [
    "chunked twice",
    `POST / HTTP/1.1\r\nhost: a\r\ntransfer-encoding: chunked\r\ntransfer-encoding: chunked\r\n\r\n${chunkedSmuggled}`,
  ],
  ["a space before the colon", `POST / HTTP/1.1\r\nhost: a\r\ntransfer-encoding : chunked\r\n\r\n${chunkedSmuggled}`],
  ["a folded header", `POST / HTTP/1.1\r\nhost: a\r\nx: y\r\n transfer-encoding: chunked\r\n\r\n${chunkedSmuggled}`],
  ["a bare line feed", `POST / HTTP/1.1\r\nhost: a\nx: y\r\n\r\n${smuggled}`],
  ["a bare carriage return", `GET / HTTP/1.1\r\nhost: a\r\nx: y\rz: 1\r\n\r\n${smuggled}`],
  ["a null in a value", `GET / HTTP/1.1\r\nhost: a\r\nx: y\0z\r\n\r\n${smuggled}`],
  [
    "a chunk with a wrong end",
    `POST / HTTP/1.1\r\nhost: a\r\ntransfer-encoding: chunked\r\n\r\n1\r\naX\r\n0\r\n\r\n${smuggled}`,
  ],
  [
    "a chunk's length that is none",
    `POST / HTTP/1.1\r\nhost: a\r\ntransfer-encoding: chunked\r\n\r\n0x1\r\na\r\n${chunkedSmuggled}`,
  ],
  ["two hosts", `GET / HTTP/1.1\r\nhost: a\r\nhost: b\r\n\r\n${smuggled}`],
  ["no host", `GET / HTTP/1.1\r\nx: y\r\n\r\n${smuggled}`],
  ["another server's address", `GET http://b/ HTTP/1.1\r\nhost: a\r\n\r\n${smuggled}`],
  ["no path", `OPTIONS * HTTP/1.1\r\nhost: a\r\n\r\n${smuggled}`],
  ["a tunnel", `CONNECT b:80 HTTP/1.1\r\nhost: a\r\n\r\n${smuggled}`],
  ["a version that is none", `GET / HTTP/9.1\r\nhost: a\r\n\r\n${smuggled}`],
  ["headers without end", `GET / HTTP/1.1\r\nhost: a\r\n${"x: 0123456789\r\n".repeat(2_000)}\r\n${smuggled}`],
])("%s: the request is refused, and nothing behind it reaches the program", async ([, bytes]) => {
  const reached: string[] = [];
  const program = await startProgram((request, response) => {
    reached.push(request.url!);
    request.resume().on("end", () => response.end("reached"));
  });
  const { port } = await startProxy(only("v1", program.origin));
  const text = await exchange(port, bytes!);
  expect(text).toMatch(/^$|^HTTP\/1\.1 (?:400|431|501) [\s\S]*connection: close/i);
  expect(text.match(/^HTTP/gm) ?? []).toHaveLength(text === "" ? 0 : 1);
  expect(reached.filter((url) => url !== "/")).toEqual([]);
});

test("requests on one connection are told apart, whatever their bodies look like", async () => {
  const program = await startProgram(async (request, response) => {
    let body = "";
    for await (const part of request) body += part;
    response.end(`${request.url}:${body}|`);
  });
  const { port } = await startProxy(only("v1", program.origin));
  const bytes = [
    `POST /1 HTTP/1.1\r\nhost: a\r\ncontent-length: ${smuggled.length}\r\n\r\n${smuggled}`,
    `POST /2 HTTP/1.1\r\nhost: a\r\ntransfer-encoding: Chunked\r\n\r\n3;x=y\r\nabc\r\n0\r\nx-sum: 1\r\n\r\n`,
    "GET /3 HTTP/1.1\r\nhost: a\r\ncontent-length: 3\r\n\r\nGET",
    "GET /4 HTTP/1.1\r\nhost: a\r\nconnection: close\r\n\r\n",
  ].join("");
  const text = await exchange(port, bytes);
  expect([...text.matchAll(/\/\d:[^|]*\|/g)].map(([found]) => found)).toEqual([
    `/1:${smuggled}|`,
    "/2:abc|",
    "/3:GET|",
    "/4:|",
  ]);
});

/** What comes back until the end of the connection. */
async function exchange(port: number, bytes: string): Promise<string> {
  const socket = connect(port, "127.0.0.1");
  const { promise, resolve } = Promise.withResolvers<void>();
  let text = "";
  socket.on("data", (part) => {
    text += part.toString("latin1");
  });
  // A refusal may reset the connection: what was sent behind the request is never read.
  socket.on("error", () => undefined).on("close", () => resolve());
  socket.write(bytes, "latin1");
  await promise;
  return text;
}
