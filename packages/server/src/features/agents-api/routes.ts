import { selectAgents, showStatus } from "../../agents/index.ts";
import { type Handlers, pageOf, pageRequest } from "../../platform/http/index.ts";
import type { RepositoryDeps } from "./inspection/project-repository.ts";
import { inspectionRoutes } from "./inspection/routes.ts";
import { type ManageDeps, manageRoutes } from "./manage-routes.ts";
import { readActivity } from "./read-activity.ts";
import { requireAgent } from "./require-agent.ts";
import { readable, showAgents } from "./show-agents.ts";

type AgentHandlers = Pick<Handlers, "listAgents" | "readAgent" | "readAgentStatus"> &
  ReturnType<typeof manageRoutes> &
  ReturnType<typeof inspectionRoutes>;

/** Lists, inspects and manages agents. */
export function agentRoutes(deps: ManageDeps & RepositoryDeps): AgentHandlers {
  const { db } = deps;
  return {
    listAgents: async ({ query, principal }) => {
      const page = pageRequest(query, /^agent_/);
      const { items, nextCursor } = pageOf(await selectAgents(db, page), page, ({ id }) => id);
      return { status: 200, body: { agents: await showAgents(db, items, principal), next_cursor: nextCursor } };
    },
    readAgent: async ({ params, principal }) => {
      const [agent] = await showAgents(db, [await requireAgent(db, params.agent_id)], principal);
      return { status: 200, body: agent };
    },
    readAgentStatus: async ({ params, principal }) => {
      await requireAgent(db, params.agent_id);
      const [activity] = await readActivity(db, [params.agent_id]);
      return { status: 200, body: showStatus(activity!, await readable(db, [activity!], principal)) };
    },
    ...manageRoutes(deps),
    ...inspectionRoutes(deps),
  };
}
