import { randomUUID } from "node:crypto";
import type { RequestListener } from "node:http";
import type { Socket } from "node:net";
import fastify, { type FastifyBaseLogger, type FastifyInstance, LogController } from "fastify";
import { Refusal } from "../errors/index.ts";
import { maxOpenFiles } from "../process/index.ts";
import { boundPipelines } from "./bound-pipelines.ts";
import { countRequests, type Metrics } from "./metrics.ts";
import type { Precondition } from "./precondition.ts";
import type { Principal } from "./principal.ts";
import { refuseUnserved } from "./refuse-unserved.ts";
import { securityHeaders } from "./security-headers.ts";
import { describeProblem, sendProblem } from "./send-problem.ts";
import type { TlsContext } from "./tls-files.ts";
import { compileValidator } from "./validate.ts";

declare module "fastify" {
  interface FastifyRequest {
    principal: Principal | undefined;
    precondition: Precondition | undefined;
  }
}

/** The HTTP server; only this folder knows the framework. */
export type HttpServer = FastifyInstance;

interface Deps {
  readonly log: FastifyBaseLogger;
  readonly metrics: Metrics;
  /** Addresses of proxies that may state the client's address. */
  readonly trustProxy: string | false;
  /** The certificate and key to serve with; undefined: plain HTTP, behind a proxy or on this machine. */
  readonly tls?: TlsContext | undefined;
  /** Whether the service is stopping. */
  readonly isDraining: () => boolean;
}

/** The others are for programs, the database and what they write: without one left, nobody could be looked after. */
const maxConnections = Math.floor(maxOpenFiles() / 2);

/** Creates the HTTP server without endpoints: request ids, limits, headers, problems, metrics, draining. */
export async function createHttpServer(deps: Deps): Promise<FastifyInstance> {
  const { log, metrics, trustProxy, tls, isDraining } = deps;
  // The hook below refuses a missing Host header with a problem.
  const server = { requireHostHeader: false, headersTimeout: 30_000 };
  // The framework has a type for each kind of server, and they serve alike.
  const app: FastifyInstance = fastify({
    loggerInstance: log,
    logController: new LogController({ disableRequestLogging: true }),
    trustProxy,
    genReqId: ({ headers }) => requestId(headers["x-request-id"]),
    // `BodyTimes` limits bodies: an upload may take as long as it keeps coming.
    requestTimeout: 0,
    connectionTimeout: 0,
    keepAliveTimeout: 72_000,
    routerOptions: { maxParamLength: 200 },
    // The hook below refuses new requests on open connections with a problem.
    return503OnClosing: false,
    // The service drains before it closes. Node would wait for connections that never sent a request.
    forceCloseConnections: true,
    clientErrorHandler,
    schemaController: { compilersFactory: { buildValidator: unusedCompiler, buildSerializer: unusedCompiler } },
    ...(tls === undefined ? { http: server } : { https: { ...server, ...tls } as never }),
    // For a malformed URL, no hook has run yet.
    frameworkErrors: (error, request, reply) => {
      reply.headers(securityHeaders).header("x-request-id", request.id);
      sendProblem(error, request, reply);
    },
  });
  const listeners = app.server.listeners("request") as RequestListener[];
  app.server.removeAllListeners("request");
  for (const serve of listeners) app.server.on("request", boundPipelines(serve));
  app.server.maxConnections = maxConnections;
  // Serve requests with an unknown Expect header; Node would refuse them without a body.
  app.server.on("checkExpectation", (request, response) => app.routing(request, response));
  app.setValidatorCompiler(compileValidator);
  app.setErrorHandler(sendProblem);
  app.decorateRequest("principal", undefined);
  app.decorateRequest("precondition", undefined);
  takeDocuments(app);
  app.addHook("onRequest", async (request, reply) => {
    reply.headers(securityHeaders).header("x-request-id", request.id);
    if (request.headers.host === undefined && request.raw.httpVersion !== "1.0")
      throw new Refusal("malformed_request", "The Host header is missing.");
    // The router would take it for the start page.
    if (request.raw.url === "*") throw new Refusal("malformed_request", "The address '*' is none of a resource.");
    // Postgres cannot store this character, so no id or name contains it.
    if (request.url.includes("%00"))
      throw new Refusal("invalid_parameter", "The address contains the character U+0000, which no resource has.");
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

/** In place of the framework's own compilers, which would be loaded at each start: we set ours, and no answer has a schema. */
function unusedCompiler(): () => never {
  return () => {
    throw new Error("The framework asked for a compiler of its own.");
  };
}

/** The client's own id for the request, if it is safe to log; else a new one. */
function requestId(given: string | string[] | undefined): string {
  return typeof given === "string" && /^[\w.:/+=-]{1,128}$/.test(given) ? given : randomUUID();
}

/** Passes specification documents on as bytes; parses JSON bodies where the endpoint has a schema for them. */
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

/** How long a client that was refused may take to close its side of the connection. */
const hangUpMs = 1_000;

/** Answers malformed HTTP and oversized headers with a problem too. */
function clientErrorHandler(error: Error & { code?: string }, socket: Socket): void {
  if (error.code === "ECONNRESET" || !socket.writable) return;
  const refusal =
    error.code === "HPE_HEADER_OVERFLOW"
      ? new Refusal("headers_too_large", "The headers are larger than 16 KiB.")
      : error.code === "ERR_HTTP_REQUEST_TIMEOUT"
        ? new Refusal("request_timeout", "The request did not arrive in time.")
        : new Refusal("malformed_request", "The request is not valid HTTP.");
  const problem = describeProblem(refusal, { requestId: randomUUID(), path: "" });
  const body = JSON.stringify(problem);
  socket.end(
    `HTTP/1.1 ${problem.status} ${problem.title}\r\nContent-Type: application/problem+json; charset=utf-8\r\n` +
      `Content-Length: ${Buffer.byteLength(body)}\r\nX-Request-Id: ${problem.request_id}\r\nConnection: close\r\n\r\n${body}`,
  );
  // A client that does not hang up would keep the connection for ever. Not at once: what it still sends would cost it the answer.
  setTimeout(() => socket.destroy(), hangUpMs).unref();
}
