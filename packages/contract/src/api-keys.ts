import { anyUser, keyMakers, roleNames, scopeNames, withAnyScope } from "./access.ts";
import { endpoint, query } from "./endpoint.ts";
import { Id, OptionalTimestamp, Timestamp } from "./ids.ts";
import { StringOrNull } from "./nullable.ts";
import { Page, pageQuery } from "./paging.ts";
import { Type } from "./schema.ts";
import { TeamName } from "./team-name.ts";

export const maxKeyDays = 365;

export const defaultKeyDays = 90;

const Scopes = Type.Array(Type.Enum(scopeNames), {
  minItems: 1,
  maxItems: scopeNames.length,
  uniqueItems: true,
  description: "What the key may do.",
  examples: [["projects:create", "projects:read"]],
});

const Name = Type.String({
  maxLength: 100,
  pattern: "^(?=.*\\S)\\P{Cc}+$",
  description: "A display name on one line.",
  examples: ["Nightly build"],
});

const keyFields = {
  name: Name,
  scopes: Scopes,
  expires_at: Type.Optional(
    Type.String({
      format: "date-time",
      description: `When the key expires. Defaults to ${defaultKeyDays} days from now; at most ${maxKeyDays} days.`,
      examples: ["2027-01-31T00:00:00Z"],
    }),
  ),
};

export const KeyToCreate = Type.Object(keyFields, { additionalProperties: false, description: "The key to create." });

const CreateApiKey = Type.Object(
  {
    ...keyFields,
    team: Type.Optional(TeamName("The team that the key works for: it reaches the team's projects and nothing else.")),
  },
  { additionalProperties: false, description: "The key to create." },
);

export const CreatedApiKey = Type.Object(
  {
    api_key_id: Id("apiKey", "The key's id."),
    api_key: Type.String({ description: "The key itself. It is shown only once." }),
    scopes: Scopes,
    created_at: Timestamp("When the key was created."),
    expires_at: Timestamp("When the key expires."),
  },
  { description: "The new key." },
);

const ApiKey = Type.Object(
  {
    api_key_id: Id("apiKey", "The key's id."),
    name: Name,
    scopes: Scopes,
    created_at: Timestamp("When the key was created."),
    expires_at: Timestamp("When the key expires."),
    team_id: StringOrNull("The only team whose projects the key reaches."),
    last_used_at: OptionalTimestamp("When the key was last used, to the minute."),
    revoked_at: OptionalTimestamp("When the key was revoked."),
  },
  { description: "A key, without its secret." },
);

export const ApiKeyPage = Page("api_keys", ApiKey, "Keys, newest first.");

const RotateApiKey = Type.Object(
  {
    overlap_seconds: Type.Optional(
      Type.Integer({
        minimum: 0,
        maximum: 7 * 24 * 3600,
        default: 24 * 3600,
        description: "How long the old key keeps working.",
      }),
    ),
  },
  { additionalProperties: false, description: "How to rotate the key." },
);

const Caller = Type.Object(
  {
    user_id: Id("user", "The user."),
    name: Type.String({ description: "The user's name." }),
    role: Type.Enum(roleNames, { description: "The user's role." }),
    scopes: Type.Array(Type.Enum(scopeNames), { description: "What the token may do." }),
    api_key_id: StringOrNull("The API key that was used. Null for a user token."),
  },
  { description: "Who calls, and what they may do." },
);

const keyParams = Type.Object({ api_key_id: Id("apiKey", "The key's id.") });

/** The API keys of programs. */
export const apiKeyEndpoints = {
  readCaller: endpoint({
    method: "GET",
    path: "/api/v1/auth/whoami",
    tag: "Access",
    summary: "Read whose token this is, and what it may do",
    access: withAnyScope(...scopeNames),
    success: [{ status: 200, description: "The caller.", schema: Caller }],
    problems: [],
  }),
  createApiKey: endpoint({
    method: "POST",
    path: "/api/v1/auth/api-keys",
    tag: "Access",
    summary: "Create an API key",
    access: keyMakers,
    body: CreateApiKey,
    success: [{ status: 201, description: "The key. It is shown only once.", schema: CreatedApiKey }],
    problems: ["conflict", "invalid_body"],
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
    success: [{ status: 204, description: "The key was revoked." }],
    problems: ["not_found"],
  }),
  rotateApiKey: endpoint({
    method: "POST",
    path: "/api/v1/auth/api-keys/{api_key_id}/rotate",
    tag: "Access",
    summary: "Replace an API key; the old one keeps working for a while",
    access: keyMakers,
    params: keyParams,
    body: RotateApiKey,
    success: [{ status: 201, description: "The new key. It is shown only once.", schema: CreatedApiKey }],
    problems: ["not_found", "conflict", "invalid_body"],
    answersSecret: true,
  }),
} as const;
