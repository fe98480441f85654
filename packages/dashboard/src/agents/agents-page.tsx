import { useTitle } from "../parts/use-title.ts";
import { useAddress } from "../routing/router.tsx";
import { AgentCard } from "./agent-card.tsx";
import { useAgents } from "./use-agents.ts";

/** Every agent: what it is at and says, how busy it is, what it can do and what it cost. */
export function AgentsPage() {
  useTitle("Agents");
  const wanted = useAddress().searchParams.get("agent") ?? "";
  const { agents, logs } = useAgents();
  return (
    <div class="page">
      <h1>Agents</h1>
      {agents === undefined && <p class="faint">Loading…</p>}
      {agents?.length === 0 && (
        <p class="empty">
          No agents. A config file declares them, or <code>slipway agents register</code> adds one.
        </p>
      )}
      <div class="cards">
        {agents?.map((agent) => (
          <AgentCard
            key={agent.agent_id}
            agent={agent}
            log={logs.get(agent.agent_id)}
            isWanted={agent.agent_id === wanted}
          />
        ))}
      </div>
    </div>
  );
}
