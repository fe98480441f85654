import { once } from "node:events";
import { createServer } from "node:net";

/**
 * Below what systems give out themselves: a free port of those may be somebody else's before a program listens on it. Nor do
 * deployments over ssh choose among these.
 */
const [first, last] = [10_000, 19_999];
let next = first + ((process.pid * 101) % (last - first));

/** A port for a program that is told where to listen. */
export async function freePort(): Promise<number> {
  for (;;) {
    next = next < last ? next + 1 : first;
    const server = createServer().listen(next, "127.0.0.1");
    const isFree = await once(server, "listening").then(
      () => true,
      () => false,
    );
    if (!isFree) continue;
    server.close();
    await once(server, "close");
    return next;
  }
}
