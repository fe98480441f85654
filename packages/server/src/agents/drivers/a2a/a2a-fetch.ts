import { type NetworkLimits, readRetryAfter } from "../../../platform/network/index.ts";
import type { AgentHost } from "../driver.ts";
import { ReadTimeout } from "../read-timeout.ts";
import { A2aError } from "./a2a-error.ts";

export interface A2aAddress {
  /** The only origin that is called: a card could lead anywhere, and take the key with it. */
  readonly origin: string;
  readonly key: string | undefined;
}

/** Errors after which the request has certainly not arrived. */
const notArrived = ["ECONNREFUSED", "ENOTFOUND", "EAI_AGAIN", "UND_ERR_CONNECT_TIMEOUT"];
const busy = [429, 502, 503, 504];

/** Calls the agent through the host's fetch; ends an answer that is too slow or too long. */
export function a2aFetch(
  fetch: AgentHost["fetch"],
  { connectSeconds, readSeconds }: NetworkLimits,
  { origin, key }: A2aAddress,
): typeof globalThis.fetch {
  return async (input, init) => {
    const url = new URL(input instanceof Request ? input.url : input);
    if (url.origin !== origin)
      throw new A2aError("agent_card", `The agent's card leads to ${url.origin}, but the agent is at ${origin}.`);
    const headers = new Headers(init?.headers);
    if (key !== undefined) headers.set("authorization", `Bearer ${key}`);
    const timeout = new ReadTimeout(errors);
    timeout.restart(connectSeconds + readSeconds);
    const signal = AbortSignal.any([timeout.signal, ...(init?.signal ? [init.signal] : [])]);
    try {
      // A redirect could take the key elsewhere.
      const response = await fetch(url.href, { ...init, headers, signal, redirect: "error" });
      await requireAccepted(response, key);
      return timeout.watch(response, readSeconds, { isStream: isStream(headers, response) });
    } catch (error) {
      timeout.end();
      throw signal.aborted || error instanceof A2aError ? (signal.reason ?? error) : unreachable(error);
    }
  };
}

/** Whether the library reads the answer event by event. */
function isStream(asked: Headers, { ok, headers }: Response): boolean {
  const type = "text/event-stream";
  return ok && asked.get("accept") === type && headers.get("content-type")?.startsWith(type) === true;
}

/** Refuses the answers that any proxy before the agent could give, whatever the protocol. */
async function requireAccepted(response: Response, key: string | undefined): Promise<void> {
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
    const details = { isTemporary: true, mayHaveArrived: false, retryAfterMs };
    throw new A2aError("agent_unavailable", `The agent answered with status ${status}.`, details);
  }
}

function unreachable(error: unknown): A2aError {
  const { message, cause } = error as Error;
  const reason = cause instanceof Error && cause.message !== "" ? cause.message : message;
  const code = (cause as NodeJS.ErrnoException | undefined)?.code ?? (error as NodeJS.ErrnoException).code ?? "";
  return new A2aError("agent_unavailable", `The agent cannot be reached: ${reason}`, {
    isTemporary: true,
    mayHaveArrived: !notArrived.includes(code),
    cause: error,
  });
}

const errors = {
  timedOut: (seconds: number) => {
    const message = `The agent did not answer within ${Math.round(seconds * 10) / 10} seconds.`;
    return new A2aError("agent_unavailable", message, { isTemporary: true });
  },
  tooLong: () => new A2aError("agent_answer", "The agent's answer is too long, or does not end."),
  tooComplex: () => new A2aError("agent_answer", "The agent's answer is nested too deeply, or holds too many values."),
};
