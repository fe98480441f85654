import { type TProperties, Type } from "typebox";
import { adminOnly, withScope } from "./access.ts";
import { endpoint } from "./endpoint.ts";
import { Id } from "./ids.ts";
import { LogPage, ServiceLog } from "./logs.ts";
import { pageQuery } from "./paging.ts";

const query = <P extends TProperties>(properties: P) => Type.Object(properties, { additionalProperties: false });
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
    params: Type.Object({ project_id: Id("project", "The project's id.") }),
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
