import { adminOnly, withScope } from "./access.ts";
import { endpoint, query } from "./endpoint.ts";
import { Timestamp } from "./ids.ts";
import { pageQuery } from "./paging.ts";
import { projectParams } from "./projects.ts";
import { type Static, Type } from "./schema.ts";

export const LogLine = Type.Object(
  {
    at: Timestamp("When the line was recorded."),
    source: Type.String({ description: "The source of the line.", examples: ["agent", "build", "test", "app"] }),
    task_id: Type.String({ description: "The task that wrote it." }),
    attempt: Type.Integer({ description: "The attempt at the task." }),
    agent_id: Type.String({ description: "The agent that ran the task." }),
    text: Type.String({ description: "The line, without its line break." }),
  },
  { description: "A log line." },
);

export const LogPage = Type.Object(
  {
    lines: Type.Array(LogLine),
    next_cursor: Type.String({ description: "The cursor for later lines, including lines not written yet." }),
  },
  { description: "Log lines, in order." },
);

export type LogPage = Static<typeof LogPage>;

const ServiceLogLine = Type.Object(
  {
    at: Timestamp("When it happened."),
    level: Type.String({ description: "The severity.", examples: ["info", "warn", "error"] }),
    service: Type.String({ description: "The part of the service that wrote it.", examples: ["http", "engine"] }),
    text: Type.String({ description: "The message." }),
    detail: Type.Record(Type.Unknown(), { description: "Further details." }),
  },
  { description: "A line of the service's own log." },
);

export const ServiceLog = Type.Object(
  { lines: Type.Array(ServiceLogLine) },
  { description: "The last lines of a node's own log, in order." },
);

export type ServiceLog = Static<typeof ServiceLog>;

const tail = Type.Optional(
  Type.Integer({ minimum: 1, maximum: 10_000, default: 200, description: "The maximum number of lines." }),
);

/** Logs: of a project's agents and programs, and of the service itself. */
export const logEndpoints = {
  readLogs: endpoint({
    method: "GET",
    path: "/api/v1/projects/{project_id}/logs",
    tag: "Runs",
    summary: "Read or stream the logs of a project's agents and programs",
    description:
      "Returns the last lines, or the lines after a cursor. With `follow=true`, streams the last lines, or those after `Last-Event-ID`, and then new lines as they are written. Each SSE event contains several `lines`. Secrets are masked.",
    access: withScope("projects:read"),
    params: projectParams,
    query: query({
      service: Type.Optional(
        Type.String({ maxLength: 200, description: "Only lines of this source.", examples: ["agent"] }),
      ),
      task: Type.Optional(
        Type.String({
          maxLength: 1000,
          description: "Only lines of this task. Empty: only lines of no task, such as those of deployed software.",
          examples: ["login-form"],
        }),
      ),
      agent: Type.Optional(
        Type.String({
          maxLength: 100,
          description: "Only lines of this agent.",
          examples: ["agent_01kaw3v9t2h5m8q1x7zc"],
        }),
      ),
      contains: Type.Optional(
        Type.String({
          pattern: "^[^\\r\\n]{1,200}$",
          description: "Only lines that contain this text.",
          examples: ["error"],
        }),
      ),
      tail,
      cursor: pageQuery.cursor,
      follow: Type.Optional(Type.Boolean({ default: false, description: "Stream new lines." })),
    }),
    headers: { "Last-Event-ID": "The id of the last SSE event you received. The stream continues after it." },
    success: [{ status: 200, description: "Log lines, in order.", schema: LogPage, mediaTypes: ["text/event-stream"] }],
    problems: ["not_found", "invalid_parameter"],
  }),
  readServiceLog: endpoint({
    method: "GET",
    path: "/api/v1/logs",
    tag: "Operations",
    summary: "Read the last log lines of the node that answers",
    access: adminOnly,
    query: query({
      service: Type.Optional(
        Type.String({ maxLength: 200, description: "Only lines of this part of the service.", examples: ["engine"] }),
      ),
      tail,
    }),
    success: [{ status: 200, description: "Log lines, in order.", schema: ServiceLog }],
    problems: ["invalid_parameter"],
  }),
} as const;
