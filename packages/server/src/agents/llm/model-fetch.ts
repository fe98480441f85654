import type { AgentHost } from "../agent-run.ts";
import { ModelError } from "./model-error.ts";
import type { NetworkLimits } from "./network-limits.ts";

const mostBytes = 64 * 1024 * 1024;

/** Goes to the model by the way the host allows, and gives up on one that says nothing for too long, or does not stop. */
export function modelFetch(
  fetch: AgentHost["fetch"],
  { connectSeconds, readSeconds }: NetworkLimits,
): typeof globalThis.fetch {
  return async (input, init) => {
    const silence = new Silence();
    silence.expectSound(connectSeconds + readSeconds);
    const signals = [silence.signal, ...(init?.signal ? [init.signal] : [])];
    try {
      // A redirect could take the key elsewhere.
      const response = await fetch(String(input), { ...init, redirect: "error", signal: AbortSignal.any(signals) });
      silence.expectSound(readSeconds);
      if (response.body === null) return response;
      return new Response(response.body.pipeThrough(watched(silence, readSeconds)), response);
    } catch (error) {
      silence.end();
      throw error;
    }
  };
}

function watched(silence: Silence, readSeconds: number): TransformStream<Uint8Array, Uint8Array> {
  let bytes = 0;
  return new TransformStream({
    transform: (chunk, controller) => {
      silence.expectSound(readSeconds);
      bytes += chunk.byteLength;
      if (bytes > mostBytes) controller.error(new ModelError("model_answer", "The model's answer does not end."));
      else controller.enqueue(chunk);
    },
    flush: () => silence.end(),
  });
}

/** Aborts when nothing was heard in time. */
class Silence {
  readonly #abort = new AbortController();
  #timer: NodeJS.Timeout | undefined;

  get signal(): AbortSignal {
    return this.#abort.signal;
  }

  expectSound(seconds: number): void {
    clearTimeout(this.#timer);
    const message = `The model did not answer within ${seconds} seconds.`;
    const error = new ModelError("model_unavailable", message, { isPassing: true });
    this.#timer = setTimeout(() => this.#abort.abort(error), seconds * 1000).unref();
  }

  end(): void {
    clearTimeout(this.#timer);
  }
}
