import { type Static, Type } from "typebox";
import { Timestamp } from "./ids.ts";

const LogLine = Type.Object(
  {
    at: Timestamp("When it was written down."),
    source: Type.String({ description: "Who wrote it.", examples: ["agent", "build", "test", "app"] }),
    task_id: Type.String({ description: "The task it is of." }),
    attempt: Type.Integer({ description: "The attempt at the task." }),
    agent_id: Type.String({ description: "The agent at the task." }),
    text: Type.String({ description: "The line, without its end." }),
  },
  { description: "A line of a log." },
);

export const LogPage = Type.Object(
  {
    lines: Type.Array(LogLine),
    next_cursor: Type.String({ description: "For the lines that follow; they may still have to be written." }),
  },
  { description: "Lines of logs, in order." },
);
export type LogPage = Static<typeof LogPage>;

const ServiceLogLine = Type.Object(
  {
    at: Timestamp("When it happened."),
    level: Type.String({ description: "How bad it is.", examples: ["info", "warn", "error"] }),
    service: Type.String({ description: "Which part of the service says so.", examples: ["http", "engine"] }),
    text: Type.String({ description: "What happened." }),
    detail: Type.Record(Type.String(), Type.Unknown(), { description: "What is known of it." }),
  },
  { description: "A line of the service's own log." },
);

export const ServiceLog = Type.Object(
  { lines: Type.Array(ServiceLogLine) },
  { description: "The last lines of a node's own log, in order." },
);
export type ServiceLog = Static<typeof ServiceLog>;
