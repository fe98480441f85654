import { type NetworkLimits, readRetryAfter } from "../../../platform/network/index.ts";
import type { AgentHost } from "../driver.ts";
import { Silence } from "../read-timeout.ts";
import { A2aError } from "./a2a-error.ts";

/** Where an agent is, and how one gets in. */
export interface A2aDoor {
  /** The only one that is gone to: a card could lead anywhere, and take the key with it. */
  readonly origin: string;
  readonly key: string | undefined;
}

/** Nobody has heard anything then. */
const unheard = ["ECONNREFUSED", "ENOTFOUND", "EAI_AGAIN", "UND_ERR_CONNECT_TIMEOUT"];
const busy = [429, 502, 503, 504];

/** Goes to the agent by the way the host allows, and gives up on one that says nothing for too long, or does not stop. */
export function a2aFetch(
  fetch: AgentHost["fetch"],
  { connectSeconds, readSeconds }: NetworkLimits,
  { origin, key }: A2aDoor,
): typeof globalThis.fetch {
  return async (input, init) => {
    const url = new URL(input instanceof Request ? input.url : input);
    if (url.origin !== origin)
      throw new A2aError("agent_card", `The agent's card leads to ${url.origin}, but the agent is at ${origin}.`);
    const headers = new Headers(init?.headers);
    if (key !== undefined) headers.set("authorization", `Bearer ${key}`);
    const silence = new Silence(complaints);
    silence.expectSound(connectSeconds + readSeconds);
    const signal = AbortSignal.any([silence.signal, ...(init?.signal ? [init.signal] : [])]);
    try {
      // A redirect could take the key elsewhere.
      const response = await fetch(url.href, { ...init, headers, signal, redirect: "error" });
      await refuse(response, key);
      return silence.listenTo(response, readSeconds);
    } catch (error) {
      silence.end();
      throw signal.aborted || error instanceof A2aError ? (signal.reason ?? error) : unreachable(error);
    }
  };
}

/** What no protocol has to say anything about. */
async function refuse(response: Response, key: string | undefined): Promise<void> {
  const { status } = response;
  if (status === 401 || status === 403) {
    await response.body?.cancel();
    const message =
      key === undefined
        ? `The agent wants a key (status ${status}): name the variable that holds it in 'key_env'.`
        : `The agent does not accept the key (status ${status}).`;
    throw new A2aError("agent_login", message);
  }
  if (busy.includes(status)) {
    await response.body?.cancel();
    const retryAfterMs = readRetryAfter(response.headers.get("retry-after") ?? undefined, Date.now());
    const about = { isPassing: true, mayHaveBeenHeard: false, retryAfterMs };
    throw new A2aError("agent_unavailable", `The agent answered with status ${status}.`, about);
  }
}

function unreachable(error: unknown): A2aError {
  const { message, cause } = error as Error;
  const reason = cause instanceof Error && cause.message !== "" ? cause.message : message;
  const code = (cause as NodeJS.ErrnoException | undefined)?.code ?? (error as NodeJS.ErrnoException).code ?? "";
  return new A2aError("agent_unavailable", `The agent cannot be reached: ${reason}`, {
    isPassing: true,
    mayHaveBeenHeard: !unheard.includes(code),
    cause: error,
  });
}

const complaints = {
  silent: (seconds: number) => {
    const message = `The agent did not answer within ${Math.round(seconds * 10) / 10} seconds.`;
    return new A2aError("agent_unavailable", message, { isPassing: true });
  },
  endless: () => new A2aError("agent_answer", "The agent's answer does not end."),
};
