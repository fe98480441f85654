import type { Database } from "../../../platform/database/index.ts";
import { Refusal } from "../../../platform/errors/index.ts";
import type { Principal } from "../../../platform/http/index.ts";
import { requireReadable } from "../../projects/index.ts";
import { requireAgent } from "../require-agent.ts";
import { type AgentRunRow, findLatestRun } from "./store.ts";

interface Asked {
  readonly params: { readonly agent_id: string };
  readonly query: { readonly project?: string; readonly task?: string };
  readonly principal: Principal;
}

/** The agent's latest run for the query, if the caller may read its project. */
export async function requireRun(db: Database, { params, query, principal }: Asked): Promise<AgentRunRow> {
  const { id, name } = await requireAgent(db, params.agent_id);
  if (!principal.scopes.has("projects:read")) {
    throw new Refusal("forbidden", "This needs the scope 'projects:read', too: it shows what belongs to a project.", {
      headers: { "www-authenticate": 'Bearer realm="slipway", error="insufficient_scope", scope="projects:read"' },
    });
  }
  const { project, task } = query;
  if (project !== undefined) await requireReadable(db, project, principal);
  const run = await findLatestRun(db, { agentId: id, projectId: project, taskId: task, principal });
  if (run === undefined)
    throw new Refusal("not_found", `The agent '${name}' has not been given anything yet that you may see.`);
  return run;
}
