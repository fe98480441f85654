import { randomUUID } from "node:crypto";
import type { Socket } from "node:net";
import fastify, { type FastifyBaseLogger, type FastifyInstance, LogController } from "fastify";
import { Refusal } from "../errors/index.ts";
import { countRequests, type Metrics } from "./metrics.ts";
import type { Principal } from "./principal.ts";
import { describeProblem, sendProblem } from "./problem.ts";
import { refuseUnserved } from "./refuse-unserved.ts";
import { securityHeaders } from "./security-headers.ts";
import { compileValidator } from "./validate.ts";

declare module "fastify" {
  interface FastifyRequest {
    principal: Principal | undefined;
  }
}

/** The framework's server; what it is made of is this folder's business. */
export type HttpServer = FastifyInstance;

interface Deps {
  readonly log: FastifyBaseLogger;
  readonly metrics: Metrics;
  /** Addresses of proxies whose word on the client's address is taken. */
  readonly trustProxy: string | false;
  /** Whether the service is stopping. */
  readonly isDraining: () => boolean;
}

/** The HTTP side without any endpoint: ids, limits, headers, problems, measurements, draining. */
export async function createHttpServer({ log, metrics, trustProxy, isDraining }: Deps): Promise<FastifyInstance> {
  const app = fastify({
    loggerInstance: log,
    logController: new LogController({ disableRequestLogging: true }),
    trustProxy,
    genReqId: ({ headers }) => requestId(headers["x-request-id"]),
    // Bodies are `BodyTimes`' concern: an upload may take as long as it keeps coming.
    requestTimeout: 0,
    connectionTimeout: 0,
    keepAliveTimeout: 72_000,
    routerOptions: { maxParamLength: 200 },
    // New requests on open connections are refused in our own words.
    return503OnClosing: false,
    // Who closes has drained before. Node takes connections that never sent a request for busy, and would wait for them.
    forceCloseConnections: true,
    clientErrorHandler,
    // Refused below, in our own words.
    http: { requireHostHeader: false, headersTimeout: 30_000 },
    // An address that no route can be looked up for: no hook has run yet.
    frameworkErrors: (error, request, reply) => {
      reply.headers(securityHeaders).header("x-request-id", request.id);
      sendProblem(error, request, reply);
    },
  });
  // An expectation that we do not know is no reason to refuse; Node would, with an answer that says nothing.
  app.server.on("checkExpectation", (request, response) => app.routing(request, response));
  app.setValidatorCompiler(compileValidator);
  app.setErrorHandler(sendProblem);
  app.decorateRequest("principal", undefined);
  takeDocuments(app);
  app.addHook("onRequest", async (request, reply) => {
    reply.headers(securityHeaders).header("x-request-id", request.id);
    if (request.headers.host === undefined && request.raw.httpVersion !== "1.0")
      throw new Refusal("malformed_request", "The Host header is missing.");
    // The database keeps no such character, so nothing can have it in its id or name.
    if (request.url.includes("%00"))
      throw new Refusal("invalid_parameter", "The address holds the character U+0000, which nothing here has.");
    if (!isDraining() || request.url === "/healthz") return;
    reply.header("connection", "close");
    throw new Refusal("shutting_down", "The service is stopping. Try again shortly.", {
      headers: { "retry-after": "5" },
    });
  });
  refuseUnserved(app);
  app.addHook("onResponse", async (request, reply) => {
    request.log.info(
      { status: reply.statusCode, ms: Math.round(reply.elapsedTime), traceparent: request.headers.traceparent },
      `${request.method} ${request.url.split("?")[0]}`,
    );
  });
  countRequests(app, metrics);
  return app;
}

/** The client's own id for the request, if it is one that can be logged; else a new one. */
function requestId(given: string | string[] | undefined): string {
  return typeof given === "string" && /^[\w.:/+=-]{1,128}$/.test(given) ? given : randomUUID();
}

/** Specification documents arrive as bytes; JSON bodies are parsed where an endpoint has a schema for them. */
function takeDocuments(app: FastifyInstance): void {
  const parseJson = app.getDefaultJsonParser("error", "error");
  app.removeAllContentTypeParsers();
  app.addContentTypeParser(
    ["application/yaml", "application/x-yaml", "text/yaml"],
    { parseAs: "buffer" },
    (_request, body, done) => done(null, body),
  );
  app.addContentTypeParser("application/json", { parseAs: "buffer" }, (request, body, done) => {
    if (request.routeOptions.schema?.body === undefined) return done(null, body);
    parseJson(request, body.toString("utf8"), done);
  });
}

/** What is no HTTP, or too much of it, is told in the same form as everything else. */
function clientErrorHandler(error: Error & { code?: string }, socket: Socket): void {
  if (error.code === "ECONNRESET" || !socket.writable) return;
  const refusal =
    error.code === "HPE_HEADER_OVERFLOW"
      ? new Refusal("headers_too_large", "The headers are larger than 16 KiB.")
      : error.code === "ERR_HTTP_REQUEST_TIMEOUT"
        ? new Refusal("request_timeout", "The request did not arrive in time.")
        : new Refusal("malformed_request", "This is not HTTP as we know it.");
  const problem = describeProblem(refusal, { requestId: randomUUID(), path: "" });
  const body = JSON.stringify(problem);
  socket.end(
    `HTTP/1.1 ${problem.status} ${problem.title}\r\nContent-Type: application/problem+json; charset=utf-8\r\n` +
      `Content-Length: ${Buffer.byteLength(body)}\r\nX-Request-Id: ${problem.request_id}\r\nConnection: close\r\n\r\n${body}`,
  );
}
