const maxBytes = 64 * 1024 * 1024;

export interface ReadTimeoutErrors {
  timedOut(seconds: number): Error;
  tooLong(): Error;
}

/** Ends a response that sends nothing for too long, or more than `maxBytes`. */
export class ReadTimeout {
  readonly #errors: ReadTimeoutErrors;
  readonly #abort = new AbortController();
  #timer: NodeJS.Timeout | undefined;

  constructor(errors: ReadTimeoutErrors) {
    this.#errors = errors;
  }

  /** Aborted when nothing has arrived in time. */
  get signal(): AbortSignal {
    return this.#abort.signal;
  }

  restart(seconds: number): void {
    clearTimeout(this.#timer);
    const giveUp = () => this.#abort.abort(this.#errors.timedOut(seconds));
    this.#timer = setTimeout(giveUp, seconds * 1000).unref();
  }

  end(): void {
    clearTimeout(this.#timer);
  }

  /** The same response; each of its chunks must arrive in time. */
  watch(response: Response, seconds: number): Response {
    this.restart(seconds);
    if (response.body === null) return response;
    let bytes = 0;
    const watched = new TransformStream<Uint8Array, Uint8Array>({
      transform: (chunk, controller) => {
        this.restart(seconds);
        bytes += chunk.byteLength;
        if (bytes > maxBytes) controller.error(this.#errors.tooLong());
        else controller.enqueue(chunk);
      },
      flush: () => this.end(),
    });
    return new Response(response.body.pipeThrough(watched), response);
  }
}
