import { type Endpoint, endpoints } from "@slipway/contract";
import { limits } from "@slipway/spec";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { Refusal } from "../refusal.ts";
import type { AccessControl } from "./access-control.ts";
import type { Call, Handler, Handlers } from "./handlers.ts";
import type { Idempotency } from "./idempotency.ts";
import type { RateLimiter } from "./rate-limiter.ts";
import { sendAnswer } from "./send-answer.ts";

interface Parts {
  readonly handlers: Handlers;
  readonly access: AccessControl;
  readonly rateLimiter: RateLimiter;
  readonly idempotency: Idempotency;
}

/** Serves every endpoint of the contract at its path and its other paths. */
export function serveEndpoints(app: FastifyInstance, parts: Parts): void {
  for (const [name, described] of Object.entries(endpoints) as [keyof Handlers, Endpoint][]) {
    const handler = parts.handlers[name] as Handler<Endpoint>;
    for (const path of [described.path, ...(described.aliases ?? [])]) {
      const url = path.replaceAll("{", ":").replaceAll("}", "");
      serveEndpoint(app, url, described, handler, parts);
    }
  }
}

function serveEndpoint(
  app: FastifyInstance,
  url: string,
  described: Endpoint,
  handler: Handler<Endpoint>,
  parts: Parts,
): void {
  const { method, params, query, body } = described;
  app.route({
    method,
    url,
    bodyLimit: described.takesDocument ? limits.documentBytes : 256 * 1024,
    schema: {
      ...(params && { params }),
      ...(query && { querystring: query }),
      ...(body && { body }),
    },
    onRequest: async (request, reply) => {
      const principal = await parts.access.admit(request, described);
      request.principal = principal;
      if (principal !== undefined) parts.rateLimiter.take(principal.id, reply);
    },
    preParsing: async (request) => refuseWrongMediaType(request, described),
    preValidation: async (request) => {
      // A body that may be empty may be missing.
      if (body !== undefined && request.body === undefined) request.body = {};
    },
    handler: async (request, reply) => {
      const call = toCall(request, reply, described, parts.access);
      const answer = await parts.idempotency.run(call, described, () => handler(call));
      if (answer !== undefined) sendAnswer(answer, request, reply);
      return reply;
    },
  });
}

function toCall(request: FastifyRequest, reply: FastifyReply, described: Endpoint, access: AccessControl): Call {
  const { params, query, body, principal } = request;
  const isStillAdmitted = () => access.isStillAdmitted(request, described);
  const parts = { params, query, principal, isStillAdmitted, request, reply };
  return (described.takesDocument ? { ...parts, document: body } : { ...parts, body }) as unknown as Call;
}

const documentTypes = ["application/yaml", "application/x-yaml", "text/yaml", "application/json"];

function refuseWrongMediaType(request: FastifyRequest, { body, takesDocument }: Endpoint): void {
  const sent = request.headers["content-type"]?.split(";")[0]?.trim().toLowerCase();
  const taken = takesDocument ? documentTypes : body === undefined ? undefined : ["application/json"];
  if (taken === undefined || (sent !== undefined && taken.includes(sent))) return;
  const isMissing = sent === undefined && !hasBody(request);
  if (isMissing && body !== undefined && !("required" in body)) return;
  const found = sent === undefined ? "says no Content-Type" : `is ${sent}`;
  throw new Refusal("unsupported_media_type", `The body ${found}; send it as ${taken.join(" or ")}.`, {
    headers: { accept: taken.join(", ") },
  });
}

function hasBody({ headers }: FastifyRequest): boolean {
  return headers["transfer-encoding"] !== undefined || Number(headers["content-length"] ?? 0) > 0;
}
