import type { AgentCard, TaskState } from "@a2a-js/sdk";
import type { Client } from "@a2a-js/sdk/client";
import { parseJson } from "../../../platform/bounded-json.ts";
import { messageOf } from "../../../platform/errors/index.ts";
import { oneLine } from "../../../platform/one-line.ts";
import { withoutEndSlashes } from "../../../platform/without-end-slashes.ts";
import { A2aError } from "./a2a-error.ts";

export interface Connection {
  readonly client: Client;
  readonly card: AgentCard;
  readonly isStreaming: boolean;
  /** A state by its name in the protocol. */
  readonly nameOf: (state: TaskState | undefined) => string;
}

const wellKnown = ".well-known/agent-card.json";
const legacyCompat = { enabled: true };

/** Reads the agent's card and picks a transport that both sides support. */
export async function connect(
  url: string,
  fetch: typeof globalThis.fetch,
  signal: AbortSignal | undefined,
): Promise<Connection> {
  // Loaded when first needed: most installations never speak it.
  const [{ ClientFactory, DefaultAgentCardResolver, JsonRpcTransportFactory, RestTransportFactory }, { TaskState }] =
    await Promise.all([import("@a2a-js/sdk/client"), import("@a2a-js/sdk")]);
  const transport = { fetchImpl: fetch, legacyCompat };
  const resolver = new DefaultAgentCardResolver({ fetchImpl: fetch, legacyCompat });
  const factory = new ClientFactory({
    transports: [new JsonRpcTransportFactory(transport), new RestTransportFactory(transport)],
    cardResolver: resolver,
    // An agent that does not stream answers at once, and we poll it.
    clientConfig: { polling: true },
  });
  const read = await readCard(cardUrl(url), fetch, signal);
  try {
    const card = resolver.normalizeAgentCard(read);
    const client = await factory.createFromAgentCard(card);
    const nameOf = (state: TaskState | undefined) => TaskState[state ?? 0] ?? "";
    return { client, card, isStreaming: card.capabilities?.streaming === true, nameOf };
  } catch (error) {
    if (error instanceof A2aError) throw error;
    // Of a card with values of other types, the library says no more than JavaScript does.
    const why = error instanceof TypeError ? "it is not what the protocol says." : oneLine(messageOf(error), 500);
    const message = `The agent's card cannot be used: ${why}`;
    throw new A2aError("agent_card", message, { cause: error });
  }
}

function cardUrl(url: string): string {
  return url.endsWith(".json") ? url : `${withoutEndSlashes(url)}/${wellKnown}`;
}

async function readCard(url: string, fetch: typeof globalThis.fetch, signal: AbortSignal | undefined) {
  const response = await fetch(url, { headers: { accept: "application/json" }, ...(signal && { signal }) });
  if (!response.ok) {
    await response.body?.cancel();
    throw new A2aError("agent_card", `There is no agent card at ${url} (status ${response.status}).`);
  }
  const card = parseJson(await response.text())?.value;
  if (typeof card === "object" && card !== null) return card;
  throw new A2aError("agent_card", `The document at ${url} is not an agent card.`);
}
