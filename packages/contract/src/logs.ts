import { type Static, Type } from "typebox";
import { adminOnly, withScope } from "./access.ts";
import { endpoint, query } from "./endpoint.ts";
import { Timestamp } from "./ids.ts";
import { pageQuery } from "./paging.ts";
import { projectParams } from "./projects.ts";

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

const tail = Type.Optional(
  Type.Integer({ minimum: 1, maximum: 10_000, default: 200, description: "How many lines at most." }),
);

/** What was written: by agents and programs of projects, and by the service itself. */
export const logEndpoints = {
  readLogs: endpoint({
    method: "GET",
    path: "/api/v1/projects/{project_id}/logs",
    tag: "Runs",
    summary: "Read what agents and programs of a project have written, or watch them write",
    description:
      "The last lines, or with a cursor those that follow. With `follow=true` a stream: the last lines, or those after `Last-Event-ID`, and then what is written, as it is written; each frame holds some `lines`. Secrets are masked.",
    access: withScope("projects:read"),
    params: projectParams,
    query: query({
      service: Type.Optional(Type.String({ maxLength: 200, description: "Only this source.", examples: ["agent"] })),
      task: Type.Optional(
        Type.String({ maxLength: 1000, description: "Only of this task.", examples: ["login-form"] }),
      ),
      agent: Type.Optional(
        Type.String({ maxLength: 100, description: "Only of this agent.", examples: ["agent_01kaw3v9t2h5m8q1x7zc"] }),
      ),
      contains: Type.Optional(
        Type.String({ pattern: "^[^\\r\\n]{1,200}$", description: "Only lines with this text.", examples: ["error"] }),
      ),
      tail,
      cursor: pageQuery.cursor,
      follow: Type.Optional(Type.Boolean({ default: false, description: "Go on with what is written from now on." })),
    }),
    headers: { "Last-Event-ID": "The id of the last frame that you have; the stream goes on after it." },
    success: [{ status: 200, description: "Lines, in order.", schema: LogPage, mediaTypes: ["text/event-stream"] }],
    problems: ["not_found"],
  }),
  readServiceLog: endpoint({
    method: "GET",
    path: "/api/v1/logs",
    tag: "Operations",
    summary: "Read the last lines that the node which answers has logged",
    access: adminOnly,
    query: query({
      service: Type.Optional(
        Type.String({ maxLength: 200, description: "Only this part of the service.", examples: ["engine"] }),
      ),
      tail,
    }),
    success: [{ status: 200, description: "Lines, in order.", schema: ServiceLog }],
    problems: [],
  }),
} as const;
