import { keyMakers } from "./access.ts";
import { endpoint, query } from "./endpoint.ts";
import { Timestamp } from "./ids.ts";
import { StringOrNull } from "./nullable.ts";
import { Page, pageQuery } from "./paging.ts";
import { type Static, Type } from "./schema.ts";

const Name = Type.String({
  pattern: "^(?!SLIPWAY_)[A-Za-z0-9_][A-Za-z0-9_.-]{0,99}$",
  description: "The secret's name, as documents write it. Programs find the value in a variable of this name.",
  examples: ["DATABASE_URL"],
});

const Shared = Type.Optional(
  Type.Boolean({
    default: false,
    description: "The secret for the documents of every user, which administrators set; else your own one.",
  }),
);

const SetSecret = Type.Object(
  {
    value: Type.String({
      minLength: 1,
      maxLength: 65_536,
      description: "The value. The service stores it encrypted and never returns it.",
      examples: ["correct horse battery staple"],
    }),
  },
  { additionalProperties: false, description: "The secret to store." },
);

export const Secret = Type.Object(
  {
    name: Name,
    is_shared: Type.Boolean({ description: "Whether the documents of every user may use it." }),
    updated_by: StringOrNull("The id of the user who set the value. Null if they no longer exist."),
    created_at: Timestamp("When the secret was first set."),
    updated_at: Timestamp("When the value was last set."),
  },
  { description: "A secret of the provider `slipway`, without its value." },
);

export type Secret = Static<typeof Secret>;

const SecretPage = Page("secrets", Secret, "Your own secrets and the shared ones, newest first.");

const params = Type.Object({ name: Name });

/** The secrets that the service itself keeps: the provider `slipway`. */
export const secretEndpoints = {
  setSecret: endpoint({
    method: "PUT",
    path: "/api/v1/secrets/{name}",
    tag: "Secrets",
    summary: "Set a secret of the provider `slipway`",
    access: keyMakers,
    params,
    query: query({ shared: Shared }),
    body: SetSecret,
    success: [{ status: 200, description: "The secret, without its value.", schema: Secret }],
    problems: ["conflict", "invalid_body"],
  }),
  listSecrets: endpoint({
    method: "GET",
    path: "/api/v1/secrets",
    tag: "Secrets",
    summary: "List your own secrets and the shared ones, newest first",
    access: keyMakers,
    query: query(pageQuery),
    success: [{ status: 200, description: "A page of secrets, without values.", schema: SecretPage }],
    problems: [],
  }),
  readSecret: endpoint({
    method: "GET",
    path: "/api/v1/secrets/{name}",
    tag: "Secrets",
    summary: "Tell when a secret was set; never its value",
    access: keyMakers,
    params,
    query: query({ shared: Shared }),
    success: [{ status: 200, description: "The secret, without its value.", schema: Secret }],
    problems: ["not_found"],
  }),
  removeSecret: endpoint({
    method: "DELETE",
    path: "/api/v1/secrets/{name}",
    tag: "Secrets",
    summary: "Remove a secret",
    access: keyMakers,
    params,
    query: query({ shared: Shared }),
    success: [{ status: 204, description: "The secret was removed." }],
    problems: ["not_found"],
  }),
} as const;
