import type { Socket } from "node:net";

/** What Node's parser takes for: what follows is not HTTP. */
const notHttp = 2;

/**
 * Ends a connection that has sent too many requests at once. Node makes requests of all that has arrived, some thousands
 * in 64 KB, also when the connection has ended. Its parser stops only where a request changes the protocol; where it has
 * no such property, they cost time and memory for a moment.
 */
export function endPipeline(socket: Socket & { readonly parser?: { onIncoming: unknown } | null }): void {
  socket.destroy();
  if (socket.parser) socket.parser.onIncoming = () => notHttp;
}
