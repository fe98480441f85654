import type { HttpServer } from "./http-server.ts";

const maxDrainMs = 25_000;

/** Counts the requests in flight, so that a stopping service can wait for them. */
export class RequestsInFlight {
  isDraining = false;
  #count = 0;
  #onNone: (() => void) | undefined;

  watch(http: HttpServer): void {
    http.addHook("onRequest", async (_request, reply) => {
      this.#count += 1;
      // Also emitted when the client leaves before the answer.
      reply.raw.once("close", () => {
        this.#count -= 1;
        if (this.#count === 0) this.#onNone?.();
      });
    });
  }

  async drain(): Promise<void> {
    this.isDraining = true;
    if (this.#count === 0) return;
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#onNone = resolve;
    const timer = setTimeout(resolve, maxDrainMs);
    await promise;
    clearTimeout(timer);
  }
}
