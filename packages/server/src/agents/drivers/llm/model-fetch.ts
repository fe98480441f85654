import type { NetworkLimits } from "../../../platform/network/index.ts";
import type { AgentHost } from "../driver.ts";
import { ReadTimeout } from "../read-timeout.ts";
import { ModelError } from "./model-error.ts";

/** Calls the model through the host's fetch; ends an answer that is too slow or too long. */
export function modelFetch(
  fetch: AgentHost["fetch"],
  { connectSeconds, readSeconds }: NetworkLimits,
): typeof globalThis.fetch {
  return async (input, init) => {
    const timeout = new ReadTimeout(errors);
    timeout.restart(connectSeconds + readSeconds);
    const signals = [timeout.signal, ...(init?.signal ? [init.signal] : [])];
    try {
      // A redirect could take the key elsewhere.
      const response = await fetch(String(input), { ...init, redirect: "error", signal: AbortSignal.any(signals) });
      // The library asks for streams alone, and reads the answer as one unless its status is an error.
      return timeout.watch(response, readSeconds, { isStream: response.ok });
    } catch (error) {
      timeout.end();
      throw error;
    }
  };
}

const errors = {
  timedOut: (seconds: number) =>
    new ModelError("model_unavailable", `The model did not answer within ${seconds} seconds.`, { isTemporary: true }),
  tooLong: () => new ModelError("model_answer", "The model's answer is too long, or does not end."),
  tooComplex: () =>
    new ModelError("model_answer", "The model's answer is nested too deeply, or holds too many values."),
};
