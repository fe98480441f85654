import { type Endpoint, endpoints } from "@slipway/contract";
import { limits } from "@slipway/spec";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { Refusal } from "../errors/index.ts";
import type { AccessControl } from "./access-control.ts";
import type { BodyTimes } from "./body-times.ts";
import type { Call, Handler, Handlers } from "./handlers.ts";
import type { Idempotency } from "./idempotency.ts";
import type { RateLimiter } from "./rate-limiter.ts";
import { sendAnswer } from "./send-answer.ts";

interface Deps {
  readonly handlers: Handlers;
  readonly access: AccessControl;
  readonly rateLimiter: RateLimiter;
  readonly idempotency: Idempotency;
  readonly bodyTimes: BodyTimes;
}

/** Serves every endpoint of the contract at its path and its other paths. */
export function serveEndpoints(app: FastifyInstance, parts: Deps): void {
  for (const [name, described] of Object.entries(endpoints) as [keyof Handlers, Endpoint][]) {
    const handler = parts.handlers[name] as Handler<Endpoint>;
    for (const path of [described.path, ...(described.aliases ?? [])]) {
      const url = urlOf(path, described);
      if (described.takesBytes === undefined) serveEndpoint(app, url, described, handler, parts);
      // In a scope of its own: elsewhere a media type says how the body is read.
      else
        app.register(async (scope) => {
          takeAnyBytes(scope);
          serveEndpoint(scope, url, described, handler, parts);
        });
    }
  }
}

/** A path as the framework writes it; a last parameter that may hold slashes is all that follows. */
function urlOf(path: string, { endsInPath }: Endpoint): string {
  const whole = endsInPath ? path.replace(/\{\w+\}$/, "*") : path;
  return whole.replaceAll("{", ":").replaceAll("}", "");
}

function serveEndpoint(
  app: FastifyInstance,
  url: string,
  described: Endpoint,
  handler: Handler<Endpoint>,
  parts: Deps,
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
      if (described.endsInPath) nameRest(request, described);
      // A body that may be empty may be missing.
      if (body !== undefined && request.body === undefined) request.body = {};
    },
    handler: async (request, reply) => {
      const call = toCall(request, reply, described, parts);
      const answer = await parts.idempotency.run(call, described, () => handler(call));
      if (answer !== undefined) sendAnswer(answer, request, reply);
      return reply;
    },
  });
}

/** What follows has the name that the contract gives it. */
function nameRest(request: FastifyRequest, { path }: Endpoint): void {
  const [, name = ""] = /\{(\w+)\}$/.exec(path) ?? [];
  const { "*": rest, ...others } = request.params as Record<string, string>;
  request.params = { ...others, [name]: rest };
}

function toCall(request: FastifyRequest, reply: FastifyReply, described: Endpoint, { access, bodyTimes }: Deps): Call {
  const { params, query, body, principal } = request;
  const isStillAdmitted = () => access.isStillAdmitted(request, described);
  const known = { params, query, principal, isStillAdmitted, request, reply };
  if (described.takesDocument) return { ...known, document: body } as unknown as Call;
  if (described.takesBytes === undefined) return { ...known, body } as unknown as Call;
  return { ...known, bytes: upTo(described.takesBytes, request, bodyTimes) } as unknown as Call;
}

/** The body is not read before the handler does. */
function takeAnyBytes(app: FastifyInstance): void {
  app.removeAllContentTypeParsers();
  app.addContentTypeParser("*", (_request, _body, done) => done(null));
}

/** The body as it comes, until there is too much of it. */
async function* upTo(
  maxBytes: number,
  { raw, headers }: FastifyRequest,
  bodyTimes: BodyTimes,
): AsyncGenerator<Uint8Array> {
  const refusal = new Refusal("too_large", `The body is larger than ${maxBytes} bytes.`);
  if (Number(headers["content-length"] ?? 0) > maxBytes) throw refusal;
  let length = 0;
  for await (const chunk of bodyTimes.steady(raw)) {
    length += chunk.length;
    if (length > maxBytes) throw refusal;
    yield chunk;
  }
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
