import type { IncomingMessage, RequestListener, ServerResponse } from "node:http";
import type { Socket } from "node:net";
import { endPipeline } from "../end-pipeline.ts";

/** Requests of one connection that wait for the answers before theirs; programs that people use send none. */
const maxWaiting = 32;

/** Ends connections that send requests on and on and read no answer: each of them takes memory until it is answered. */
export function boundPipelines(serve: RequestListener): RequestListener {
  const waiting = new WeakMap<Socket, number>();
  const mayWait = ({ socket }: IncomingMessage, response: ServerResponse): boolean => {
    if (socket.destroyed) return false;
    const count = (waiting.get(socket) ?? 0) + 1;
    if (count > maxWaiting) endPipeline(socket);
    waiting.set(socket, count);
    response.once("close", () => waiting.set(socket, waiting.get(socket)! - 1));
    return !socket.destroyed;
  };
  return (request, response) => {
    // Node has given it the connection: none is before it.
    if (response.socket !== null || mayWait(request, response)) serve(request, response);
  };
}
