import { adminOnly, roleNames } from "./access.ts";
import { ApiKeyPage, CreatedApiKey, KeyToCreate } from "./api-keys.ts";
import { endpoint, query } from "./endpoint.ts";
import { Id, Timestamp } from "./ids.ts";
import { StringOrNull } from "./nullable.ts";
import { Page, pageQuery } from "./paging.ts";
import { Type } from "./schema.ts";
import { TeamName } from "./team-name.ts";

const CreateServiceAccount = Type.Object(
  {
    name: Type.String({
      maxLength: 100,
      pattern: "^[^\\s\\p{Cc}]+$",
      description: "A name without spaces.",
      examples: ["release-pipeline"],
    }),
    role: Type.Enum(roleNames, { description: "What its keys may do at most." }),
    team: Type.Optional(TeamName("The team that it works for: it reaches the team's projects and nothing else.")),
  },
  { additionalProperties: false, description: "The service account to create." },
);

const ServiceAccount = Type.Object(
  {
    user_id: Id("user", "The account's id."),
    name: Type.String({ description: "Its name." }),
    role: Type.Enum(roleNames, { description: "What its keys may do at most." }),
    team_id: StringOrNull("The only team that it works for. Null: the installation."),
    created_at: Timestamp("When it was created."),
  },
  { description: "A service account: it has API keys, and nobody signs in as it." },
);

const ServiceAccountPage = Page("service_accounts", ServiceAccount, "Service accounts, newest first.");

const accountParams = Type.Object({ user_id: Id("user", "The account's id.") });

/** Service accounts: owners of API keys who are no people, and so do not leave. */
export const serviceAccountEndpoints = {
  createServiceAccount: endpoint({
    method: "POST",
    path: "/api/v1/service-accounts",
    tag: "Access",
    summary: "Create a service account",
    description: "It stays when its creator goes. Remove it as a user: `DELETE /users/{user_id}`.",
    access: adminOnly,
    body: CreateServiceAccount,
    success: [{ status: 201, description: "The service account.", schema: ServiceAccount }],
    problems: ["not_found", "conflict", "invalid_body"],
  }),
  listServiceAccounts: endpoint({
    method: "GET",
    path: "/api/v1/service-accounts",
    tag: "Access",
    summary: "List service accounts, newest first",
    access: adminOnly,
    query: query(pageQuery),
    success: [{ status: 200, description: "A page of service accounts.", schema: ServiceAccountPage }],
    problems: [],
  }),
  createServiceKey: endpoint({
    method: "POST",
    path: "/api/v1/service-accounts/{user_id}/api-keys",
    tag: "Access",
    summary: "Create an API key of a service account",
    access: adminOnly,
    params: accountParams,
    body: KeyToCreate,
    success: [{ status: 201, description: "The key. It is shown only once.", schema: CreatedApiKey }],
    problems: ["not_found", "conflict", "invalid_body"],
    answersSecret: true,
  }),
  listServiceKeys: endpoint({
    method: "GET",
    path: "/api/v1/service-accounts/{user_id}/api-keys",
    tag: "Access",
    summary: "List the API keys of a service account, newest first",
    access: adminOnly,
    params: accountParams,
    query: query(pageQuery),
    success: [{ status: 200, description: "A page of keys, without their secrets.", schema: ApiKeyPage }],
    problems: ["not_found"],
  }),
} as const;
