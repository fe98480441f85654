import { type Problem, type ProblemCode, type ProblemDetail, problems, problemType } from "@slipway/contract";
import type { FastifyError, FastifyReply, FastifyRequest } from "fastify";
import { BlobError, refusalOf } from "../blobs/index.ts";
import { isDatabaseUnavailable } from "../database/index.ts";
import { lacksSpace } from "../disk-space.ts";
import { Refusal } from "../errors/index.ts";

/** Answers a refusal or any other error as problem+json; details of internal errors only go to the log. */
export function sendProblem(error: unknown, request: FastifyRequest, reply: FastifyReply): void {
  const refusal = toRefusal(error);
  // What was to be answered ended with whoever waited for it.
  const isLeft = reply.raw.closed && (error as Error | undefined)?.name === "AbortError";
  if (isLeft) request.log.info("A client left before its answer.");
  else if (refusal.code === "internal_error") request.log.error({ err: error }, "A request failed.");
  else if (refusal.cause !== undefined) request.log.warn({ err: refusal.cause }, refusal.message);
  const problem = describeProblem(refusal, { requestId: request.id, path: request.url.split("?")[0] ?? "" });
  reply
    .status(problem.status)
    .headers({ ...refusal.headers, "cache-control": "no-store" })
    .type("application/problem+json; charset=utf-8")
    .send(JSON.stringify(problem));
}

export function describeProblem(
  { code, message, errors }: Refusal,
  { requestId, path }: { requestId: string; path: string },
): Problem {
  return {
    type: problemType(code),
    title: problems[code].title,
    status: problems[code].status,
    detail: message,
    instance: path,
    code,
    request_id: requestId,
    ...(errors !== undefined && { errors: [...errors] }),
  };
}

/** Refusals of the framework, as problems of the contract. */
const frameworkRefusals: Readonly<Record<string, readonly [ProblemCode, string]>> = {
  FST_ERR_CTP_BODY_TOO_LARGE: ["too_large", "The body is larger than this endpoint takes."],
  FST_ERR_CTP_INVALID_MEDIA_TYPE: ["unsupported_media_type", "Send the body as a media type that this endpoint takes."],
  FST_ERR_CTP_EMPTY_JSON_BODY: ["malformed_request", "The body is empty; send JSON."],
  FST_ERR_CTP_INVALID_JSON_BODY: ["malformed_request", "The body is not valid JSON."],
  FST_ERR_CTP_INVALID_CONTENT_LENGTH: ["malformed_request", "The body is not as long as its Content-Length says."],
  FST_ERR_BAD_URL: ["malformed_request", "The address is not well-formed."],
  FST_ERR_MAX_PARAM_LENGTH: ["not_found", "Not found."],
};

function toRefusal(error: unknown): Refusal {
  if (error instanceof Refusal) return error;
  if (error instanceof BlobError) return refusalOf(error);
  if (isDatabaseUnavailable(error)) {
    const detail = "The database cannot be reached right now. Try again shortly.";
    return new Refusal("database_unavailable", detail, { headers: { "retry-after": "1" } });
  }
  if (lacksSpace(error)) {
    const detail = "The service's disk has no space left.";
    return new Refusal("overloaded", detail, { headers: { "retry-after": "60" }, cause: error as Error });
  }
  const { code, validation, validationContext, message, statusCode } = error as FastifyError;
  if (validation !== undefined) return invalidRequest(validation, validationContext ?? "body");
  const known = frameworkRefusals[code];
  if (known !== undefined) return new Refusal(known[0], known[1]);
  if (error instanceof SyntaxError && statusCode === 400)
    return new Refusal("malformed_request", `The body is not valid JSON: ${message}.`);
  if (statusCode !== undefined && statusCode >= 400 && statusCode < 500)
    return new Refusal("malformed_request", message);
  return new Refusal("internal_error", "The service failed. Its log has the details under the request id.");
}

type Violation = NonNullable<FastifyError["validation"]>[number];

/** Invalid bodies are answered with 422, invalid parameters with 400; both list the violations that were found. */
function invalidRequest(violations: readonly Violation[], part: string): Refusal {
  const errors = violations.map(
    (violation): ProblemDetail => ({
      code: violation.keyword,
      message: describeViolation(violation),
      pointer: pointerOf(violation),
    }),
  );
  const where = { body: "body", params: "path", querystring: "query", headers: "headers" }[part] ?? "request";
  const detail = errors.map(({ pointer, message }) => (pointer === "" ? message : `${pointer}: ${message}`)).join("; ");
  return new Refusal(part === "body" ? "invalid_body" : "invalid_parameter", `The ${where} is not valid. ${detail}.`, {
    errors,
  });
}

function pointerOf({ instancePath, keyword, params }: Violation): string {
  const key =
    keyword === "required"
      ? params["missingProperty"]
      : keyword === "additionalProperties"
        ? params["additionalProperty"]
        : undefined;
  return key === undefined
    ? instancePath
    : `${instancePath}/${String(key).replaceAll("~", "~0").replaceAll("/", "~1")}`;
}

function describeViolation({ keyword, params, message = "is not valid" }: Violation): string {
  if (keyword === "required") return "is missing";
  if (keyword === "additionalProperties") return "is not known here; remove it";
  if (keyword === "enum") return `must be one of ${(params["allowedValues"] as unknown[]).join(", ")}`;
  if (keyword === "format" && params["format"] === "date-time") return 'must be a time such as "2026-11-15T09:30:00Z"';
  return message;
}
