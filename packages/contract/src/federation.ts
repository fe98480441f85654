import { open } from "./access.ts";
import { CreatedApiKey } from "./api-keys.ts";
import { endpoint } from "./endpoint.ts";
import { Type } from "./schema.ts";

const FederatedKey = Type.Object(
  {
    ...CreatedApiKey.properties,
    rule: Type.String({ description: "The rule of the config file that admitted the token.", examples: ["shop"] }),
  },
  { description: "A key that works for the rule's lifetime." },
);

/** Keys for CI jobs that prove who they are. */
export const federationEndpoints = {
  exchangeIdToken: endpoint({
    method: "POST",
    path: "/api/v1/auth/federate",
    tag: "Access",
    summary: "Exchange an ID token of a CI job for a short-lived API key",
    description:
      "The operator's rules (`federation` in the config file) say which issuers, audiences and claims count, and what the key may do. A token works once.",
    access: open,
    body: Type.Object(
      {
        id_token: Type.String({
          minLength: 1,
          maxLength: 16_384,
          description: "The token that the CI service signed: OpenID Connect, as a JWT.",
          examples: ["eyJhbGciOiJSUzI1NiIsInR5cCI6IkpXVCJ9…"],
        }),
      },
      { additionalProperties: false, description: "The token." },
    ),
    success: [{ status: 201, description: "The key. It is shown only once.", schema: FederatedKey }],
    problems: ["unauthenticated", "forbidden", "conflict", "provider_unavailable", "rate_limited", "invalid_body"],
    answersSecret: true,
  }),
} as const;
