import type { Agent, AgentLog } from "@slipway/contract";
import type { Caller } from "./caller.ts";
import { resumingStream, type StreamOptions } from "./resuming-stream.ts";

/** What happens to agents, and what they say. Each connection begins with all: lines told before are told again. */
export type AgentChange =
  | { readonly kind: "agents"; readonly agents: readonly Agent[] }
  | { readonly kind: "agent"; readonly agent: Agent }
  | { readonly kind: "gone"; readonly agentId: string }
  | { readonly kind: "log"; readonly log: AgentLog };

/** Yields every agent, then each that changes, and what agents say of their tasks. It never ends by itself. */
export function watchAgents(caller: Caller, options: StreamOptions = {}): AsyncGenerator<AgentChange, never, void> {
  return resumingStream(
    caller,
    {
      after: "",
      isKnown: () => false,
      open: (call) => caller.send("listAgents", call),
      read: ({ event, data }): AgentChange | undefined => {
        if (event === "agent") return { kind: "agent", agent: JSON.parse(data) as Agent };
        if (event === "agents") return { kind: "agents", agents: (JSON.parse(data) as { agents: Agent[] }).agents };
        if (event === "gone") return { kind: "gone", agentId: (JSON.parse(data) as { agent_id: string }).agent_id };
        if (event === "log") return { kind: "log", log: JSON.parse(data) as AgentLog };
        return undefined;
      },
    },
    options,
  );
}
