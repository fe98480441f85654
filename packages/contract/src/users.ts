import { adminOnly, open, roleNames } from "./access.ts";
import { endpoint, query } from "./endpoint.ts";
import { Id, Timestamp } from "./ids.ts";
import { Page, pageQuery } from "./paging.ts";
import { type Static, Type } from "./schema.ts";

const CreateUser = Type.Object(
  {
    name: Type.String({
      maxLength: 100,
      pattern: "^[^\\s\\p{Cc}]+$",
      description: "A name without spaces, or an e-mail address.",
      examples: ["ada@example.com"],
    }),
    role: Type.Enum(roleNames, { description: "The user's role." }),
  },
  { additionalProperties: false, description: "The user to create." },
);

const userKinds = ["person", "service"] as const;

const User = Type.Object(
  {
    user_id: Id("user", "The user's id."),
    name: Type.String(),
    role: Type.Enum(roleNames),
    kind: Type.Enum(userKinds, {
      description: "`service`: a service account, which has API keys and signs in nowhere.",
    }),
    created_at: Timestamp("When the user was created."),
  },
  { description: "A user." },
);

const ChangeUser = Type.Object(
  { role: Type.Enum(roleNames, { description: "The user's new role." }) },
  { additionalProperties: false, description: "What to change." },
);

const UserPage = Page("users", User, "Users, newest first.");

export const IssuedTokens = Type.Object(
  {
    user_id: Id("user", "The user's id."),
    token: Type.String({ description: "The user token." }),
    expires_at: Timestamp("When the token expires."),
    refresh_token: Type.String({ description: "Works once, for new tokens: `POST /auth/refresh`." }),
    refresh_expires_at: Timestamp("When the refresh token expires."),
  },
  { description: "The tokens. They are shown only once." },
);

export type IssuedTokens = Static<typeof IssuedTokens>;

const RefreshTokens = Type.Object(
  {
    refresh_token: Type.String({
      minLength: 1,
      maxLength: 200,
      description: "The refresh token that came with the user token.",
      examples: ["spec_rt_…"],
    }),
  },
  { additionalProperties: false, description: "The refresh token." },
);

const userParams = Type.Object({ user_id: Id("user", "The user's id.") });

/** Users and their tokens. */
export const userEndpoints = {
  refreshTokens: endpoint({
    method: "POST",
    path: "/api/v1/auth/refresh",
    tag: "Access",
    summary: "Exchange a refresh token for new tokens",
    description:
      "A refresh token works once. If it is used again, somebody else has it: every token that came of it ends.",
    access: open,
    body: RefreshTokens,
    success: [{ status: 200, description: "New tokens. The old refresh token stops working.", schema: IssuedTokens }],
    problems: ["unauthenticated", "rate_limited", "invalid_body"],
    answersSecret: true,
  }),
  createUser: endpoint({
    method: "POST",
    path: "/api/v1/users",
    tag: "Access",
    summary: "Create a user",
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
    query: query({
      ...pageQuery,
      removed: Type.Optional(Type.Boolean({ default: false, description: "Only users who were removed." })),
    }),
    success: [{ status: 200, description: "A page of users.", schema: UserPage }],
    problems: [],
  }),
  changeUser: endpoint({
    method: "PATCH",
    path: "/api/v1/users/{user_id}",
    tag: "Access",
    summary: "Change a user's role",
    description: "The tokens and API keys of the user have the new rights at once. The last administrator stays one.",
    access: adminOnly,
    params: userParams,
    body: ChangeUser,
    success: [{ status: 200, description: "The user.", schema: User }],
    problems: ["not_found", "conflict", "invalid_body"],
  }),
  removeUser: endpoint({
    method: "DELETE",
    path: "/api/v1/users/{user_id}",
    tag: "Access",
    summary: "Remove a user",
    description:
      "The user's tokens and API keys end at once, and the user's webhooks are disabled. Projects stay, for administrators to control. The last administrator cannot be removed.",
    access: adminOnly,
    params: userParams,
    success: [{ status: 204, description: "The user was removed." }],
    problems: ["not_found", "conflict"],
  }),
  restoreUser: endpoint({
    method: "POST",
    path: "/api/v1/users/{user_id}/restore",
    tag: "Access",
    summary: "Let a removed user in again",
    description:
      "The user has their projects again, and may sign in or be issued tokens. What ended with the removal stays ended: tokens, API keys, webhooks, memberships of teams.",
    access: adminOnly,
    params: userParams,
    success: [{ status: 200, description: "The user.", schema: User }],
    problems: ["not_found", "conflict"],
  }),
  endTokens: endpoint({
    method: "DELETE",
    path: "/api/v1/users/{user_id}/tokens",
    tag: "Access",
    summary: "End all tokens and API keys of a user",
    description: "API keys too: whoever had a token could create them. The user can be issued new tokens.",
    access: adminOnly,
    params: userParams,
    success: [{ status: 204, description: "The tokens and API keys have ended." }],
    problems: ["not_found"],
  }),
  issueTokens: endpoint({
    method: "POST",
    path: "/api/v1/users/{user_id}/tokens",
    tag: "Access",
    summary: "Issue tokens for a user",
    access: adminOnly,
    params: userParams,
    success: [{ status: 201, description: "The tokens. They are shown only once.", schema: IssuedTokens }],
    problems: ["not_found"],
    answersSecret: true,
  }),
} as const;
