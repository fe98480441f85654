import type { Agent } from "@slipway/contract";
import { type AgentRow, deleteRegisteredAgent, drainAgent, insertAgent } from "../../agents/index.ts";
import { agentQueue, countJobs, revokeJobs } from "../../engine/jobs/index.ts";
import type { Clock } from "../../platform/clock.ts";
import type { Database } from "../../platform/database/index.ts";
import { Refusal } from "../../platform/errors/index.ts";
import type { Handlers, Principal, Transact } from "../../platform/http/index.ts";
import { newId } from "../../platform/ids.ts";
import { recordChange } from "../audit/index.ts";
import { requireRegistrable } from "./register-agent.ts";
import { noSuchAgent, requireAgent } from "./require-agent.ts";
import { showAgents } from "./show-agents.ts";

export interface ManageDeps {
  readonly db: Database;
  readonly clock: Clock;
  readonly transact: Transact;
  /** Called after an agent was registered, deleted or drained. */
  readonly onAgentsChanged: () => void;
  /** Called after tasks were revoked from the agents that run them. */
  readonly onTakenBack: () => void;
}

/** Registers, deletes and restarts agents. */
export function manageRoutes(deps: ManageDeps): Pick<Handlers, "registerAgent" | "deleteAgent" | "restartAgent"> {
  const { db, clock, transact } = deps;
  return {
    registerAgent: async (call) => {
      const { name, capabilities = [], slots = 1 } = call.body;
      const { kind, url } = requireRegistrable(call.body);
      const id = newId("agent", clock.now().getTime());
      const answer = await transact(call, async (trx) => {
        const added = { id, name, kind, url, slots, registered_by: call.principal.userId };
        const row = await insertAgent(trx, { ...added, capabilities: [...new Set(capabilities)] });
        if (row === undefined) throw new Refusal("conflict", `An agent '${name}' already exists.`);
        await recordChange(trx, clock, call, { action: "agent.register", target: id, detail: { name, kind } });
        const headers = { location: `/api/v1/agents/${id}` };
        return { status: 201, body: await showOne(trx, row, call.principal), headers };
      });
      deps.onAgentsChanged();
      return answer;
    },

    deleteAgent: async (call) => {
      const { agent_id: id } = call.params;
      const { name, registered_by } = await requireAgent(db, id);
      if (registered_by === null)
        throw new Refusal("conflict", `The agent '${name}' is declared in the config file of a node: remove it there.`);
      const force = call.query.force ?? false;
      const answer = await transact(call, async (trx) => {
        const queue = agentQueue(id);
        const tasks = (await countJobs(trx, [queue])).get(queue) ?? 0;
        if (tasks > 0 && !force)
          throw new Refusal("conflict", `The agent '${name}' still has tasks (${tasks}); force=true ends them.`);
        if (!(await deleteRegisteredAgent(trx, id))) throw noSuchAgent(id);
        await revokeJobs(trx, queue);
        await recordChange(trx, clock, call, { action: "agent.delete", target: id, detail: { name, force } });
        return { status: 204 };
      });
      deps.onAgentsChanged();
      deps.onTakenBack();
      return answer;
    },

    restartAgent: async (call) => {
      const { agent_id: id } = call.params;
      const force = call.body.force ?? false;
      const answer = await transact(call, async (trx) => {
        const row = await drainAgent(trx, id);
        if (row === undefined) throw noSuchAgent(id);
        // The nodes that run them notice that they lost the jobs, and stop.
        if (force) await revokeJobs(trx, agentQueue(id));
        await recordChange(trx, clock, call, { action: "agent.restart", target: id, detail: { force } });
        return { status: 202, body: await showOne(trx, row, call.principal) };
      });
      deps.onAgentsChanged();
      if (force) deps.onTakenBack();
      return answer;
    },
  };
}

async function showOne(db: Database, row: AgentRow, principal: Principal): Promise<Agent> {
  const [agent] = await showAgents(db, [row], principal);
  return agent!;
}
