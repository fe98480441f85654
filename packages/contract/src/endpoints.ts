import { type TProperties, Type } from "typebox";
import { adminOnly, anyUser, keyMakers, open, withScope } from "./access.ts";
import { agentEndpoints } from "./agent-endpoints.ts";
import { artifactEndpoints } from "./artifact-endpoints.ts";
import {
  ApiKeyPage,
  AuditPage,
  CreateApiKey,
  CreatedApiKey,
  CreateUser,
  IssuedTokens,
  RefreshTokens,
  RotateApiKey,
  User,
  UserPage,
} from "./auth.ts";
import { endpoint } from "./endpoint.ts";
import { EventPage } from "./events.ts";
import { Id, Timestamp } from "./ids.ts";
import { logEndpoints } from "./log-endpoints.ts";
import { pageQuery } from "./paging.ts";
import {
  ApplicationPage,
  CreatedProject,
  Project,
  ProjectPage,
  ProjectStatusReport,
  projectStatusNames,
} from "./projects.ts";
import { runEndpoints } from "./run-endpoints.ts";
import { DryRun } from "./runs.ts";
import { sourceEndpoints } from "./source-endpoints.ts";
import { Validation } from "./specs.ts";
import { webhookEndpoints } from "./webhook-endpoints.ts";
import { workerEndpoints } from "./worker-endpoints.ts";

const projectParams = Type.Object({ project_id: Id("project", "The project's id.") });
const keyParams = Type.Object({ api_key_id: Id("apiKey", "The key's id.") });
const userParams = Type.Object({ user_id: Id("user", "The user's id.") });
const query = <P extends TProperties>(properties: P) => Type.Object(properties, { additionalProperties: false });

/** Every endpoint of the API, by name. */
export const endpoints = {
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
  listEvents: endpoint({
    method: "GET",
    path: "/api/v1/projects/{project_id}/events",
    tag: "Projects",
    summary: "Read what happened to a project, or watch it happen",
    description:
      "As JSON the history, in order. With `Accept: text/event-stream` the history from the first event, or after `Last-Event-ID`, and then what happens, as it happens.",
    access: withScope("projects:read"),
    params: projectParams,
    query: query(pageQuery),
    headers: { "Last-Event-ID": "The id of the last event that you have; the stream goes on after it." },
    success: [{ status: 200, description: "Events in order.", schema: EventPage, mediaTypes: ["text/event-stream"] }],
    problems: ["not_found"],
  }),
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
  validateSpec: endpoint({
    method: "POST",
    path: "/api/v1/specs/validate",
    tag: "Documents",
    summary: "Check a specification document: every problem at once",
    access: withScope("projects:create"),
    query: query({
      environment: Type.Optional(
        Type.String({ maxLength: 200, description: "Check it for this environment.", examples: ["staging"] }),
      ),
    }),
    takesDocument: true,
    success: [{ status: 200, description: "What there is to say of it.", schema: Validation }],
    problems: ["overloaded"],
  }),
  readSpecSchema: endpoint({
    method: "GET",
    path: "/api/v1/schema/spec.json",
    tag: "Documents",
    summary: "The JSON Schema of specification documents",
    isVersioned: true,
    access: open,
    success: [
      {
        status: 200,
        description: "JSON Schema 2020-12.",
        schema: Type.Record(Type.String(), Type.Unknown()),
        headers: ["Access-Control-Allow-Origin"],
      },
    ],
    problems: [],
  }),
  createApiKey: endpoint({
    method: "POST",
    path: "/api/v1/auth/api-keys",
    tag: "Access",
    summary: "Make an API key",
    access: keyMakers,
    body: CreateApiKey,
    success: [{ status: 201, description: "The key; it is shown this once.", schema: CreatedApiKey }],
    problems: ["invalid_body"],
    answersSecret: true,
  }),
  listApiKeys: endpoint({
    method: "GET",
    path: "/api/v1/auth/api-keys",
    tag: "Access",
    summary: "List your API keys, newest first",
    access: keyMakers,
    query: query(pageQuery),
    success: [{ status: 200, description: "A page of keys.", schema: ApiKeyPage }],
    problems: [],
  }),
  revokeApiKey: endpoint({
    method: "DELETE",
    path: "/api/v1/auth/api-keys/{api_key_id}",
    tag: "Access",
    summary: "Revoke an API key",
    access: anyUser,
    params: keyParams,
    success: [{ status: 204, description: "It works no more." }],
    problems: ["not_found"],
  }),
  rotateApiKey: endpoint({
    method: "POST",
    path: "/api/v1/auth/api-keys/{api_key_id}/rotate",
    tag: "Access",
    summary: "Replace an API key; the old one goes on working for a while",
    access: keyMakers,
    params: keyParams,
    body: RotateApiKey,
    success: [{ status: 201, description: "The new key; it is shown this once.", schema: CreatedApiKey }],
    problems: ["not_found", "conflict", "invalid_body"],
    answersSecret: true,
  }),
  refreshTokens: endpoint({
    method: "POST",
    path: "/api/v1/auth/refresh",
    tag: "Access",
    summary: "Get new tokens for a refresh token",
    access: open,
    body: RefreshTokens,
    success: [{ status: 200, description: "New tokens; the refresh token works no more.", schema: IssuedTokens }],
    problems: ["unauthenticated", "rate_limited", "invalid_body"],
    answersSecret: true,
  }),
  createUser: endpoint({
    method: "POST",
    path: "/api/v1/users",
    tag: "Access",
    summary: "Make a user",
    access: adminOnly,
    body: CreateUser,
    success: [{ status: 201, description: "The user.", schema: User }],
    problems: ["conflict", "invalid_body"],
  }),
  listUsers: endpoint({
    method: "GET",
    path: "/api/v1/users",
    tag: "Access",
    summary: "List users, newest first",
    access: adminOnly,
    query: query(pageQuery),
    success: [{ status: 200, description: "A page of users.", schema: UserPage }],
    problems: [],
  }),
  issueTokens: endpoint({
    method: "POST",
    path: "/api/v1/users/{user_id}/tokens",
    tag: "Access",
    summary: "Issue a user's tokens",
    access: adminOnly,
    params: userParams,
    success: [{ status: 201, description: "The tokens; they are shown this once.", schema: IssuedTokens }],
    problems: ["not_found"],
    answersSecret: true,
  }),
  listAudit: endpoint({
    method: "GET",
    path: "/api/v1/audit",
    tag: "Operations",
    summary: "List changes, newest first",
    access: adminOnly,
    query: query(pageQuery),
    success: [{ status: 200, description: "A page of changes.", schema: AuditPage }],
    problems: [],
  }),
  readHealth: endpoint({
    method: "GET",
    path: "/healthz",
    tag: "Operations",
    summary: "Whether the process lives",
    access: open,
    success: [{ status: 200, description: "It does.", schema: Type.Object({ status: Type.Literal("ok") }) }],
    problems: [],
  }),
  readReadiness: endpoint({
    method: "GET",
    path: "/readyz",
    tag: "Operations",
    summary: "Whether requests can be answered",
    access: open,
    success: [{ status: 200, description: "They can.", schema: Type.Object({ status: Type.Literal("ready") }) }],
    problems: ["shutting_down", "database_unavailable"],
  }),
  readMetrics: endpoint({
    method: "GET",
    path: "/metrics",
    tag: "Operations",
    summary: "Measurements, for Prometheus",
    access: { kind: "metrics" },
    success: [{ status: 200, description: "In Prometheus' text format.", mediaTypes: ["text/plain"] }],
    problems: [],
  }),
  readOpenApi: endpoint({
    method: "GET",
    path: "/api/v1/openapi.json",
    tag: "Operations",
    summary: "This very document",
    isVersioned: true,
    access: open,
    success: [{ status: 200, description: "OpenAPI 3.1.", schema: Type.Record(Type.String(), Type.Unknown()) }],
    problems: [],
  }),
  ...runEndpoints,
  ...sourceEndpoints,
  ...agentEndpoints,
  ...logEndpoints,
  ...workerEndpoints,
  ...webhookEndpoints,
  ...artifactEndpoints,
} as const;

export type Endpoints = typeof endpoints;
export type EndpointName = keyof Endpoints;
