/** Takes what is posted, and tells how much and how late: a process of its own, as a receiver is. */
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";

let count = 0;
let delaysMs: number[] = [];

const server = createServer((request, response) => {
  if (request.url === "/hang") return;
  if (request.url === "/told") {
    response.end(JSON.stringify({ count, delaysMs }));
    if (request.method === "DELETE") {
      count = 0;
      delaysMs = [];
    }
    return;
  }
  let text = "";
  request.setEncoding("utf8");
  request.on("data", (chunk: string) => {
    text += chunk;
  });
  request.on("end", () => {
    count += 1;
    const [, timestamp = ""] = /"timestamp":"([^"]+)"/.exec(text) ?? [];
    if (delaysMs.length < 100_000) delaysMs.push(Date.now() - Date.parse(timestamp));
    response.writeHead(204).end();
  });
});
server.keepAliveTimeout = 60_000;
server.listen(0, "127.0.0.1", () => {
  process.stdout.write(`Receiver is ready at http://127.0.0.1:${(server.address() as AddressInfo).port}\n`);
});
