import type { NetworkLimits } from "../../../platform/network/index.ts";
import type { AgentHost } from "../driver.ts";
import { Silence } from "../read-timeout.ts";
import { ModelError } from "./model-error.ts";

/** Goes to the model by the way the host allows, and gives up on one that says nothing for too long, or does not stop. */
export function modelFetch(
  fetch: AgentHost["fetch"],
  { connectSeconds, readSeconds }: NetworkLimits,
): typeof globalThis.fetch {
  return async (input, init) => {
    const silence = new Silence(complaints);
    silence.expectSound(connectSeconds + readSeconds);
    const signals = [silence.signal, ...(init?.signal ? [init.signal] : [])];
    try {
      // A redirect could take the key elsewhere.
      const response = await fetch(String(input), { ...init, redirect: "error", signal: AbortSignal.any(signals) });
      return silence.listenTo(response, readSeconds);
    } catch (error) {
      silence.end();
      throw error;
    }
  };
}

const complaints = {
  silent: (seconds: number) =>
    new ModelError("model_unavailable", `The model did not answer within ${seconds} seconds.`, { isPassing: true }),
  endless: () => new ModelError("model_answer", "The model's answer does not end."),
};
