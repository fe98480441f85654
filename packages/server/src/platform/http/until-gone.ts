import type { Call } from "./handlers.ts";

/** Aborted once the client has left or has its whole answer. */
export function untilGone({ raw }: Call["reply"]): AbortSignal {
  const gone = new AbortController();
  // Whoever left while we looked at the request: no event will tell of it any more.
  if (raw.closed) gone.abort();
  // On the response, not the connection, which may serve many waits and would collect a listener for each.
  else raw.once("close", () => gone.abort());
  return gone.signal;
}
