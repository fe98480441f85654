import { type Static, Type } from "typebox";
import { roleNames, scopeNames } from "./access.ts";
import { Id, OptionalTimestamp, Timestamp } from "./ids.ts";
import { Page } from "./paging.ts";

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
  description: "A name for people, on one line.",
  examples: ["Nightly build"],
});

export const CreateApiKey = Type.Object(
  {
    name: Name,
    scopes: Scopes,
    expires_at: Type.Optional(
      Type.String({
        format: "date-time",
        description: `When it ends; ${defaultKeyDays} days from now if absent, at most ${maxKeyDays}.`,
        examples: ["2027-01-31T00:00:00Z"],
      }),
    ),
  },
  { additionalProperties: false, description: "The key to make." },
);

export const CreatedApiKey = Type.Object(
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
export const ApiKeyPage = Page("api_keys", ApiKey, "Keys, newest first.");

export const RotateApiKey = Type.Object(
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

export const CreateUser = Type.Object(
  {
    name: Type.String({
      maxLength: 100,
      pattern: "^[^\\s\\p{Cc}]+$",
      description: "A name without spaces, or an e-mail address.",
      examples: ["ada@example.com"],
    }),
    role: Type.Enum(roleNames, { description: "What the user may do." }),
  },
  { additionalProperties: false, description: "The user to make." },
);

export const User = Type.Object(
  {
    user_id: Id("user", "The user's id."),
    name: Type.String(),
    role: Type.Enum(roleNames),
    created_at: Timestamp("When the user was made."),
  },
  { description: "A user." },
);
export const UserPage = Page("users", User, "Users, newest first.");

export const IssuedTokens = Type.Object(
  {
    user_id: Id("user", "Whose they are."),
    token: Type.String({ description: "The user token." }),
    expires_at: Timestamp("When the token ends."),
    refresh_token: Type.String({ description: "For a new token, once; `POST /auth/refresh`." }),
    refresh_expires_at: Timestamp("When the refresh token ends."),
  },
  { description: "Tokens. They are shown this once." },
);
export type IssuedTokens = Static<typeof IssuedTokens>;

export const RefreshTokens = Type.Object(
  {
    refresh_token: Type.String({
      minLength: 1,
      maxLength: 200,
      description: "As it was given out, with the user token.",
      examples: ["spec_rt_…"],
    }),
  },
  { additionalProperties: false, description: "The refresh token." },
);

const AuditEntry = Type.Object(
  {
    at: Timestamp("When."),
    actor: Type.String({ description: "Who: a user's id." }),
    actor_name: Type.String(),
    action: Type.String({ description: "What was done.", examples: ["project.create"] }),
    target: Type.String({ description: "To what: an id." }),
    address: Type.String({ description: "From where." }),
    request_id: Type.String(),
    detail: Type.Record(Type.String(), Type.Unknown(), {
      description: "What else is known of it; `api_key_id` if it was done with a key.",
    }),
  },
  { description: "A change that somebody made." },
);
export const AuditPage = Page("entries", AuditEntry, "Changes, newest first.");
