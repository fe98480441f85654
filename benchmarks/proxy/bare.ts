/** What our proxy is measured against: undici between two ends and nothing else. Its argument is the program's origin. */
import { createServer, type ServerResponse } from "node:http";
import { createRequire } from "node:module";
import type { AddressInfo } from "node:net";

interface Pool {
  stream(
    options: object,
    factory: (answer: {
      statusCode: number;
      headers: Record<string, string>;
      opaque: ServerResponse;
    }) => ServerResponse,
    done: (error: Error | null) => void,
  ): void;
}
const { Pool } = createRequire(new URL("../../packages/server/package.json", import.meta.url))("undici") as {
  Pool: new (origin: string, options: object) => Pool;
};
const pool = new Pool(process.argv[2]!, { connections: 2_000, pipelining: 1 });
const server = createServer((request, opaque) => {
  const { url: path, method, headers } = request;
  const body = method === "GET" || method === "HEAD" ? null : request;
  pool.stream(
    { path, method, headers, body, opaque },
    (answer) => answer.opaque.writeHead(answer.statusCode, answer.headers),
    (error) => error && opaque.destroy(error),
  );
});
server.listen(0, "127.0.0.1", () =>
  process.stdout.write(`Bare is ready at http://127.0.0.1:${(server.address() as AddressInfo).port}\n`),
);
