import { withScope } from "./access.ts";
import { Diagnostic } from "./documents.ts";
import { DryRun } from "./dry-run.ts";
import { endpoint, query } from "./endpoint.ts";
import { Id, Timestamp } from "./ids.ts";
import { LiveDeployment } from "./live-deployment.ts";
import { StringOrNull } from "./nullable.ts";
import { Page, pageQuery } from "./paging.ts";
import { type Static, Type } from "./schema.ts";
import { TeamName } from "./team-name.ts";
import { VerdictCounts } from "./verdict-counts.ts";

/** The statuses of a project. `deployed` and `failed` are final. */
const projectStatuses = {
  specification: "Accepted; work has not started.",
  planning: "An agent is planning the work.",
  implementation: "Agents are building the software.",
  validation: "The service is verifying the acceptance criteria.",
  deployment: "The service is deploying the result.",
  deployed: "The result is live.",
  failed: "The project ended without a result; `error` has the reason.",
} as const;

export type ProjectStatus = keyof typeof projectStatuses;

export const projectStatusNames = Object.keys(projectStatuses) as ProjectStatus[];

const Status = Type.Enum(projectStatusNames, { description: "The project's status.", examples: ["specification"] });

const Progress = Type.Number({
  minimum: 0,
  maximum: 1,
  description: "The fraction of the work that is done. Reaches 1 only when deployed.",
});

const CurrentPhase = Type.String({ description: "The first unfinished phase.", examples: ["planning"] });

export const ProjectError = Type.Object(
  {
    code: Type.String(),
    message: Type.String(),
    phase: Type.Optional(Type.String()),
    task_id: Type.Optional(Type.String()),
    agent_id: Type.Optional(Type.String()),
  },
  { description: "Why the project failed." },
);

const ErrorOrNull = Type.Union([ProjectError, Type.Null()], {
  description: "Why the project failed. Null if it did not.",
});

export const Project = Type.Object(
  {
    project_id: Id("project", "The project's id."),
    name: Type.String({ description: "The document's `name`." }),
    status: Status,
    progress: Progress,
    current_phase: CurrentPhase,
    agents: Type.Record(Type.String(), { description: "The agents by role: role → agent id." }),
    created_at: Timestamp("When the project was created."),
    updated_at: Timestamp("When the project last changed."),
    application_id: Id("application", "The application: all runs of one owner's documents that share an id."),
    document_id: Type.String({ description: "The document's `id`." }),
    outcome_type: Type.String({ description: "The document's `outcome_type`." }),
    environment: StringOrNull("The target environment. Null for the top level."),
    waiting_for: Type.Union([Type.Enum(["approval", "agent", "paused", "debug"]), Type.Null()], {
      description: "What the project waits for. Null if it does not wait.",
    }),
    checks: Type.Union([VerdictCounts, Type.Null()], {
      description: "How many lines of the document hold. Null before the first check.",
    }),
    error: ErrorOrNull,
    owner: Type.Optional(
      Type.String({ description: "The name of the user who submitted it. Only in reads and lists." }),
    ),
    deployment: Type.Optional(
      Type.Union([LiveDeployment, Type.Null()], {
        description: "What is live of it. Null if nothing is. Only where one project is read.",
      }),
    ),
  },
  { description: "A project: one run of a document." },
);

export type Project = Static<typeof Project>;

export const CreatedProject = Type.Object(
  {
    project_id: Id("project", "The project's id."),
    status: Status,
    created_at: Timestamp("When the project was created."),
    spec_url: Type.String({
      description: "The path of the stored document.",
      examples: ["/api/v1/projects/proj_…/spec"],
    }),
    diagnostics: Type.Optional(
      Type.Array(Diagnostic, { description: "The warnings of the document. Absent if there are none." }),
    ),
  },
  { description: "The new project." },
);

export type CreatedProject = Static<typeof CreatedProject>;

const ProjectStatusReport = Type.Object(
  {
    project_id: Id("project", "The project's id."),
    status: Status,
    progress: Progress,
    current_phase: CurrentPhase,
    updated_at: Timestamp("When the project last changed."),
    error: ErrorOrNull,
  },
  { description: "A summary of a project's status." },
);

const ProjectPage = Page("projects", Project, "Projects, newest first.");

/** The path parameters of every endpoint below a project. */
export const projectParams = Type.Object({ project_id: Id("project", "The project's id.") });

/** Projects: each is one run of a document. */
export const projectEndpoints = {
  createProject: endpoint({
    method: "POST",
    path: "/api/v1/projects",
    aliases: ["/v1/projects"],
    tag: "Projects",
    summary: "Create a project from a specification document",
    access: withScope("projects:create"),
    query: query({
      environment: Type.Optional(
        Type.String({ maxLength: 200, description: "The target environment.", examples: ["staging"] }),
      ),
      dry_run: Type.Optional(
        Type.Boolean({ default: false, description: "Create nothing; return what a run would do." }),
      ),
      review_plan: Type.Optional(
        Type.Boolean({ default: false, description: "Wait for a person to approve the plan before building." }),
      ),
      team: Type.Optional(
        TeamName("The team to share it with: a run of the team's application with the document's `id`."),
      ),
    }),
    takesDocument: true,
    success: [
      { status: 201, description: "The project was created.", schema: CreatedProject, headers: ["Location"] },
      { status: 200, description: "What a run would do (with `dry_run`).", schema: DryRun },
    ],
    problems: ["invalid_yaml", "invalid_document", "plugin_failed", "overloaded", "not_found", "conflict"],
  }),
  listProjects: endpoint({
    method: "GET",
    path: "/api/v1/projects",
    aliases: ["/v1/projects"],
    tag: "Projects",
    summary: "List projects, newest first, or stream their changes",
    description:
      "With `Accept: text/event-stream`, streams projects as they change, whatever the query: `ready` when the stream has begun or may have missed something, `project` with a project that changed, `gone` with the `project_id` of one that was deleted. The stream has no history: read the list at each `ready`.",
    access: withScope("projects:read"),
    query: query({
      ...pageQuery,
      status: Type.Optional(Type.Enum(projectStatusNames, { description: "Only projects with this status." })),
      outcome_type: Type.Optional(
        Type.String({ maxLength: 200, description: "Only projects of this outcome type.", examples: ["web-app"] }),
      ),
      id: Type.Optional(
        Type.String({
          maxLength: 1000,
          description: "Only projects whose document has this `id`.",
          examples: ["shop"],
        }),
      ),
      created_after: Type.Optional(Timestamp("Only projects created after this time.")),
      q: Type.Optional(
        Type.String({
          maxLength: 200,
          description: "Only projects with this text in their name or id.",
          examples: ["shop"],
        }),
      ),
    }),
    success: [
      { status: 200, description: "A page of projects.", schema: ProjectPage, mediaTypes: ["text/event-stream"] },
    ],
    problems: [],
  }),
  readProject: endpoint({
    method: "GET",
    path: "/api/v1/projects/{project_id}",
    aliases: ["/v1/projects/{project_id}"],
    tag: "Projects",
    summary: "Read a project",
    description:
      "With `If-None-Match` the response is 304 while nothing has changed. With `Prefer: wait=N` (at most 60 seconds) the service delays the response until the project changes.",
    isVersioned: true,
    access: withScope("projects:read"),
    params: projectParams,
    headers: { Prefer: "`wait=N`: wait up to N seconds for the project to change." },
    success: [{ status: 200, description: "The project.", schema: Project, optionalHeaders: ["Preference-Applied"] }],
    problems: ["not_found"],
  }),
  readProjectStatus: endpoint({
    method: "GET",
    path: "/v1/projects/{project_id}/status",
    tag: "Projects",
    summary: "Read a project's status",
    isVersioned: true,
    access: withScope("projects:read"),
    params: projectParams,
    success: [{ status: 200, description: "The status.", schema: ProjectStatusReport }],
    problems: ["not_found"],
  }),
  readSpec: endpoint({
    method: "GET",
    path: "/api/v1/projects/{project_id}/spec",
    tag: "Projects",
    summary: "Read a project's document, byte for byte",
    description: "With `Accept: application/json`, returns the parsed document.",
    isVersioned: true,
    access: withScope("projects:read"),
    params: projectParams,
    success: [
      {
        status: 200,
        description: "The document.",
        schema: Type.Record(Type.Unknown(), { description: "The parsed document." }),
        mediaTypes: ["application/yaml"],
      },
    ],
    problems: ["not_found", "conflict", "overloaded"],
  }),
  deleteProject: endpoint({
    method: "DELETE",
    path: "/api/v1/projects/{project_id}",
    aliases: ["/v1/projects/{project_id}"],
    tag: "Projects",
    summary: "Delete a project that has ended and is not live",
    access: withScope("projects:manage"),
    params: projectParams,
    success: [{ status: 204, description: "The project was deleted." }],
    problems: ["not_found", "conflict"],
  }),
} as const;
