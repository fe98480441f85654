import { selectAgents, showStatus } from "../../agents/index.ts";
import { type Handlers, pageOf, pageRequest, versionOfContent } from "../../platform/http/index.ts";
import type { RepositoryDeps } from "./inspection/project-repository.ts";
import { inspectionRoutes } from "./inspection/routes.ts";
import { type ManageDeps, manageRoutes } from "./manage-routes.ts";
import { readActivity } from "./read-activity.ts";
import { requireAgent } from "./require-agent.ts";
import { readable, showAgents } from "./show-agents.ts";
import { type StreamDeps, streamAgents } from "./stream-agents.ts";

type AgentHandlers = Pick<Handlers, "listAgents" | "readAgent" | "readAgentStatus"> &
  ReturnType<typeof manageRoutes> &
  ReturnType<typeof inspectionRoutes>;

/** Lists, inspects and manages agents. */
export function agentRoutes(deps: ManageDeps & RepositoryDeps & StreamDeps): AgentHandlers {
  const { db } = deps;
  return {
    listAgents: async (call) => {
      const { query, principal, request } = call;
      if (request.method === "GET" && request.headers.accept?.includes("text/event-stream")) {
        await streamAgents(deps, call);
        return undefined;
      }
      const page = pageRequest(query, /^agent_/);
      const { items, nextCursor } = pageOf(await selectAgents(db, page), page, ({ id }) => id);
      const agents = await showAgents(db, items, principal);
      const version = versionOfContent([agents.map(withoutClock), nextCursor]);
      return { status: 200, body: { agents, next_cursor: nextCursor }, version };
    },
    readAgent: async ({ params, principal }) => {
      const [agent] = await showAgents(db, [await requireAgent(db, params.agent_id)], principal);
      return { status: 200, body: agent, version: versionOfContent(withoutClock(agent!)) };
    },
    readAgentStatus: async ({ params, principal }) => {
      await requireAgent(db, params.agent_id);
      const [activity] = await readActivity(db, [params.agent_id]);
      const status = showStatus(activity!, await readable(db, [activity!], principal));
      return { status: 200, body: status, version: versionOfContent(withoutClock(status)) };
    },
    ...manageRoutes(deps),
    ...inspectionRoutes(deps),
  };
}

/** These two move with the clock while an agent works: with them, no version would last. */
function withoutClock<T extends { readonly utilization: number; readonly last_activity: string | null }>(agent: T) {
  const { utilization: _, last_activity: __, ...rest } = agent;
  return rest;
}
