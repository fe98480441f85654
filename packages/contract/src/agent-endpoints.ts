import { type TProperties, Type } from "typebox";
import { withScope } from "./access.ts";
import {
  Agent,
  AgentContext,
  AgentPage,
  AgentStatusReport,
  AgentVision,
  RegisterAgent,
  RestartAgent,
} from "./agents.ts";
import { endpoint } from "./endpoint.ts";
import { Id } from "./ids.ts";
import { pageQuery } from "./paging.ts";

const agentParams = Type.Object({ agent_id: Id("agent", "The agent's id.") });
const query = <P extends TProperties>(properties: P) => Type.Object(properties, { additionalProperties: false });
const read = { method: "GET", tag: "Agents", access: withScope("agents:read") } as const;
const manage = { tag: "Agents", access: withScope("agents:manage") } as const;

/** Which of the agent's attempts is looked at: without these, its latest that you may see. */
const ofRun = {
  project: Type.Optional(
    Type.String({
      maxLength: 100,
      description: "Its latest for this project.",
      examples: ["proj_01kaw3v9t2h5m8q1x7zc"],
    }),
  ),
  task: Type.Optional(
    Type.String({ maxLength: 1000, description: "Its latest at this task.", examples: ["login-form"] }),
  ),
};

/** Who fills roles, what they are at, what they were given, and what they wrote. */
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
  registerAgent: endpoint({
    ...manage,
    method: "POST",
    path: "/api/v1/agents",
    summary: "Register an agent",
    description: "Agents of kind `worker` and `a2a`. Those of other kinds are declared in the config file of a node.",
    body: RegisterAgent,
    success: [{ status: 201, description: "The agent.", schema: Agent, headers: ["Location"] }],
    problems: ["conflict", "invalid_body"],
  }),
  deleteAgent: endpoint({
    ...manage,
    method: "DELETE",
    path: "/api/v1/agents/{agent_id}",
    summary: "Delete an agent that was registered",
    params: agentParams,
    query: query({
      force: Type.Optional(
        Type.Boolean({ default: false, description: "Also while it has tasks; what it is at is ended." }),
      ),
    }),
    success: [{ status: 204, description: "It is gone." }],
    problems: ["not_found", "conflict"],
  }),
  restartAgent: endpoint({
    ...manage,
    method: "POST",
    path: "/api/v1/agents/{agent_id}/restart",
    summary: "Restart an agent",
    description: "It finishes what it is at and takes nothing new; then it is tried out, and is there again.",
    params: agentParams,
    body: RestartAgent,
    success: [{ status: 202, description: "The agent, which is draining.", schema: Agent }],
    problems: ["not_found", "invalid_body"],
  }),
  readAgentContext: endpoint({
    ...read,
    path: "/api/v1/agents/{agent_id}/context",
    summary: "Read what an agent was given: task, prompt, files, limits, tokens used",
    description: "Needs the scope `projects:read`, too. Only of projects that you may read.",
    params: agentParams,
    query: query(ofRun),
    success: [{ status: 200, description: "What it was given.", schema: AgentContext }],
    problems: ["not_found", "forbidden"],
  }),
  readAgentVision: endpoint({
    ...read,
    path: "/api/v1/agents/{agent_id}/vision",
    summary: "Read a file as an agent sees it: as it was given, and what it changed",
    description:
      "Needs the scope `projects:read`, too. Images (PNG, JPEG, GIF, WebP) are answered as images with `as=image` or `Accept: image/*`.",
    params: agentParams,
    query: query({
      file: Type.String({
        minLength: 1,
        maxLength: 4000,
        description: "The file, from the project's folder on.",
        examples: ["src/index.ts"],
      }),
      as: Type.Optional(Type.Enum(["json", "image"], { description: "How to answer; without it, as `Accept` says." })),
      side: Type.Optional(
        Type.Enum(["base", "current"], { default: "current", description: "Which of the two, of an image." }),
      ),
      ...ofRun,
    }),
    headers: { Accept: "`image/*`: an image is answered as such." },
    success: [
      {
        status: 200,
        description: "The file.",
        schema: AgentVision,
        mediaTypes: ["image/png", "image/jpeg", "image/gif", "image/webp"],
        optionalHeaders: ["Content-Disposition"],
      },
    ],
    problems: ["not_found", "forbidden", "invalid_parameter"],
  }),
} as const;
