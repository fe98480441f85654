import { anyUser, open, roleNames, scopeNames, withAnyScope } from "./access.ts";
import { endpoint, query } from "./endpoint.ts";
import { Id, OptionalTimestamp, Timestamp } from "./ids.ts";
import { StringOrNull } from "./nullable.ts";
import { Page, pageQuery } from "./paging.ts";
import { type Static, Type } from "./schema.ts";
import { sessionHeader } from "./session-header.ts";

const SignInCode = Type.Object(
  {
    code: Type.String({ description: "The code. It is shown only once, and works once." }),
    url: Type.String({ description: "The path that signs a browser in.", examples: ["/#sign-in=spec_oc_…"] }),
    expires_at: Timestamp("When the code expires."),
  },
  { description: "A code that signs a browser in to the dashboard." },
);

export type SignInCode = Static<typeof SignInCode>;

const Credential = Type.String({
  minLength: 1,
  maxLength: 200,
  description: "A sign-in code, an API key or a user token.",
  examples: ["spec_sk_…"],
});

export const Session = Type.Object(
  {
    user_id: Id("user", "The user's id."),
    name: Type.String({ description: "The user's name." }),
    role: Type.Enum(roleNames, { description: "The user's role." }),
    scopes: Type.Array(Type.Enum(scopeNames), { description: "What the session may do." }),
    is_api_key: Type.Boolean({ description: "Whether an API key signed in." }),
  },
  { description: "Who is signed in." },
);

export type Session = Static<typeof Session>;

const SignIn = Type.Object(
  {
    session_id: Type.String({ examples: ["01kaw3v9t2h5m8q1x7zc"] }),
    kind: Type.Enum(["browser", "token"], { description: "A browser's session, or tokens of a program." }),
    device: StringOrNull("What the browser or the program says it is. Null if it said nothing."),
    address: StringOrNull("The network address of the sign-in. Null if it was not made over the network."),
    created_at: Timestamp("When the sign-in was made."),
    last_used_at: OptionalTimestamp("When it was last used, to within a minute."),
    expires_at: OptionalTimestamp("When it ends by itself."),
    is_current: Type.Boolean({ description: "Whether the caller uses it now." }),
  },
  { description: "A sign-in that still works." },
);

export type SignIn = Static<typeof SignIn>;

const anyCaller = withAnyScope(...scopeNames);

/** Sessions of browsers: the dashboard signs in by a code or a key, and is known by a cookie from then on. */
export const sessionEndpoints = {
  createSignInCode: endpoint({
    method: "POST",
    path: "/api/v1/auth/sign-in-codes",
    tag: "Access",
    summary: "Create a code that signs a browser in as you, once",
    access: anyUser,
    success: [{ status: 201, description: "The code.", schema: SignInCode }],
    problems: [],
    answersSecret: true,
  }),
  signIn: endpoint({
    method: "POST",
    path: "/api/v1/auth/session",
    tag: "Access",
    summary: "Sign a browser in; the response sets its session cookie",
    description: `Only from the service's own pages. Changes by the cookie need an \`Origin\` of the service and the header \`${sessionHeader}\`.`,
    access: open,
    body: Type.Object({ credential: Credential }, { additionalProperties: false }),
    success: [{ status: 201, description: "The session.", schema: Session, headers: ["Set-Cookie"] }],
    problems: ["unauthenticated", "forbidden", "rate_limited", "invalid_body"],
    answersSecret: true,
  }),
  readSession: endpoint({
    method: "GET",
    path: "/api/v1/auth/session",
    tag: "Access",
    summary: "Read who you are and what you may do",
    access: anyCaller,
    success: [{ status: 200, description: "The caller.", schema: Session }],
    problems: [],
  }),
  signOut: endpoint({
    method: "DELETE",
    path: "/api/v1/auth/session",
    tag: "Access",
    summary: "Sign a browser out; its session cookie ends",
    access: anyCaller,
    success: [{ status: 204, description: "Signed out.", headers: ["Set-Cookie"] }],
    problems: [],
  }),
  listSessions: endpoint({
    method: "GET",
    path: "/api/v1/auth/sessions",
    tag: "Access",
    summary: "List your sign-ins, newest first",
    access: anyUser,
    query: query(pageQuery),
    success: [{ status: 200, description: "A page of sign-ins.", schema: Page("sessions", SignIn, "Sign-ins.") }],
    problems: [],
  }),
  endSession: endpoint({
    method: "DELETE",
    path: "/api/v1/auth/sessions/{session_id}",
    tag: "Access",
    summary: "End one of your sign-ins, with all tokens that came of it",
    description: "`current` is the one that the request is made with.",
    access: anyUser,
    params: Type.Object({
      session_id: Type.String({ description: "The sign-in's id.", examples: ["01kaw3v9t2h5m8q1x7zc", "current"] }),
    }),
    success: [{ status: 204, description: "The sign-in has ended." }],
    problems: ["not_found"],
  }),
} as const;
