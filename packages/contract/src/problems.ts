import { diagnosticCodes } from "@slipway/spec";
import { type Static, Type } from "typebox";

/** Every way in which the service refuses, with its HTTP status. The list is closed: clients may rely on it. */
export const problems = {
  malformed_request: { status: 400, title: "The request cannot be read" },
  invalid_yaml: { status: 400, title: "The document is no YAML" },
  invalid_parameter: { status: 400, title: "A parameter or header is wrong" },
  unauthenticated: { status: 401, title: "A valid token is needed" },
  forbidden: { status: 403, title: "The token may not do this" },
  not_found: { status: 404, title: "There is no such thing" },
  method_not_allowed: { status: 405, title: "The method is not possible here" },
  request_timeout: { status: 408, title: "The request took too long to arrive" },
  conflict: { status: 409, title: "That contradicts the current state" },
  request_in_flight: { status: 409, title: "The same request is still being carried out" },
  too_large: { status: 413, title: "The body is too large" },
  quota_exceeded: { status: 413, title: "There is no room left for artifacts" },
  unsupported_media_type: { status: 415, title: "The body's media type is not supported" },
  range_not_satisfiable: { status: 416, title: "The range lies outside of the file" },
  invalid_document: { status: 422, title: "The document is not valid" },
  plugin_failed: { status: 422, title: "A plugin failed" },
  no_agents_available: { status: 422, title: "No agent can do this" },
  invalid_body: { status: 422, title: "The body is not valid" },
  idempotency_mismatch: { status: 422, title: "The idempotency key was used for another request" },
  rate_limited: { status: 429, title: "Too many requests" },
  headers_too_large: { status: 431, title: "The headers are too large" },
  internal_error: { status: 500, title: "The service failed" },
  artifact_damaged: { status: 500, title: "The artifact's bytes are missing or damaged" },
  overloaded: { status: 503, title: "The service has too much to do" },
  shutting_down: { status: 503, title: "The service is stopping" },
  database_unavailable: { status: 503, title: "The database cannot be reached" },
} as const;

export type ProblemCode = keyof typeof problems;

/** One place in a body or a document that is wrong. */
export const ProblemDetail = Type.Object(
  {
    code: Type.String({
      description: "Which kind of problem: of documents a diagnostic code, of bodies the schema's keyword.",
      examples: Object.keys(diagnosticCodes).slice(0, 1),
    }),
    message: Type.String({ description: "What is wrong, and the remedy." }),
    pointer: Type.String({ description: "JSON Pointer to the value." }),
    line: Type.Optional(Type.Integer({ description: "From 1; of documents." })),
    column: Type.Optional(Type.Integer({ description: "From 1; of documents." })),
  },
  { description: "One place that is wrong." },
);
export type ProblemDetail = Static<typeof ProblemDetail>;

export const Problem = Type.Object(
  {
    type: Type.String({ description: "A URI that names the kind of problem." }),
    title: Type.String({ description: "The kind of problem, in words." }),
    status: Type.Integer({ description: "The HTTP status." }),
    detail: Type.String({ description: "What is wrong with this very request." }),
    instance: Type.String({ description: "The path of the request." }),
    code: Type.Enum(Object.keys(problems) as ProblemCode[], { description: "The kind of problem, for programs." }),
    request_id: Type.String({ description: "The request's id, also in the logs." }),
    errors: Type.Optional(Type.Array(ProblemDetail, { description: "Every place that is wrong." })),
  },
  { description: "Why the service refuses (RFC 9457)." },
);
export type Problem = Static<typeof Problem>;

/** The URI of a kind of problem; the reference explains it. */
export function problemType(code: ProblemCode): string {
  return `urn:slipway:problem:${code}`;
}
