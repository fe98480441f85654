import type { IncomingMessage } from "node:http";
import type { FastifyInstance } from "fastify";
import { Refusal } from "../errors/index.ts";

/** Until a body that is read as a whole must have arrived. */
const maxBodyMs = 30_000;
/** A streamed body may take long, but may neither pause for this long nor be slower than this on average. */
const maxSilenceMs = 30_000;
const minBytesPerSecond = 1024;

/** Enforces timeouts on request bodies, so that no client holds a connection by sending a byte now and then. */
export class BodyTimes {
  readonly #timers = new WeakMap<IncomingMessage, NodeJS.Timeout>();
  #server: FastifyInstance["server"] | undefined;

  /** Ends connections whose request has not arrived in time, unless `steady` streams it. */
  watch({ server }: FastifyInstance): void {
    this.#server = server;
    server.on("request", (request) => this.#expect(request));
    server.on("checkExpectation", (request) => this.#expect(request));
  }

  /** Streams a body as long as it keeps coming. The part that the handler leaves unread has the usual timeout. */
  async *steady(request: IncomingMessage): AsyncGenerator<Uint8Array> {
    clearTimeout(this.#timers.get(request));
    // Destroying the request with its iterator would close the connection before the answer is sent.
    const chunks: AsyncIterator<Uint8Array> = request.iterator({ destroyOnReturn: false });
    const start = performance.now();
    try {
      for (let bytes = 0; ; ) {
        const { value, done } = await withinSilence(chunks.next());
        if (done === true) return;
        bytes += value.length;
        const ms = performance.now() - start;
        if (ms > maxSilenceMs && bytes < (minBytesPerSecond * ms) / 1000)
          throw tooSlow(`The body arrived with less than ${minBytesPerSecond} bytes a second.`);
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
      // The same event that Node emits for its own timeouts.
      this.#server?.emit("clientError", error, socket);
    }, maxBodyMs);
    timer.unref();
    this.#timers.set(request, timer);
    request.once("close", () => clearTimeout(timer));
  }
}

async function withinSilence<T>(next: Promise<T>): Promise<T> {
  const { promise: silence, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(
    () => reject(tooSlow(`No byte of the body arrived for ${maxSilenceMs / 1000} seconds.`)),
    maxSilenceMs,
  );
  // It rejects with the connection, after the race is over.
  next.catch(() => undefined);
  try {
    return await Promise.race([next, silence]);
  } finally {
    clearTimeout(timer);
  }
}

function tooSlow(what: string): Refusal {
  const remedy = "Send it again; upload large files in pieces, which survive a broken connection.";
  return new Refusal("request_timeout", `${what} ${remedy}`, { headers: { connection: "close" } });
}
