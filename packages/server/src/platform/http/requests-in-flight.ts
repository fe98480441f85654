import type { HttpServer } from "./http-server.ts";

const maxDrainMs = 25_000;

/** Counts the requests under way, so that stopping can wait for them. */
export class RequestsInFlight {
  isDraining = false;
  #count = 0;
  #onNone: (() => void) | undefined;

  watch(http: HttpServer): void {
    http.addHook("onRequest", async (_request, reply) => {
      this.#count += 1;
      // Also when the client goes away before it is answered.
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
    const impatience = setTimeout(resolve, maxDrainMs);
    await promise;
    clearTimeout(impatience);
  }
}
