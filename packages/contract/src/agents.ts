import { type Static, Type } from "typebox";
import { Id, OptionalTimestamp, Timestamp } from "./ids.ts";
import { Page } from "./paging.ts";
import { TotalUsage, Usage } from "./usage.ts";

const OrNull = (description: string) => Type.Union([Type.String(), Type.Null()], { description });

export const AgentStatusReport = Type.Object(
  {
    agent_id: Type.String({ description: "The agent's id." }),
    status: Type.Enum(["idle", "busy", "draining", "offline", "error"], { description: "What it is at." }),
    current_project: OrNull("The project it works for; null: none, or not for your eyes."),
    current_task: OrNull("The task it is at."),
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
    problem: OrNull("Why it cannot be used, from one node at least; null: it can."),
    version: OrNull("Its version, as it says itself."),
    url: OrNull("Where it is reached, if it was registered with an address."),
    registered_by: OrNull("Who registered it: the user's name; null: it is declared in a config file."),
    usage: TotalUsage,
    created_at: Timestamp("When it was registered."),
  },
  { description: "An agent. Its usage is that of the last 30 days." },
);
export type Agent = Static<typeof Agent>;
export const AgentPage = Page("agents", Agent, "Agents, newest first.");

export const RegisterAgent = Type.Object(
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

export const RestartAgent = Type.Object(
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
    files_total: Type.Union([Type.Integer(), Type.Null()], { description: "How many files it was given." }),
    limits: Type.Record(Type.String(), Type.Unknown(), { description: "What it may take." }),
    last_status: OrNull("What it said last that it is at."),
    usage: Usage,
    started_at: Timestamp("When it was told."),
    ended_at: OptionalTimestamp("When it ended; null: it is at it."),
    outcome: OrNull("How it ended."),
  },
  { description: "What an agent was given." },
);
export type AgentContext = Static<typeof AgentContext>;

const SeenFile = Type.Union(
  [
    Type.Object({
      text: OrNull("Its text; null: it is no text, or larger than 1 MiB."),
      size_bytes: Type.Union([Type.Integer(), Type.Null()], { description: "Null: more than 10 MiB." }),
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
    diff: OrNull("What has changed from base to current, as a unified diff; null: nothing to compare."),
  },
  { description: "A file as an agent sees it." },
);
export type AgentVision = Static<typeof AgentVision>;
