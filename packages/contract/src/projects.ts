import { type Static, Type } from "typebox";
import { Id, OptionalTimestamp, Timestamp } from "./ids.ts";
import { Page } from "./paging.ts";

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
    environment: Type.Union([Type.String(), Type.Null()], {
      description: "The environment it is for; null: the top level.",
    }),
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

export const ProjectStatusReport = Type.Object(
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

export const ProjectPage = Page("projects", Project, "Projects, newest first.");

const Application = Type.Object(
  {
    application_id: Id("application", "The application's id."),
    document_id: Type.String({ description: "The `id` of its documents." }),
    owner_id: Id("user", "Whose it is."),
    latest_project_id: Id("project", "Its newest run."),
    projects: Type.Integer({ description: "How many runs there are." }),
    created_at: Timestamp("When its first run was created."),
    updated_at: OptionalTimestamp("When its newest run was created."),
  },
  { description: "All runs of one owner's documents with the same id." },
);
export const ApplicationPage = Page("applications", Application, "Applications, newest first.");
