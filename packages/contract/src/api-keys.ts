import { Type } from "typebox";
import { anyUser, keyMakers, scopeNames } from "./access.ts";
import { endpoint, query } from "./endpoint.ts";
import { Id, OptionalTimestamp, Timestamp } from "./ids.ts";
import { Page, pageQuery } from "./paging.ts";

export const longestKeyDays = 365;

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
  description: "A name for people, on one line.",
  examples: ["Nightly build"],
});

const CreateApiKey = Type.Object(
  {
    name: Name,
    scopes: Scopes,
    expires_at: Type.Optional(
      Type.String({
        format: "date-time",
        description: `When it ends; ${defaultKeyDays} days from now if absent, at most ${longestKeyDays}.`,
        examples: ["2027-01-31T00:00:00Z"],
      }),
    ),
  },
  { additionalProperties: false, description: "The key to make." },
);

const CreatedApiKey = Type.Object(
  {
    api_key_id: Id("apiKey", "The key's id."),
    api_key: Type.String({ description: "The key itself. It is shown this once." }),
    scopes: Scopes,
    created_at: Timestamp("When it was made."),
    expires_at: Timestamp("When it ends."),
  },
  { description: "A key that was just made." },
);

const ApiKey = Type.Object(
  {
    api_key_id: Id("apiKey", "The key's id."),
    name: Name,
    scopes: Scopes,
    created_at: Timestamp("When it was made."),
    expires_at: Timestamp("When it ends."),
    last_used_at: OptionalTimestamp("When it was used last, to the minute."),
    revoked_at: OptionalTimestamp("When it was revoked."),
  },
  { description: "A key, without its secret." },
);

const ApiKeyPage = Page("api_keys", ApiKey, "Keys, newest first.");

const RotateApiKey = Type.Object(
  {
    overlap_seconds: Type.Optional(
      Type.Integer({
        minimum: 0,
        maximum: 7 * 24 * 3600,
        default: 24 * 3600,
        description: "How long the old key goes on working.",
      }),
    ),
  },
  { additionalProperties: false, description: "How to rotate." },
);

const keyParams = Type.Object({ api_key_id: Id("apiKey", "The key's id.") });

/** Keys that programs call the API with. */
export const apiKeyEndpoints = {
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
} as const;
