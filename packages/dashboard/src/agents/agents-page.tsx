import { client } from "../data/client.ts";
import { useList } from "../data/use-list.ts";
import { Listing } from "../parts/listing.tsx";
import { useTitle } from "../parts/use-title.ts";
import { useAddress } from "../routing/router.tsx";
import { AgentCard } from "./agent-card.tsx";

/** Every agent: what it is at, how busy it is, what it can do and what it cost. */
export function AgentsPage() {
  useTitle("Agents");
  const wanted = useAddress().searchParams.get("agent") ?? "";
  const list = useList("agents/list", async (page) => {
    const { agents, next_cursor } = await client.call("listAgents", { query: page });
    return { items: agents, next: next_cursor };
  });
  return (
    <div class="page">
      <h1>Agents</h1>
      <Listing
        list={list}
        empty={
          <p>
            No agents. A config file declares them, or <code>slipway agents register</code> adds one.
          </p>
        }
      >
        <div class="cards">
          {list.items.map((agent) => (
            <AgentCard key={agent.agent_id} agent={agent} isWanted={agent.agent_id === wanted} />
          ))}
        </div>
      </Listing>
    </div>
  );
}
