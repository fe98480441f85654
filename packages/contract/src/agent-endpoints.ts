import { type TProperties, Type } from "typebox";
import { withScope } from "./access.ts";
import { Agent, AgentPage, AgentStatusReport } from "./agents.ts";
import { endpoint } from "./endpoint.ts";
import { Id } from "./ids.ts";
import { pageQuery } from "./paging.ts";
import { LogPage } from "./runs.ts";

const agentParams = Type.Object({ agent_id: Id("agent", "The agent's id.") });
const query = <P extends TProperties>(properties: P) => Type.Object(properties, { additionalProperties: false });
const read = { method: "GET", tag: "Agents", access: withScope("agents:read") } as const;

/** Who fills roles, what they are at, and what they wrote. */
export const agentEndpoints = {
  listAgents: endpoint({
    ...read,
    path: "/api/v1/agents",
    summary: "List agents, newest first",
    query: query(pageQuery),
    success: [{ status: 200, description: "A page of agents.", schema: AgentPage }],
    problems: [],
  }),
  readAgent: endpoint({
    ...read,
    path: "/api/v1/agents/{agent_id}",
    summary: "Read an agent",
    params: agentParams,
    success: [{ status: 200, description: "The agent.", schema: Agent }],
    problems: ["not_found"],
  }),
  readAgentStatus: endpoint({
    ...read,
    path: "/api/v1/agents/{agent_id}/status",
    summary: "Read what an agent is at",
    params: agentParams,
    success: [{ status: 200, description: "What it is at.", schema: AgentStatusReport }],
    problems: ["not_found"],
  }),
  readLogs: endpoint({
    method: "GET",
    path: "/api/v1/projects/{project_id}/logs",
    tag: "Runs",
    summary: "Read what agents and programs of a project have written",
    description: "The last lines, or with a cursor those that follow. Secrets are masked.",
    access: withScope("projects:read"),
    params: Type.Object({ project_id: Id("project", "The project's id.") }),
    query: query({
      service: Type.Optional(Type.String({ maxLength: 200, description: "Only this source.", examples: ["agent"] })),
      task: Type.Optional(
        Type.String({ maxLength: 1000, description: "Only of this task.", examples: ["login-form"] }),
      ),
      agent: Type.Optional(
        Type.String({ maxLength: 100, description: "Only of this agent.", examples: ["agent_01kaw3v9t2h5m8q1x7zc"] }),
      ),
      tail: Type.Optional(
        Type.Integer({ minimum: 1, maximum: 10_000, default: 200, description: "How many lines at most." }),
      ),
      cursor: pageQuery.cursor,
    }),
    success: [{ status: 200, description: "Lines, in order.", schema: LogPage }],
    problems: ["not_found"],
  }),
} as const;
