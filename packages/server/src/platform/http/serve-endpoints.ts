import { type Endpoint, endpoints } from "@slipway/contract";
import { limits } from "@slipway/spec";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { Refusal } from "../errors/index.ts";
import type { AccessControl } from "./access-control.ts";
import type { BodyTimes } from "./body-times.ts";
import type { Call, Handler, Handlers } from "./handlers.ts";
import type { Idempotency } from "./idempotency.ts";
import { preconditionOf } from "./precondition.ts";
import type { RateLimiter } from "./rate-limiter.ts";
import { sendInTurns } from "./send-answer.ts";

interface Deps {
  readonly handlers: Handlers;
  readonly access: AccessControl;
  readonly rateLimiter: RateLimiter;
  readonly idempotency: Idempotency;
  readonly bodyTimes: BodyTimes;
}

/** Serves every endpoint of the contract at its path and its other paths. */
export function serveEndpoints(app: FastifyInstance, deps: Deps): void {
  for (const [name, described] of Object.entries(endpoints) as [keyof Handlers, Endpoint][]) {
    // Each handler takes the calls of its own endpoint; in this loop, the two always belong together.
    const handler = deps.handlers[name] as Handler<Endpoint>;
    for (const path of [described.path, ...(described.aliases ?? [])]) {
      const url = urlOf(path, described);
      if (described.takesBytes === undefined) serveEndpoint(app, url, described, handler, deps);
      // In its own scope, without the content type parsers of the others.
      else
        app.register(async (scope) => {
          leaveBodyUnread(scope);
          serveEndpoint(scope, url, described, handler, deps);
        });
    }
  }
}

/** A path in the syntax of the framework; a last parameter that may contain slashes becomes a wildcard. */
function urlOf(path: string, { endsInPath }: Endpoint): string {
  const whole = endsInPath ? path.replace(/\{\w+\}$/, "*") : path;
  return whole.replaceAll("{", ":").replaceAll("}", "");
}

function serveEndpoint(
  app: FastifyInstance,
  url: string,
  described: Endpoint,
  handler: Handler<Endpoint>,
  deps: Deps,
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
      const principal = await deps.access.admit(request, described);
      request.principal = principal;
      if (principal !== undefined) deps.rateLimiter.take(principal, reply);
    },
    preParsing: async (request) => refuseWrongMediaType(request, described),
    preValidation: async (request) => {
      if (described.endsInPath) nameWildcard(request, described);
      // A missing body counts as an empty object, which the schema may allow.
      if (body !== undefined && request.body === undefined) request.body = {};
    },
    handler: async (request, reply) => {
      const call = toCall(request, reply, described, deps);
      const answer = await deps.idempotency.run(call, described, async () => {
        request.precondition = preconditionOf(call, described, deps.handlers);
        // At once, before the change costs anything; again in its transaction.
        await request.precondition?.check();
        return handler(call);
      });
      const isVersioned = described.isVersioned === true;
      if (answer !== undefined) await sendInTurns(answer, request, reply, { isVersioned });
      return reply;
    },
  });
}

/** Gives the wildcard the parameter name that the contract has for it. */
function nameWildcard(request: FastifyRequest, { path }: Endpoint): void {
  const [, name = ""] = /\{(\w+)\}$/.exec(path) ?? [];
  const { "*": rest, ...others } = request.params as Record<string, string>;
  request.params = { ...others, [name]: rest };
}

function toCall(request: FastifyRequest, reply: FastifyReply, described: Endpoint, { access, bodyTimes }: Deps): Call {
  const { params, query, body, principal } = request;
  const isStillAdmitted = () => access.isStillAdmitted(request, described);
  const known = { params, query, principal, isStillAdmitted, request, reply };
  const { takesDocument, takesBytes } = described;
  const content = takesDocument
    ? { document: body }
    : takesBytes === undefined
      ? { body }
      : { bytes: upTo(takesBytes, request, bodyTimes) };
  // The framework has validated all of it against the schemas of this endpoint, which TypeScript cannot follow.
  return { ...known, ...content } as unknown as Call;
}

/** Leaves the body unread, for the handler to stream it. */
function leaveBodyUnread(app: FastifyInstance): void {
  app.removeAllContentTypeParsers();
  app.addContentTypeParser("*", (_request, _body, done) => done(null));
}

/** Streams the body; refuses it beyond `maxBytes`. */
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
  const found = sent === undefined ? "has no Content-Type" : `is ${sent}`;
  throw new Refusal("unsupported_media_type", `The body ${found}; send it as ${taken.join(" or ")}.`, {
    headers: { accept: taken.join(", ") },
  });
}

function hasBody({ headers }: FastifyRequest): boolean {
  return headers["transfer-encoding"] !== undefined || Number(headers["content-length"] ?? 0) > 0;
}
