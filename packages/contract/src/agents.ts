import { type Static, Type } from "typebox";
import { withScope } from "./access.ts";
import { endpoint, query } from "./endpoint.ts";
import { Id, OptionalTimestamp, Timestamp } from "./ids.ts";
import { IntegerOrNull, StringOrNull } from "./nullable.ts";
import { Page, pageQuery } from "./paging.ts";
import { TotalUsage, Usage } from "./usage.ts";

export const AgentStatusReport = Type.Object(
  {
    agent_id: Type.String({ description: "The agent's id." }),
    status: Type.Enum(["idle", "busy", "draining", "offline", "error"], { description: "What it is at." }),
    current_project: StringOrNull("The project it works for; null: none, or not for your eyes."),
    current_task: StringOrNull("The task it is at."),
    utilization: Type.Number({ minimum: 0, maximum: 1, description: "Busy time over the last hour." }),
    last_activity: OptionalTimestamp("When it last began or ended a task."),
  },
  { description: "What an agent is at." },
);

export type AgentStatusReport = Static<typeof AgentStatusReport>;

export const Agent = Type.Object(
  {
    ...AgentStatusReport.properties,
    name: Type.String({ description: "What people call it." }),
    kind: Type.String({
      description: "How it is run.",
      examples: ["blueprint", "command", "acp", "llm", "a2a", "worker"],
    }),
    capabilities: Type.Array(Type.String(), { description: "What it can do." }),
    slots: Type.Integer({ description: "How many tasks it does at a time, over all nodes." }),
    problem: StringOrNull("Why it cannot be used, from one node at least; null: it can."),
    version: StringOrNull("Its version, as it says itself."),
    url: StringOrNull("Where it is reached, if it was registered with an address."),
    registered_by: StringOrNull("Who registered it: the user's name; null: it is declared in a config file."),
    usage: TotalUsage,
    created_at: Timestamp("When it was registered."),
  },
  { description: "An agent. Its usage is that of the last 30 days." },
);

export type Agent = Static<typeof Agent>;

const AgentPage = Page("agents", Agent, "Agents, newest first.");

const RegisterAgent = Type.Object(
  {
    name: Type.String({
      pattern: "^\\w[\\w. -]{0,99}$",
      description: "What people call it: letters, digits, '-', '_', '.' and spaces. No other agent may have it.",
      examples: ["build farm"],
    }),
    kind: Type.String({
      maxLength: 100,
      description: "`worker`: it asks for tasks itself; `a2a`: it is reached at its address by the A2A protocol.",
      examples: ["worker", "a2a"],
    }),
    capabilities: Type.Optional(
      Type.Array(Type.String({ minLength: 1, maxLength: 200 }), {
        maxItems: 100,
        description: "What it can do.",
        examples: [["api", "typescript"]],
      }),
    ),
    slots: Type.Optional(
      Type.Integer({ minimum: 1, maximum: 1000, default: 1, description: "How many tasks it does at a time." }),
    ),
    url: Type.Optional(
      Type.String({
        maxLength: 2000,
        description: "Where an `a2a` agent is reached: https, or http on the service's own machine.",
        examples: ["https://agents.example.com/builder"],
      }),
    ),
  },
  { additionalProperties: false, description: "An agent to register." },
);

const RestartAgent = Type.Object(
  {
    force: Type.Optional(
      Type.Boolean({
        default: false,
        description: "End what it is at, to begin again, uncounted; otherwise it is finished first.",
      }),
    ),
  },
  { additionalProperties: false },
);

export const AgentContext = Type.Object(
  {
    agent_id: Type.String({ description: "The agent." }),
    project_id: Id("project", "The project it works for, or worked for last."),
    task_id: Type.String({ description: "The task." }),
    attempt: Type.Integer({ description: "The attempt at the task." }),
    prompt: Type.String({ description: "What it was asked to do." }),
    base_commit: Type.String({ description: "The commit whose files it was given." }),
    files: Type.Union(
      [
        Type.Array(
          Type.Object({
            path: Type.String({ description: "From the project's folder on." }),
            size_bytes: Type.Integer(),
          }),
        ),
        Type.Null(),
      ],
      { description: "The files it was given, the first 1,000; null: they cannot be had on this node." },
    ),
    files_total: IntegerOrNull("How many files it was given."),
    limits: Type.Record(Type.String(), Type.Unknown(), { description: "What it may take." }),
    last_status: StringOrNull("What it said last that it is at."),
    usage: Usage,
    started_at: Timestamp("When it was told."),
    ended_at: OptionalTimestamp("When it ended; null: it is at it."),
    outcome: StringOrNull("How it ended."),
  },
  { description: "What an agent was given." },
);

export type AgentContext = Static<typeof AgentContext>;

const SeenFile = Type.Union(
  [
    Type.Object({
      text: StringOrNull("Its text; null: it is no text, or larger than 1 MiB."),
      size_bytes: IntegerOrNull("Null: more than 10 MiB."),
    }),
    Type.Null(),
  ],
  { description: "The file; null: it is not there." },
);

export const AgentVision = Type.Object(
  {
    agent_id: Type.String({ description: "The agent." }),
    project_id: Id("project", "The project it works for, or worked for last."),
    task_id: Type.String({ description: "The task." }),
    attempt: Type.Integer({ description: "The attempt at the task." }),
    path: Type.String({ description: "The file, from the project's folder on." }),
    media_type: Type.String({ description: "What it is, by its content.", examples: ["text/plain", "image/png"] }),
    is_binary: Type.Boolean({ description: "Whether it is no text." }),
    base: SeenFile,
    current: SeenFile,
    source: Type.Enum(["folder", "head", "elsewhere"], {
      description:
        "Where `current` is from: the agent's folder as it is now; the project as it is since the agent has ended; or nowhere, because the agent works on another node.",
    }),
    diff: StringOrNull("What has changed from base to current, as a unified diff; null: nothing to compare."),
  },
  { description: "A file as an agent sees it." },
);

export type AgentVision = Static<typeof AgentVision>;

const agentParams = Type.Object({ agent_id: Id("agent", "The agent's id.") });

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
