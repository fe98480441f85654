import { withScope } from "./access.ts";
import { endpoint, query } from "./endpoint.ts";
import { Id, OptionalTimestamp, Timestamp } from "./ids.ts";
import type { LogPage } from "./logs.ts";
import { IntegerOrNull, StringOrNull } from "./nullable.ts";
import { Page, pageQuery } from "./paging.ts";
import { type Static, Type } from "./schema.ts";
import { TotalUsage, Usage } from "./usage.ts";

export const AgentStatusReport = Type.Object(
  {
    agent_id: Type.String({ description: "The agent's id." }),
    status: Type.Enum(["idle", "busy", "draining", "offline", "error"], { description: "The agent's status." }),
    current_project: StringOrNull("The project it is working on. Null if there is none, or if you cannot read it."),
    current_task: StringOrNull("The task it is working on."),
    utilization: Type.Number({
      minimum: 0,
      maximum: 1,
      description: "The share of the last hour in which it was busy.",
    }),
    last_activity: OptionalTimestamp("When it last started or ended a task."),
  },
  { description: "The status of an agent." },
);

export type AgentStatusReport = Static<typeof AgentStatusReport>;

export const Agent = Type.Object(
  {
    ...AgentStatusReport.properties,
    name: Type.String({ description: "Its display name." }),
    kind: Type.String({
      description: "How the service runs it.",
      examples: ["blueprint", "command", "acp", "llm", "a2a", "worker"],
    }),
    capabilities: Type.Array(Type.String(), { description: "Its capabilities." }),
    slots: Type.Integer({ description: "How many tasks it can run at once, across all nodes." }),
    utilization_history: Type.Array(Type.Number({ minimum: 0, maximum: 1 }), {
      description: "The utilization in each of the last twelve five minutes, the oldest first.",
    }),
    problem: StringOrNull("Why at least one node cannot use it. Null if every node can."),
    version: StringOrNull("The version that the agent reports."),
    url: StringOrNull("Its address, if it was registered with one."),
    registered_by: StringOrNull("The name of the user who registered it. Null if a config file declares it."),
    usage: TotalUsage,
    created_at: Timestamp("When it was registered."),
  },
  { description: "An agent. `usage` covers the last 30 days." },
);

export type Agent = Static<typeof Agent>;

const AgentPage = Page("agents", Agent, "Agents, newest first.");

const RegisterAgent = Type.Object(
  {
    name: Type.String({
      pattern: "^\\w[\\w. -]{0,99}$",
      description: "A unique display name of letters, digits, '-', '_', '.' and spaces.",
      examples: ["build farm"],
    }),
    kind: Type.String({
      maxLength: 100,
      description:
        "`worker`: it pulls tasks from the service. `a2a`: the service calls it at its address over the A2A protocol.",
      examples: ["worker", "a2a"],
    }),
    capabilities: Type.Optional(
      Type.Array(Type.String({ minLength: 1, maxLength: 200 }), {
        maxItems: 100,
        description: "Its capabilities.",
        examples: [["api", "typescript"]],
      }),
    ),
    slots: Type.Optional(
      Type.Integer({ minimum: 1, maximum: 1000, default: 1, description: "How many tasks it can run at once." }),
    ),
    url: Type.Optional(
      Type.String({
        maxLength: 2000,
        description: "The address of an `a2a` agent: https, or http on the service's own machine.",
        examples: ["https://agents.example.com/builder"],
      }),
    ),
  },
  { additionalProperties: false, description: "The agent to register." },
);

const RestartAgent = Type.Object(
  {
    force: Type.Optional(
      Type.Boolean({
        default: false,
        description:
          "Stop its running tasks and start them again, without counting an attempt. Otherwise they finish first.",
      }),
    ),
  },
  { additionalProperties: false },
);

export const AgentContext = Type.Object(
  {
    agent_id: Type.String({ description: "The agent." }),
    project_id: Id("project", "The project it works on, or worked on last."),
    task_id: Type.String({ description: "The task." }),
    attempt: Type.Integer({ description: "The attempt at the task." }),
    prompt: Type.String({ description: "The prompt the agent received." }),
    base_commit: Type.String({ description: "The commit the agent started from." }),
    files: Type.Union(
      [
        Type.Array(
          Type.Object({
            path: Type.String({ description: "The path, relative to the project's folder." }),
            size_bytes: Type.Integer(),
          }),
        ),
        Type.Null(),
      ],
      { description: "The first 1,000 files the agent received. Null if this node does not have them." },
    ),
    files_total: IntegerOrNull("How many files the agent received."),
    limits: Type.Record(Type.Unknown(), { description: "The agent's limits." }),
    last_status: StringOrNull("The last status message of the agent."),
    usage: Usage,
    started_at: Timestamp("When the attempt started."),
    ended_at: OptionalTimestamp("When the attempt ended. Null while it runs."),
    outcome: StringOrNull("How the attempt ended."),
  },
  { description: "What an agent received for a task." },
);

export type AgentContext = Static<typeof AgentContext>;

const SeenFile = Type.Union(
  [
    Type.Object({
      text: StringOrNull("The text. Null if the file is binary or larger than 1 MiB."),
      size_bytes: IntegerOrNull("The size. Null if it is over 10 MiB."),
    }),
    Type.Null(),
  ],
  { description: "The file. Null if it does not exist." },
);

export const AgentVision = Type.Object(
  {
    agent_id: Type.String({ description: "The agent." }),
    project_id: Id("project", "The project it works on, or worked on last."),
    task_id: Type.String({ description: "The task." }),
    attempt: Type.Integer({ description: "The attempt at the task." }),
    path: Type.String({ description: "The file's path, relative to the project's folder." }),
    media_type: Type.String({
      description: "The media type, detected from the content.",
      examples: ["text/plain", "image/png"],
    }),
    is_binary: Type.Boolean({ description: "Whether the file is binary." }),
    base: SeenFile,
    current: SeenFile,
    source: Type.Enum(["folder", "head", "elsewhere"], {
      description:
        "Where `current` comes from. `folder`: the folder of the running agent. `head`: the project, because the agent has ended. `elsewhere`: unavailable, because the agent runs on another node.",
    }),
    diff: StringOrNull("The unified diff from `base` to `current`. Null if there is nothing to compare."),
  },
  { description: "A file as the agent sees it." },
);

export type AgentVision = Static<typeof AgentVision>;

/** What an agent said of its current task, as a stream of agents tells it. */
export interface AgentLog {
  readonly agent_id: string;
  readonly project_id: string;
  readonly task_id: string;
  readonly lines: LogPage["lines"];
}

const agentParams = Type.Object({ agent_id: Id("agent", "The agent's id.") });

const read = { method: "GET", tag: "Agents", access: withScope("agents:read") } as const;

const manage = { tag: "Agents", access: withScope("agents:manage") } as const;

/** Selects one of the agent's attempts; by default the latest one that the caller may read. */
const ofRun = {
  project: Type.Optional(
    Type.String({
      maxLength: 100,
      description: "The agent's latest attempt in this project.",
      examples: ["proj_01kaw3v9t2h5m8q1x7zc"],
    }),
  ),
  task: Type.Optional(
    Type.String({ maxLength: 1000, description: "The agent's latest attempt at this task.", examples: ["login-form"] }),
  ),
};

/** Agents: registration, status, and what an agent received and changed. */
export const agentEndpoints = {
  listAgents: endpoint({
    ...read,
    path: "/api/v1/agents",
    summary: "List agents, newest first, or stream their changes",
    description:
      "With `Accept: text/event-stream`, streams agents, whatever the query: `agents` with all of them, and from then on `agent` with one that changed, `gone` with the `agent_id` of one that was deleted, and, for callers with `projects:read`, `log` with the last lines of an agent's current task and those that follow (`agent_id`, `project_id`, `task_id`, `lines`). The stream has no history: every connection begins with all agents.",
    query: query(pageQuery),
    success: [{ status: 200, description: "A page of agents.", schema: AgentPage, mediaTypes: ["text/event-stream"] }],
    isVersioned: true,
    problems: [],
  }),
  readAgent: endpoint({
    ...read,
    path: "/api/v1/agents/{agent_id}",
    summary: "Read an agent",
    params: agentParams,
    success: [{ status: 200, description: "The agent.", schema: Agent }],
    isVersioned: true,
    problems: ["not_found"],
  }),
  readAgentStatus: endpoint({
    ...read,
    path: "/api/v1/agents/{agent_id}/status",
    summary: "Read an agent's status",
    params: agentParams,
    success: [{ status: 200, description: "The status.", schema: AgentStatusReport }],
    isVersioned: true,
    problems: ["not_found"],
  }),
  registerAgent: endpoint({
    ...manage,
    method: "POST",
    path: "/api/v1/agents",
    summary: "Register an agent",
    description: "Registers agents of kind `worker` and `a2a`. A node's config file declares the other kinds.",
    body: RegisterAgent,
    success: [{ status: 201, description: "The agent.", schema: Agent, headers: ["Location"] }],
    problems: ["conflict", "invalid_body"],
  }),
  deleteAgent: endpoint({
    ...manage,
    method: "DELETE",
    path: "/api/v1/agents/{agent_id}",
    summary: "Delete a registered agent",
    params: agentParams,
    query: query({
      force: Type.Optional(
        Type.Boolean({
          default: false,
          description: "Delete it even while it has tasks; its running tasks are stopped.",
        }),
      ),
    }),
    success: [{ status: 204, description: "The agent was deleted." }],
    problems: ["not_found", "conflict"],
  }),
  restartAgent: endpoint({
    ...manage,
    method: "POST",
    path: "/api/v1/agents/{agent_id}/restart",
    summary: "Restart an agent",
    description:
      "The agent finishes its running tasks and accepts no new ones. The service then checks it and makes it available again.",
    params: agentParams,
    body: RestartAgent,
    success: [{ status: 202, description: "The draining agent.", schema: Agent }],
    problems: ["not_found", "invalid_body"],
  }),
  readAgentContext: endpoint({
    ...read,
    path: "/api/v1/agents/{agent_id}/context",
    summary: "Read what an agent received: task, prompt, files, limits, token usage",
    description: "Also requires the scope `projects:read`. Covers only projects that you may read.",
    params: agentParams,
    query: query(ofRun),
    success: [{ status: 200, description: "What the agent received.", schema: AgentContext }],
    problems: ["not_found", "forbidden"],
  }),
  readAgentVision: endpoint({
    ...read,
    path: "/api/v1/agents/{agent_id}/vision",
    summary: "Read a file as the agent sees it, with the agent's changes",
    description:
      "Also requires the scope `projects:read`. With `as=image` or `Accept: image/*` the response is the image itself (PNG, JPEG, GIF, WebP).",
    params: agentParams,
    query: query({
      file: Type.String({
        minLength: 1,
        maxLength: 4000,
        description: "The file's path, relative to the project's folder.",
        examples: ["src/index.ts"],
      }),
      as: Type.Optional(
        Type.Enum(["json", "image"], { description: "The response format. `Accept` decides by default." }),
      ),
      side: Type.Optional(
        Type.Enum(["base", "current"], { default: "current", description: "Which version of the image to return." }),
      ),
      ...ofRun,
    }),
    headers: { Accept: "`image/*` returns the image itself." },
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
