import { randomBytes } from "node:crypto";
import type { Agent } from "@slipway/contract";
import { submit, untilEnded } from "../engine/follow.ts";
import { smallDocument, type TestApp } from "../test-app.ts";

interface AgentCall {
  /** What stands in the path: the agent's id. */
  readonly param?: string;
  /** What stands behind the path. */
  readonly search?: string;
  readonly payload?: object;
}

/** How each endpoint about agents is called so that it succeeds, on a service with a scripted agent. */
export function agentCalls(app: TestApp): Readonly<Record<string, () => Promise<AgentCall>>> {
  let worked: Promise<string> | undefined;
  const atHand = async () => {
    const { agents } = (await app.call({ url: "/api/v1/agents?limit=100" })).json<{ agents: Agent[] }>();
    return agents.find(({ registered_by }) => registered_by === null)!.agent_id;
  };
  /** One that has done something already. */
  const hasWorked = () => {
    worked ??= (async () => {
      await untilEnded(app, await submit(app, smallDocument("worked")));
      return atHand();
    })();
    return worked;
  };
  const look = "?task=build-hello";
  return {
    listAgents: async () => ({}),
    readAgent: async () => ({ param: await atHand() }),
    readAgentStatus: async () => ({ param: await atHand() }),
    registerAgent: async () => ({ payload: newAgent() }),
    deleteAgent: async () => ({ param: await register(app) }),
    restartAgent: async () => ({ param: await register(app), payload: { force: true } }),
    readAgentContext: async () => ({ param: await hasWorked(), search: look }),
    readAgentVision: async () => ({ param: await hasWorked(), search: `${look}&file=build-hello.txt` }),
  };
}

/** An agent to register, that is like no other. */
export function newAgent(more: object = {}): { name: string; kind: string } {
  return { name: `worker ${randomBytes(6).toString("hex")}`, kind: "worker", ...more };
}

/** Registers a worker; gives its id. */
export async function register({ call }: Pick<TestApp, "call">, more: object = {}): Promise<string> {
  const answer = await call({ method: "POST", url: "/api/v1/agents", payload: newAgent(more) });
  if (answer.statusCode !== 201) throw new Error(answer.body);
  return answer.json<Agent>().agent_id;
}
