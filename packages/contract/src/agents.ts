import { type Static, Type } from "typebox";
import { OptionalTimestamp, Timestamp } from "./ids.ts";
import { Page } from "./paging.ts";

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
    created_at: Timestamp("When it was registered."),
  },
  { description: "An agent." },
);
export type Agent = Static<typeof Agent>;
export const AgentPage = Page("agents", Agent, "Agents, newest first.");
