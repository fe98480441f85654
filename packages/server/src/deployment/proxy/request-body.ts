import type { IncomingMessage } from "node:http";
import { Readable } from "node:stream";

/**
 * The body of a request on its way to a program. Given the request itself, undici would destroy it when the program answers
 * before it has read all; so the rest is read and thrown away, as a client that still sends must be able to read the answer.
 */
export class RequestBody extends Readable {
  readonly #request: IncomingMessage;

  constructor(request: IncomingMessage) {
    super();
    this.#request = request;
    // The first byte is taken when the program can have it: until then the request could still go elsewhere.
    request.pause();
    request.on("data", this.#onData).on("end", this.#onEnd).on("close", this.#onClose);
  }

  override _read(): void {
    this.#request.resume();
  }

  override _destroy(error: Error | null, done: (error?: Error | null) => void): void {
    this.#request.off("data", this.#onData).off("end", this.#onEnd).off("close", this.#onClose);
    this.#request.resume();
    done(error);
  }

  readonly #onData = (chunk: Buffer) => {
    if (!this.push(chunk)) this.#request.pause();
  };

  readonly #onEnd = () => {
    this.push(null);
  };

  readonly #onClose = () => {
    if (!this.#request.complete) this.destroy(new Error("The client has gone."));
  };
}
