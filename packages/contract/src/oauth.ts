import { open } from "./access.ts";
import { endpoint } from "./endpoint.ts";
import { Timestamp } from "./ids.ts";
import { type Static, Type } from "./schema.ts";
import { Session } from "./sessions.ts";

const SignInProvider = Type.Object(
  {
    name: Type.String({ description: "The name in addresses.", examples: ["github"] }),
    label: Type.String({ description: "The name for people.", examples: ["GitHub"] }),
    provider: Type.Enum(["github", "google", "azure", "custom"], { description: "The kind of provider." }),
  },
  { description: "A provider that people sign in with." },
);

export type SignInProvider = Static<typeof SignInProvider>;

const params = Type.Object({
  provider: Type.String({ maxLength: 40, description: "The provider's name.", examples: ["github"] }),
});

const returnTo = Type.String({
  maxLength: 500,
  pattern: "^/(?![/\\\\])[\\x21-\\x7e]*$",
  description: "The page to go to afterwards: a path of the service.",
  examples: ["/projects"],
});

/** Sign-in with a provider that the operator declared, by the service's own pages. */
export const oauthEndpoints = {
  listSignInProviders: endpoint({
    method: "GET",
    path: "/api/v1/auth/providers",
    tag: "Access",
    summary: "List the providers that people sign in with",
    access: open,
    success: [
      {
        status: 200,
        description: "The providers.",
        schema: Type.Object({ providers: Type.Array(SignInProvider) }, { description: "The providers." }),
      },
    ],
    problems: [],
  }),
  beginSignIn: endpoint({
    method: "POST",
    path: "/api/v1/auth/oauth/{provider}/begin",
    tag: "Access",
    summary: "Begin to sign a browser in with a provider",
    description: "Only from the service's own pages. The sign-in belongs to this browser, and must end in ten minutes.",
    access: open,
    params,
    body: Type.Object(
      { return_to: Type.Optional(returnTo) },
      { additionalProperties: false, description: "What to do afterwards." },
    ),
    success: [
      {
        status: 201,
        description: "Where the browser signs in.",
        schema: Type.Object(
          {
            url: Type.String({ description: "The provider's page." }),
            expires_at: Timestamp("When the sign-in must have ended."),
          },
          { description: "A sign-in that has begun." },
        ),
        headers: ["Set-Cookie"],
      },
    ],
    problems: ["not_found", "forbidden", "provider_unavailable", "invalid_body"],
    answersSecret: true,
  }),
  finishSignIn: endpoint({
    method: "POST",
    path: "/api/v1/auth/oauth/{provider}/finish",
    tag: "Access",
    summary: "Sign a browser in that came back from a provider; the response sets its session cookie",
    description: "Only from the service's own pages, once, and in the browser that began.",
    access: open,
    params,
    body: Type.Object(
      {
        parameters: Type.String({
          minLength: 1,
          maxLength: 8_000,
          description: "The query with which the provider sent the browser back.",
          examples: ["code=…&state=…"],
        }),
      },
      { additionalProperties: false, description: "What the provider answered." },
    ),
    success: [
      {
        status: 201,
        description: "The session.",
        schema: Type.Object(
          { session: Session, return_to: Type.String({ description: "The page to go to." }) },
          { description: "The session, and where to go." },
        ),
        headers: ["Set-Cookie"],
      },
    ],
    problems: ["not_found", "unauthenticated", "forbidden", "rate_limited", "provider_unavailable", "invalid_body"],
    answersSecret: true,
  }),
} as const;
