import { diagnosticCodes } from "@slipway/spec";
import { type Static, Type } from "./schema.ts";

/** Every problem the service can return, with its HTTP status. The list is closed: clients may rely on it. */
export const problems = {
  malformed_request: { status: 400, title: "The request is malformed" },
  invalid_yaml: { status: 400, title: "The document is not valid YAML" },
  invalid_parameter: { status: 400, title: "A parameter or header is not valid" },
  authorization_pending: { status: 400, title: "Nobody has let the device in yet" },
  slow_down: { status: 400, title: "The device asks too often" },
  access_denied: { status: 400, title: "Somebody refused to let the device in" },
  expired_token: { status: 400, title: "The device's code has expired" },
  unauthenticated: { status: 401, title: "A valid token is required" },
  forbidden: { status: 403, title: "The token does not permit this" },
  not_found: { status: 404, title: "Not found" },
  method_not_allowed: { status: 405, title: "Method not allowed" },
  request_timeout: { status: 408, title: "The request took too long to arrive" },
  conflict: { status: 409, title: "The request conflicts with the current state" },
  request_in_flight: { status: 409, title: "A request with the same idempotency key is in flight" },
  precondition_failed: { status: 412, title: "The resource is not as If-Match says" },
  too_large: { status: 413, title: "The body is too large" },
  quota_exceeded: { status: 413, title: "The artifact quota is exceeded" },
  unsupported_media_type: { status: 415, title: "The body's media type is not supported" },
  range_not_satisfiable: { status: 416, title: "The range is outside the file" },
  invalid_document: { status: 422, title: "The document is not valid" },
  plugin_failed: { status: 422, title: "A plugin failed" },
  no_agents_available: { status: 422, title: "No suitable agent is available" },
  invalid_body: { status: 422, title: "The body is not valid" },
  idempotency_mismatch: { status: 422, title: "The idempotency key was used for another request" },
  rate_limited: { status: 429, title: "Too many requests" },
  headers_too_large: { status: 431, title: "The request headers are too large" },
  internal_error: { status: 500, title: "Internal error" },
  artifact_damaged: { status: 500, title: "The artifact's bytes are missing or damaged" },
  provider_unavailable: { status: 503, title: "The sign-in provider cannot be asked" },
  overloaded: { status: 503, title: "The service is overloaded" },
  shutting_down: { status: 503, title: "The service is shutting down" },
  storage_unavailable: { status: 503, title: "The service cannot store files" },
  database_unavailable: { status: 503, title: "The database is unavailable" },
} as const;

export type ProblemCode = keyof typeof problems;

/** One invalid value in a body or a document. */
export const ProblemDetail = Type.Object(
  {
    code: Type.String({
      description: "The diagnostic code for a document, or the schema keyword for a body.",
      examples: Object.keys(diagnosticCodes).slice(0, 1),
    }),
    message: Type.String({ description: "What is wrong and how to fix it." }),
    pointer: Type.String({ description: "JSON Pointer to the value." }),
    line: Type.Optional(Type.Integer({ description: "Counts from 1; only for documents." })),
    column: Type.Optional(Type.Integer({ description: "Counts from 1; only for documents." })),
  },
  { description: "One invalid value." },
);
export type ProblemDetail = Static<typeof ProblemDetail>;

export const Problem = Type.Object(
  {
    type: Type.String({ description: "The URI of the problem type." }),
    title: Type.String({ description: "The title of the problem type." }),
    status: Type.Integer({ description: "The HTTP status." }),
    detail: Type.String({ description: "What is wrong with this request." }),
    instance: Type.String({ description: "The request's path." }),
    code: Type.Enum(Object.keys(problems) as ProblemCode[], { description: "The problem code, for programs." }),
    request_id: Type.String({ description: "The request's id, as in the logs." }),
    errors: Type.Optional(Type.Array(ProblemDetail, { description: "Every invalid value." })),
  },
  { description: "Why the service refused the request (RFC 9457)." },
);
export type Problem = Static<typeof Problem>;

/** The URI of a problem type. */
export function problemType(code: ProblemCode): string {
  return `urn:slipway:problem:${code}`;
}
