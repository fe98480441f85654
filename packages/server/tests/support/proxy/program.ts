/** A program of a release in a process of its own: says its name, or half of an answer. Its argument is the name. */
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";

const server = createServer({ keepAliveTimeout: 60_000 }, (request, response) => {
  if (request.url === "/half") response.writeHead(200, { "content-length": 100 }).write("half");
  else if (request.url !== "/silent") response.end(process.argv[2]);
});
server.listen(0, "127.0.0.1", () => process.stdout.write(`${(server.address() as AddressInfo).port}\n`));
