import { type Static, Type } from "typebox";
import { withScope } from "./access.ts";
import { DryRun } from "./dry-run.ts";
import { endpoint, query } from "./endpoint.ts";
import { Id, Timestamp } from "./ids.ts";
import { StringOrNull } from "./nullable.ts";
import { Page, pageQuery } from "./paging.ts";

/** Where a project stands. `deployed` and `failed` are the two ends. */
const projectStatuses = {
  specification: "Accepted; work has not begun.",
  planning: "The plan is being made.",
  implementation: "The software is being made.",
  validation: "What was promised is being verified.",
  deployment: "The result is going live.",
  deployed: "Live.",
  failed: "Ended without a result; `error` says why.",
} as const;

export type ProjectStatus = keyof typeof projectStatuses;

export const projectStatusNames = Object.keys(projectStatuses) as ProjectStatus[];

const Status = Type.Enum(projectStatusNames, { description: "Where the project stands.", examples: ["specification"] });

const Progress = Type.Number({ minimum: 0, maximum: 1, description: "Done work over all work; 1 only when deployed." });

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

const ErrorOrNull = Type.Union([ProjectError, Type.Null()], { description: "Why the project failed, if it did." });

export const Project = Type.Object(
  {
    project_id: Id("project", "The project's id."),
    name: Type.String({ description: "As the document says." }),
    status: Status,
    progress: Progress,
    current_phase: CurrentPhase,
    agents: Type.Record(Type.String(), Type.String(), { description: "Who fills which role: role → agent id." }),
    created_at: Timestamp("When it was created."),
    updated_at: Timestamp("When it changed last."),
    application_id: Id("application", "All runs of the same document id and owner are one application."),
    document_id: Type.String({ description: "The document's `id`." }),
    outcome_type: Type.String({ description: "As the document says." }),
    environment: StringOrNull("The environment it is for; null: the top level."),
    waiting_for: Type.Union([Type.Enum(["approval", "agent", "paused", "debug"]), Type.Null()], {
      description: "What it waits for, if it waits.",
    }),
    error: ErrorOrNull,
  },
  { description: "A project: one run of a document." },
);

export type Project = Static<typeof Project>;

export const CreatedProject = Type.Object(
  {
    project_id: Id("project", "The project's id."),
    status: Status,
    created_at: Timestamp("When it was created."),
    spec_url: Type.String({ description: "Path of the stored document.", examples: ["/api/v1/projects/proj_…/spec"] }),
  },
  { description: "A project that was just created." },
);

export type CreatedProject = Static<typeof CreatedProject>;

const ProjectStatusReport = Type.Object(
  {
    project_id: Id("project", "The project's id."),
    status: Status,
    progress: Progress,
    current_phase: CurrentPhase,
    updated_at: Timestamp("When it changed last."),
    error: ErrorOrNull,
  },
  { description: "Where a project stands, in short." },
);

const ProjectPage = Page("projects", Project, "Projects, newest first.");

/** The path parameters of all that belongs to a project. */
export const projectParams = Type.Object({ project_id: Id("project", "The project's id.") });

/** Projects: made from a document, listed, read and deleted. */
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
        Type.String({ maxLength: 200, description: "The environment to run it for.", examples: ["staging"] }),
      ),
      dry_run: Type.Optional(
        Type.Boolean({ default: false, description: "Create nothing; answer what would be done." }),
      ),
      review_plan: Type.Optional(
        Type.Boolean({ default: false, description: "Wait for a person to approve the plan before anything is made." }),
      ),
    }),
    takesDocument: true,
    success: [
      { status: 201, description: "The project was created.", schema: CreatedProject, headers: ["Location"] },
      { status: 200, description: "What would be done, with `dry_run`.", schema: DryRun },
    ],
    problems: ["invalid_yaml", "invalid_document", "plugin_failed", "overloaded"],
  }),
  listProjects: endpoint({
    method: "GET",
    path: "/api/v1/projects",
    aliases: ["/v1/projects"],
    tag: "Projects",
    summary: "List projects, newest first",
    access: withScope("projects:read"),
    query: query({
      ...pageQuery,
      status: Type.Optional(Type.Enum(projectStatusNames, { description: "Only those with this status." })),
      outcome_type: Type.Optional(
        Type.String({ maxLength: 200, description: "Only those of this outcome type.", examples: ["web-app"] }),
      ),
      id: Type.Optional(
        Type.String({ maxLength: 1000, description: "Only those whose document has this `id`.", examples: ["shop"] }),
      ),
      created_after: Type.Optional(Timestamp("Only those created after this time.")),
      q: Type.Optional(
        Type.String({
          maxLength: 200,
          description: "Only those with this text in their name or id.",
          examples: ["shop"],
        }),
      ),
    }),
    success: [{ status: 200, description: "A page of projects.", schema: ProjectPage }],
    problems: [],
  }),
  readProject: endpoint({
    method: "GET",
    path: "/api/v1/projects/{project_id}",
    aliases: ["/v1/projects/{project_id}"],
    tag: "Projects",
    summary: "Read a project",
    description:
      "With `If-None-Match` the answer is 304 while nothing changed. With `Prefer: wait=N` (at most 60 seconds) it is held until the project changes.",
    isVersioned: true,
    access: withScope("projects:read"),
    params: projectParams,
    headers: { Prefer: "`wait=N`: hold the answer for at most N seconds, until the project changes." },
    success: [{ status: 200, description: "The project.", schema: Project, optionalHeaders: ["Preference-Applied"] }],
    problems: ["not_found"],
  }),
  readProjectStatus: endpoint({
    method: "GET",
    path: "/v1/projects/{project_id}/status",
    tag: "Projects",
    summary: "Read where a project stands",
    isVersioned: true,
    access: withScope("projects:read"),
    params: projectParams,
    success: [{ status: 200, description: "Where it stands.", schema: ProjectStatusReport }],
    problems: ["not_found"],
  }),
  readSpec: endpoint({
    method: "GET",
    path: "/api/v1/projects/{project_id}/spec",
    tag: "Projects",
    summary: "Read the document of a project, byte for byte",
    description: "With `Accept: application/json` the parsed document.",
    isVersioned: true,
    access: withScope("projects:read"),
    params: projectParams,
    success: [
      {
        status: 200,
        description: "The document.",
        schema: Type.Record(Type.String(), Type.Unknown(), { description: "The parsed document." }),
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
    success: [{ status: 204, description: "It is gone." }],
    problems: ["not_found", "conflict"],
  }),
} as const;
