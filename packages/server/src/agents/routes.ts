import type { Agent } from "@slipway/contract";
import type { Database } from "../database/index.ts";
import { type Handlers, type Principal, pageOf, pageRequest, readsAllProjects } from "../http/index.ts";
import { Refusal } from "../refusal.ts";
import { type AgentActivity, showStatus } from "./activity.ts";
import { type AgentRow, findAgent, selectActivity, selectAgents, selectOwned } from "./store.ts";

/** Who fills roles, and what they are at. */
export function agentRoutes({
  db,
}: {
  readonly db: Database;
}): Pick<Handlers, "listAgents" | "readAgent" | "readAgentStatus"> {
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
      const [activity] = await selectActivity(db, [params.agent_id]);
      return { status: 200, body: showStatus(activity!, await readable(db, [activity!], principal)) };
    },
  };
}

async function showAgents(db: Database, rows: readonly AgentRow[], principal: Principal): Promise<Agent[]> {
  const activities = await selectActivity(
    db,
    rows.map(({ id }) => id),
  );
  const mayRead = await readable(db, activities, principal);
  return rows.map(({ id, name, kind, capabilities, created_at }) => {
    const activity = activities.find((one) => one.id === id)!;
    return {
      ...showStatus(activity, mayRead),
      name,
      kind,
      capabilities,
      slots: activity.slots,
      created_at: created_at.toISOString(),
    };
  });
}

/** Whether the caller may know that an agent works for a project. */
async function readable(
  db: Database,
  activities: readonly AgentActivity[],
  principal: Principal,
): Promise<(projectId: string) => boolean> {
  if (readsAllProjects(principal)) return () => true;
  const projects = activities.flatMap(({ running }) => running.map(({ projectId }) => projectId));
  const own = await selectOwned(db, projects, principal.userId);
  return (projectId) => own.has(projectId);
}

async function requireAgent(db: Database, id: string): Promise<AgentRow> {
  const agent = await findAgent(db, id);
  if (agent === undefined) throw new Refusal("not_found", `There is no agent ${id}.`);
  return agent;
}
