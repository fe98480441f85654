import { type AgentChange, watchAgents } from "@slipway/client";
import type { Agent, AgentLog } from "@slipway/contract";
import { useEffect, useState } from "preact/hooks";
import { client } from "../data/client.ts";
import { followStream } from "../data/follow-stream.ts";

interface Agents {
  /** Newest first; undefined until all were told. */
  readonly agents: readonly Agent[] | undefined;
  /** The last lines of the task that an agent is at, by the agent's id. */
  readonly logs: ReadonlyMap<string, AgentLog>;
}

const maxLines = 20;

/** Every agent and its last words, by one stream. */
export function useAgents(): Agents {
  const [state, setState] = useState<Agents>({ agents: undefined, logs: new Map() });
  useEffect(
    () =>
      followStream(
        (options) => watchAgents(client, options),
        (change) => setState((before) => applyChange(before, change)),
      ),
    [],
  );
  return state;
}

function applyChange({ agents = [], logs }: Agents, change: AgentChange): Agents {
  switch (change.kind) {
    // A connection begins, and tells the last lines again.
    case "agents":
      return { agents: change.agents, logs: new Map() };
    case "agent": {
      const { agent } = change;
      const others = agents.filter(({ agent_id }) => agent_id !== agent.agent_id);
      // Ids sort by time.
      return { agents: [...others, agent].sort((a, b) => (a.agent_id < b.agent_id ? 1 : -1)), logs };
    }
    case "gone":
      return { agents: agents.filter(({ agent_id }) => agent_id !== change.agentId), logs };
    case "log": {
      const { log } = change;
      return { agents, logs: new Map(logs).set(log.agent_id, append(logs.get(log.agent_id), log)) };
    }
  }
}

function append(before: AgentLog | undefined, log: AgentLog): AgentLog {
  const isSame = before?.project_id === log.project_id && before.task_id === log.task_id;
  return isSame ? { ...log, lines: [...before.lines, ...log.lines].slice(-maxLines) } : log;
}
