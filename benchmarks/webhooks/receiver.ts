/**
 * Takes what is posted, and tells how much and how late: a process of its own, as a receiver is. It speaks no more HTTP than it
 * must, so that it is the senders who are measured.
 */
import { type AddressInfo, createServer, type Socket } from "node:net";

let count = 0;
let delaysMs: number[] = [];
const headEnd = Buffer.from("\r\n\r\n");
const lengthName = Buffer.from("content-length: ");
const timestampName = Buffer.from('"timestamp":"');

const server = createServer({ noDelay: true }, (socket) => {
  let rest: Buffer = Buffer.alloc(0);
  socket.on("error", () => socket.destroy());
  socket.on("data", (chunk) => {
    rest = rest.length === 0 ? chunk : Buffer.concat([rest, chunk]);
    for (;;) {
      const bodyStart = rest.indexOf(headEnd) + headEnd.length;
      if (bodyStart < headEnd.length) return;
      const length = lengthOf(rest, bodyStart);
      if (rest.length < bodyStart + length) return;
      answer(socket, rest, bodyStart);
      rest = rest.subarray(bodyStart + length);
    }
  });
});
server.listen(0, "127.0.0.1", () => {
  process.stdout.write(`Receiver is ready at http://127.0.0.1:${(server.address() as AddressInfo).port}\n`);
});

function lengthOf(request: Buffer, bodyStart: number): number {
  const at = request.indexOf(lengthName);
  if (at === -1 || at > bodyStart) return 0;
  return Number.parseInt(request.toString("latin1", at + lengthName.length, at + lengthName.length + 10), 10);
}

function answer(socket: Socket, request: Buffer, bodyStart: number): void {
  const path = request.toString("latin1", 0, request.indexOf("\r\n")).split(" ");
  if (path[1] === "/hang") return;
  if (path[1] === "/told") {
    const text = JSON.stringify({ count, delaysMs });
    if (path[0] === "DELETE") {
      count = 0;
      delaysMs = [];
    }
    socket.write(`HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: ${text.length}\r\n\r\n${text}`);
    return;
  }
  count += 1;
  const at = request.indexOf(timestampName, bodyStart) + timestampName.length;
  if (delaysMs.length < 100_000) delaysMs.push(Date.now() - Date.parse(request.toString("latin1", at, at + 24)));
  socket.write("HTTP/1.1 204 No Content\r\n\r\n");
}
