import type { IncomingMessage } from "node:http";
import type { FastifyInstance } from "fastify";
import { Refusal } from "../errors/index.ts";

/** A body that is read as a whole must be here after so long. */
const maxMs = 30_000;
/** One that is taken as it comes may take long, but not be silent for so long, nor slower than this all in all. */
const maxSilenceMs = 30_000;
const minBytesPerSecond = 1024;

/** Sees to it that bodies arrive: nobody holds a connection by sending a byte now and then. */
export class BodyTimes {
  readonly #timers = new WeakMap<IncomingMessage, NodeJS.Timeout>();
  #server: FastifyInstance["server"] | undefined;

  /** Cuts connections off whose request is not here after the time, unless it is taken as it comes. */
  watch({ server }: FastifyInstance): void {
    this.#server = server;
    server.on("request", (request) => this.#expect(request));
    server.on("checkExpectation", (request) => this.#expect(request));
  }

  /** The body, as long as it keeps coming. What is left of it when nobody wants more is waited for as any other. */
  async *steady(request: IncomingMessage): AsyncGenerator<Uint8Array> {
    clearTimeout(this.#timers.get(request));
    // Left as it is at the end: ended with its reader, it would take the connection with it, and the answer.
    const chunks: AsyncIterator<Uint8Array> = request.iterator({ destroyOnReturn: false });
    const start = performance.now();
    try {
      for (let bytes = 0; ; ) {
        const { value, done } = await withinSilence(chunks.next());
        if (done === true) return;
        bytes += value.length;
        const ms = performance.now() - start;
        if (ms > maxSilenceMs && bytes < (minBytesPerSecond * ms) / 1000)
          throw tooSlow(`The body came with less than ${minBytesPerSecond} bytes a second.`);
        yield value;
      }
    } finally {
      this.#expect(request);
    }
  }

  #expect(request: IncomingMessage): void {
    const { headers, complete, socket } = request;
    const hasBody = headers["transfer-encoding"] !== undefined || Number(headers["content-length"] ?? 0) > 0;
    if (!hasBody || complete) return;
    const timer = setTimeout(() => {
      if (request.complete || socket.destroyed) return;
      const error = Object.assign(new Error("The request timed out."), { code: "ERR_HTTP_REQUEST_TIMEOUT" });
      // As Node says it of what it limits itself.
      this.#server?.emit("clientError", error, socket);
    }, maxMs);
    timer.unref();
    this.#timers.set(request, timer);
    request.once("close", () => clearTimeout(timer));
  }
}

async function withinSilence<T>(next: Promise<T>): Promise<T> {
  const { promise: silence, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(
    () => reject(tooSlow(`Nothing of the body came for ${maxSilenceMs / 1000} seconds.`)),
    maxSilenceMs,
  );
  // It ends with the connection, when nobody waits for it any more.
  next.catch(() => undefined);
  try {
    return await Promise.race([next, silence]);
  } finally {
    clearTimeout(timer);
  }
}

function tooSlow(what: string): Refusal {
  const remedy = "Send it again; what is large is best uploaded in pieces, which stay when a connection breaks.";
  return new Refusal("request_timeout", `${what} ${remedy}`, { headers: { connection: "close" } });
}
