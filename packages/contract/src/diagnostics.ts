import { AcceptanceReport } from "./acceptance.ts";
import { withScope } from "./access.ts";
import { Approval } from "./approvals.ts";
import { endpoint, query } from "./endpoint.ts";
import { EventRecord } from "./events.ts";
import { Id, Timestamp } from "./ids.ts";
import { LogLine } from "./logs.ts";
import { StringOrNull } from "./nullable.ts";
import { Page, pageQuery } from "./paging.ts";
import { Project, projectParams } from "./projects.ts";
import { Phase, Task } from "./runs.ts";
import { type Static, Type } from "./schema.ts";

/** How the latest run of an application is, each with what it means. */
const projectHealths = {
  well: "It runs, or is deployed and healthy.",
  waiting: "A person has to do something: approve, resume, or end the debugging.",
  failed: "It failed.",
  stalled: "It should move, but has not changed for half an hour.",
  unhealthy: "What it deployed does not answer.",
} as const;

const ProjectHealth = Type.Object(
  {
    project_id: Id("project", "The latest run of the application."),
    application_id: Id("application", "The application."),
    name: Type.String({ description: "The document's `name`." }),
    status: Project.properties.status,
    health: Type.Enum(Object.keys(projectHealths) as (keyof typeof projectHealths)[], {
      description: Object.entries(projectHealths)
        .map(([name, meaning]) => `\`${name}\`: ${meaning}`)
        .join(" "),
    }),
    reason: StringOrNull("What is wrong, or what it waits for. Null if it is well."),
    updated_at: Timestamp("When the project last changed."),
  },
  { description: "The health of the latest run of an application." },
);

export type ProjectHealth = Static<typeof ProjectHealth>;

const ProjectHealthPage = Page("projects", ProjectHealth, "The latest run of each application, newest first.");

const Diagnostics = Type.Object(
  {
    generated_at: Timestamp("When this was put together."),
    service: Type.Object(
      { version: Type.String(), node: Type.String(), platform: Type.String() },
      { description: "What answered." },
    ),
    project: Project,
    document: Type.String({ description: "The document as it was submitted." }),
    phases: Type.Array(Phase),
    tasks: Type.Array(Task, { description: "The first 1,000 tasks with their attempts and errors." }),
    events: Type.Array(EventRecord, { description: "The first 1,000 events, in order." }),
    approvals: Type.Array(Approval, { description: "The latest 100 approvals." }),
    acceptance: AcceptanceReport,
    logs: Type.Array(LogLine, { description: "The last 1,000 lines." }),
  },
  { description: "Everything that explains a project. Secrets are masked." },
);

export type Diagnostics = Static<typeof Diagnostics>;

/** What explains how projects are. */
export const diagnosticsEndpoints = {
  listProjectHealth: endpoint({
    method: "GET",
    path: "/api/v1/health/projects",
    tag: "Operations",
    summary: "Check the health of your projects: the latest run of each application",
    access: withScope("projects:read"),
    query: query(pageQuery),
    success: [{ status: 200, description: "A page of projects.", schema: ProjectHealthPage }],
    problems: [],
  }),
  readDiagnostics: endpoint({
    method: "GET",
    path: "/api/v1/projects/{project_id}/diagnostics",
    tag: "Operations",
    summary: "Read everything that explains a project, in one answer",
    description: "Document, plan, timeline, errors, verdicts, logs and versions. Secrets are masked.",
    access: withScope("projects:read"),
    params: projectParams,
    success: [{ status: 200, description: "The diagnostics.", schema: Diagnostics }],
    problems: ["not_found", "conflict"],
  }),
} as const;
