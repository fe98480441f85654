const maxBytes = 64 * 1024 * 1024;

/** What is said of somebody who does not answer, or does not stop. */
export interface Complaints {
  silent(seconds: number): Error;
  endless(): Error;
}

/** Gives up on somebody on the network who says nothing for too long, or does not stop. */
export class Silence {
  readonly #complaints: Complaints;
  readonly #abort = new AbortController();
  #timer: NodeJS.Timeout | undefined;

  constructor(complaints: Complaints) {
    this.#complaints = complaints;
  }

  /** Aborted when nothing was heard in time. */
  get signal(): AbortSignal {
    return this.#abort.signal;
  }

  expectSound(seconds: number): void {
    clearTimeout(this.#timer);
    const giveUp = () => this.#abort.abort(this.#complaints.silent(seconds));
    this.#timer = setTimeout(giveUp, seconds * 1000).unref();
  }

  end(): void {
    clearTimeout(this.#timer);
  }

  /** The answer, listened to: each of its pieces must come in time. */
  listenTo(response: Response, seconds: number): Response {
    this.expectSound(seconds);
    if (response.body === null) return response;
    let bytes = 0;
    const watched = new TransformStream<Uint8Array, Uint8Array>({
      transform: (chunk, controller) => {
        this.expectSound(seconds);
        bytes += chunk.byteLength;
        if (bytes > maxBytes) controller.error(this.#complaints.endless());
        else controller.enqueue(chunk);
      },
      flush: () => this.end(),
    });
    return new Response(response.body.pipeThrough(watched), response);
  }
}
