import { setImmediate as nextTurn } from "node:timers/promises";
import { AnswerMeasure } from "./answer-measure.ts";

export interface ReadTimeoutErrors {
  timedOut(seconds: number): Error;
  tooLong(): Error;
  tooComplex(): Error;
}

/** A library handles all events of a piece before anybody else gets a turn. */
const pieceBytes = 8 * 1024;

/** Ends a response that sends nothing for too long, or more than a library can read without holding others up. */
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

  /** The same response; each of its chunks must arrive in time. A stream is read event by event, all else as a whole. */
  watch(response: Response, seconds: number, { isStream }: { readonly isStream: boolean }): Response {
    this.restart(seconds);
    if (response.body === null) return response;
    const measure = new AnswerMeasure({ isStream });
    const watched = new TransformStream<Uint8Array, Uint8Array>({
      transform: async (chunk, controller) => {
        this.restart(seconds);
        const problem = measure.add(chunk);
        if (problem !== undefined) {
          this.end();
          return controller.error(problem === "too long" ? this.#errors.tooLong() : this.#errors.tooComplex());
        }
        for (let from = 0; from < chunk.length; from += pieceBytes) {
          controller.enqueue(chunk.subarray(from, from + pieceBytes));
          await nextTurn();
        }
      },
      flush: () => this.end(),
    });
    return new Response(response.body.pipeThrough(watched), response);
  }
}
