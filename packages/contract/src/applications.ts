import { withScope } from "./access.ts";
import { Deployment } from "./deployments.ts";
import { endpoint, query } from "./endpoint.ts";
import { Id, OptionalTimestamp, Timestamp } from "./ids.ts";
import { StringOrNull } from "./nullable.ts";
import { Page, pageQuery } from "./paging.ts";
import { Type } from "./schema.ts";
import { TeamName } from "./team-name.ts";

const Application = Type.Object(
  {
    application_id: Id("application", "The application's id."),
    document_id: Type.String({ description: "The `id` of its documents." }),
    owner_id: Id("user", "The owner's id."),
    team_id: StringOrNull("The team that it is shared with."),
    latest_project_id: Id("project", "The latest run."),
    projects: Type.Integer({ description: "The number of runs." }),
    created_at: Timestamp("When the first run was created."),
    updated_at: OptionalTimestamp("When the latest run was created."),
  },
  { description: "All runs of one owner's documents that share an id." },
);

const ApplicationWithDeployments = Type.Object(
  {
    ...Application.properties,
    deployments: Type.Array(Deployment, { description: "What is live of it, by environment." }),
  },
  { description: "An application with its deployments." },
);

const ShareApplication = Type.Object(
  {
    team: Type.Union([TeamName("The team's name or id."), Type.Null()], {
      description: "The team to share it with. Null: with nobody.",
      examples: ["storefront"],
    }),
  },
  { additionalProperties: false, description: "With whom to share it." },
);

const applicationParams = Type.Object({ application_id: Id("application", "The application's id.") });

const ApplicationPage = Page("applications", Application, "Applications, newest first.");

/** Applications: all runs of one owner's documents that share an id. */
export const applicationEndpoints = {
  listApplications: endpoint({
    method: "GET",
    path: "/api/v1/applications",
    tag: "Projects",
    summary: "List applications, newest first",
    access: withScope("projects:read"),
    query: query(pageQuery),
    success: [{ status: 200, description: "A page of applications.", schema: ApplicationPage }],
    problems: [],
  }),
  readApplication: endpoint({
    method: "GET",
    path: "/api/v1/applications/{application_id}",
    tag: "Projects",
    summary: "Read an application with its deployments",
    access: withScope("projects:read"),
    params: applicationParams,
    success: [{ status: 200, description: "The application.", schema: ApplicationWithDeployments }],
    problems: ["not_found"],
  }),
  shareApplication: endpoint({
    method: "PUT",
    path: "/api/v1/applications/{application_id}/team",
    tag: "Projects",
    summary: "Share an application with a team, or with nobody",
    description:
      "Members of the team may read, control and deploy all its runs, and submit further ones. Its owner and administrators may share it.",
    access: withScope("projects:manage"),
    params: applicationParams,
    body: ShareApplication,
    success: [{ status: 200, description: "The application.", schema: Application }],
    problems: ["not_found", "conflict", "invalid_body"],
  }),
} as const;
