import { createHmac } from "node:crypto";
import { Validator } from "@seriousme/openapi-schema-validator";
import { type Endpoint, endpoints, problems, sessionHeader, webhookEventNames } from "@slipway/contract";
import { Ajv2020 } from "ajv/dist/2020.js";
import addFormats from "ajv-formats";
import type { InjectOptions, LightMyRequestResponse } from "fastify";
import { sql } from "kysely";
import { describe, expect, test } from "vitest";
import { securityHeaders } from "../../../src/platform/http/security-headers.ts";
import { agentCalls } from "../../support/agents/agent-calls.ts";
import { workerCalls } from "../../support/agents/worker-calls.ts";
import { artifactCalls } from "../../support/artifact-calls.ts";
import { deploymentEndpointCalls } from "../../support/deployments/deployment-calls.ts";
import { runCalls } from "../../support/engine/run-calls.ts";
import { scriptedAgent } from "../../support/engine/scripted-agent.ts";
import { hookCalls } from "../../support/hook-calls.ts";
import { oneProvider, signInCalls } from "../../support/oauth/sign-in-calls.ts";
import { sourceCalls } from "../../support/source-calls.ts";
import { teamCalls } from "../../support/team-calls.ts";
import { createProject, createTestApp, smallDocument, unbuildableDocument } from "../../support/test-app.ts";
import { until } from "../../support/until.ts";
import { startReceiver } from "../../support/webhooks/receiver.ts";
import { webhookCalls } from "../../support/webhooks/webhook-calls.ts";

const { ci, ...providers } = await oneProvider();
const service = await createTestApp({ engine: { agents: [scriptedAgent()] }, ...providers });
const { call, db, adminToken, userToken, apiKey } = service;
const receiver = await startReceiver();
const stopped = await createTestApp();
const busy = await createTestApp({ requestsPerMinute: 1 });

type SpecData = Exclude<Parameters<Validator["validate"]>[0], string>;
type Schema = Record<string, unknown>;
interface Operation {
  readonly operationId: string;
  readonly summary?: string;
  readonly description?: string;
  readonly parameters: { name: string; in: string; description?: string; schema: Schema }[];
  readonly requestBody?: { content: Record<string, { schema: Schema; example?: unknown }> };
  readonly responses: Record<string, Described>;
}
interface Described {
  readonly description: string;
  readonly headers?: Record<string, { $ref: string }>;
  readonly content?: Record<string, { schema: Schema }>;
}
interface Document {
  readonly openapi: string;
  readonly paths: Record<string, Record<string, Operation>>;
  readonly webhooks: Record<string, { post: Operation }>;
  readonly components: { schemas: Record<string, Schema>; headers: Record<string, Header> };
}
interface Header {
  readonly description: string;
  readonly required: boolean;
  readonly schema: Schema;
}

const document = (await call({ url: "/api/v1/openapi.json", token: null })).json<Document>();
const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
  Object.entries(methods).map(([method, operation]) => ({ path, method: method.toUpperCase(), operation })),
);
const ajv = new Ajv2020({ strict: false, allErrors: true });
addFormats.default(ajv);

describe("the OpenAPI document", () => {
  test("is valid OpenAPI 3.1", async () => {
    const { valid, errors } = await new Validator().validate(structuredClone(document) as unknown as SpecData);
    expect(errors).toBeUndefined();
    expect(valid).toBe(true);
    expect(document.openapi).toMatch(/^3\.1\./);
  });

  test("lists every endpoint at each of its addresses, and nothing else", () => {
    const served = (Object.values(endpoints) as Endpoint[]).flatMap(({ method, path, aliases = [] }) =>
      [path, ...aliases].map((at) => `${method} ${at}`),
    );
    expect(operations.map(({ method, path }) => `${method} ${path}`).toSorted()).toEqual(served.toSorted());
  });

  test("names every kind of problem, and each under its status", () => {
    const codes = Object.keys(problems).toSorted();
    const { code } = (document.components.schemas["Problem"] as { properties: { code: { enum: string[] } } })
      .properties;
    expect(code.enum.toSorted()).toEqual(codes);
    const told = new Set<string>();
    for (const { operation } of operations) {
      for (const [status, { description }] of Object.entries(operation.responses)) {
        for (const [, name = ""] of description.matchAll(/`(\w+)`: /g)) {
          expect(String(problems[name as keyof typeof problems].status)).toBe(status);
          told.add(name);
        }
      }
    }
    expect([...told].toSorted()).toEqual(codes);
  });

  test("describes every event as a webhook", () => {
    expect(Object.keys(document.webhooks).toSorted()).toEqual(webhookEventNames.toSorted());
  });

  test("shows each event as a receiver gets it: valid, in order, and signed with the secret that it names", () => {
    for (const [name, { post }] of Object.entries(document.webhooks)) {
      const { schema, example } = post.requestBody!.content["application/json"]!;
      expect(ajv.validate(closed(schema), example), `${name} ${ajv.errorsText()}`).toBe(true);
      const { signature, ...rest } = example as { signature: string };
      expect(Object.keys(rest)).toEqual(["event", "timestamp", "project_id", "data"]);
      const [, secret = ""] = /`(whsec_\S+)`/.exec(post.description ?? "") ?? [];
      const hex = createHmac("sha256", secret).update(JSON.stringify(rest)).digest("hex");
      expect(signature).toBe(`sha256=${hex}`);
    }
  });

  test("gives every operation a summary and an id of its own", () => {
    const all = [
      ...operations.map(({ operation }) => operation),
      ...Object.values(document.webhooks).map(({ post }) => post),
    ];
    expect(all.filter(({ summary }) => !summary)).toEqual([]);
    expect(new Set(all.map(({ operationId }) => operationId)).size).toBe(all.length);
  });

  test("describes what can be sent, with an example wherever its type does not say it all", () => {
    const isSelfEvident = ({ enum: words, default: usual, examples }: Schema) =>
      (words ?? usual ?? examples) !== undefined;
    for (const { path, operation } of operations) {
      for (const parameter of operation.parameters) {
        expect(parameter.description, `${path} ${parameter.name}`).toBeTruthy();
        if (parameter.in !== "header") expect(isSelfEvident(parameter.schema), `${path} ${parameter.name}`).toBe(true);
      }
      const body = operation.requestBody?.content["application/json"]?.schema["properties"] as Record<string, Schema>;
      for (const [name, schema] of Object.entries(body ?? {})) {
        expect(schema["description"], `${path} ${name}`).toBeTruthy();
        expect(isSelfEvident(schema), `${path} ${name}`).toBe(true);
      }
      const yaml = operation.requestBody?.content["application/yaml"];
      if (yaml !== undefined) expect(yaml.example).toContain(path.endsWith("/plan") ? "tasks:" : "spec_version");
    }
  });

  test("bounds every number that can be sent: the database refuses what a column cannot hold", () => {
    const unbounded = (schema: unknown, at: string): string[] => {
      if (typeof schema !== "object" || schema === null) return [];
      const { type, maximum } = schema as Schema;
      const isNumber = [type].flat().some((one) => one === "integer" || one === "number");
      const inside = Object.entries(schema).flatMap(([name, part]) => unbounded(part, `${at}/${name}`));
      return isNumber && maximum === undefined ? [at, ...inside] : inside;
    };
    const sent = operations.flatMap(({ operation: { operationId, parameters, requestBody } }) => [
      ...parameters.flatMap(({ name, schema }) => unbounded(schema, `${operationId} ${name}`)),
      ...unbounded(requestBody?.content["application/json"]?.schema, operationId),
    ]);
    expect(sent).toEqual([]);
  });

  test("gives only examples that are valid", () => {
    let count = 0;
    const visit = (schema: unknown): void => {
      if (typeof schema !== "object" || schema === null) return;
      const { examples } = schema as { examples?: unknown };
      if (Array.isArray(examples)) {
        for (const example of examples) {
          count += 1;
          expect(ajv.validate(schema as Schema, example), JSON.stringify({ example, schema })).toBe(true);
        }
      }
      for (const part of Object.values(schema)) visit(part);
    };
    visit(document.paths);
    expect(count).toBeGreaterThan(50);
  });

  test("gives a document as its example that can be sent", async () => {
    const example = document.paths["/api/v1/projects"]?.["post"]?.requestBody?.content["application/yaml"]?.example;
    const headers = { "content-type": "application/yaml" };
    const answer = await call({ method: "POST", url: "/api/v1/projects", headers, payload: String(example) });
    expect(answer.statusCode).toBe(201);
  });
});

async function secret(name: string): Promise<string> {
  await call({ method: "PUT", url: `/api/v1/secrets/${name}`, payload: { value: "sesame" } });
  return name;
}

const member = await userToken("svc:user");

let readable: Promise<string> | undefined;

/** The same for all that only read it. */
function anyProject(): Promise<string> {
  readable ??= createProject(service, unbuildableDocument());
  return readable;
}

/** How each endpoint is called so that it succeeds; `{…}` of the path is filled in by what this makes. */
const good: Readonly<
  Record<string, () => Promise<{ param?: string; search?: string } & Omit<InjectOptions, "url"> & { query?: never }>>
> = {
  createProject: async () => documentBody,
  listProjects: async () => ({}),
  readProject: async () => ({ param: await anyProject() }),
  readProjectStatus: async () => ({ param: await anyProject() }),
  readSpec: async () => ({ param: await anyProject() }),
  listEvents: async () => ({ param: await anyProject() }),
  listApplications: async () => ({}),
  validateSpec: async () => ({ ...documentBody, payload: "id: [\nguardrail: {}" }),
  readSpecSchema: async () => ({}),
  createApiKey: async () => ({ payload: { name: "ci", scopes: ["projects:read"] } }),
  listApiKeys: async () => ({}),
  revokeApiKey: async () => ({ param: (await apiKey(["projects:read"])).id }),
  rotateApiKey: async () => ({ param: (await apiKey(["projects:read"])).id, payload: { overlap_seconds: 5 } }),
  refreshTokens: async () => ({ payload: { refresh_token: (await userToken("svc:user")).refreshToken } }),
  createSignInCode: async () => ({}),
  signIn: async () => ({
    headers: { origin: "http://localhost:80", [sessionHeader]: "1" },
    payload: { credential: (await userToken("svc:user")).token },
  }),
  readSession: async () => ({}),
  signOut: async () => ({}),
  listSessions: async () => ({}),
  endSession: async () => ({
    param: "current",
    headers: { authorization: `Bearer ${(await userToken("svc:user")).token}` },
  }),
  ...signInCalls(service, ci),
  setSecret: async () => ({ param: "KEY", payload: { value: "sesame" } }),
  listSecrets: async () => ({}),
  readSecret: async () => ({ param: await secret("KEY") }),
  removeSecret: async () => ({ param: await secret("KEY") }),
  createUser: async () => ({ payload: { name: `user-${Math.random()}`, role: "svc:readonly" } }),
  listUsers: async () => ({}),
  changeUser: async () => ({ param: (await userToken("svc:user")).userId, payload: { role: "svc:readonly" } }),
  removeUser: async () => ({ param: (await userToken("svc:user")).userId }),
  restoreUser: async () => {
    const { userId } = await userToken("svc:user");
    await call({ method: "DELETE", url: `/api/v1/users/${userId}` });
    return { param: userId };
  },
  issueTokens: async () => ({ param: (await userToken("svc:user")).userId }),
  endTokens: async () => ({ param: (await userToken("svc:user")).userId }),
  listAudit: async () => ({}),
  checkAudit: async () => ({}),
  readServiceLog: async () => ({}),
  readInstallation: async () => ({}),
  listPendingApprovals: async () => ({}),
  listSourceFiles: async () => ({ param: await anyProject() }),
  listProjectHealth: async () => ({}),
  readCaller: async () => ({}),
  readHealth: async () => ({}),
  readReadiness: async () => ({}),
  readMetrics: async () => ({}),
  readOpenApi: async () => ({}),
  readLogs: async () => ({ param: await anyProject() }),
  ...agentCalls(service),
  ...workerCalls(service),
  ...runCalls(service),
  ...sourceCalls(service),
  ...deploymentEndpointCalls(service),
  ...hookCalls(service),
  ...teamCalls(service, member.userId),
  ...webhookCalls(service, receiver),
  ...artifactCalls(service),
};
const documentBody = { headers: { "content-type": "application/yaml" }, payload: unbuildableDocument() };

/** Whose calls take what they are called with even if they fail then: a code that is valid once, a piece of a file. */
const usedUp: ReadonlySet<string> = new Set(["finishSignIn", "sendPiece"]);

type Sent = InjectOptions & { url: string; token?: string | null };

describe.each(Object.entries(endpoints) as [string, Endpoint][])("%s answers as promised", (name, described) => {
  const { method, path, aliases = [] } = described;
  const at = (template: string, param = "none_such") =>
    template
      .replace(/\{(?:\w+_id|name|provider|user_code)\}/, param)
      .replace("{user_id}", member.userId)
      .replace("{role}", "implementer")
      .replace("{environment}", "default")
      .replace("{artifact}", "docs/guide.bin");

  /** What the call that failed inside has left as it was, for the one that succeeds: making it takes most of the time. */
  let made: Awaited<ReturnType<(typeof good)[string]>> | undefined;

  test("when it stops, has too much to do, or fails inside", async () => {
    const sent = { method, url: at(path) } as Sent;
    await stopped.app.drain();
    expectPromised(path, sent, await stopped.call(sent));
    await busy.call(sent);
    expectPromised(path, sent, await busy.call(sent));
    expect(good[name], "how to call it is not known here").toBeDefined();
    const arranged = await good[name]!();
    const { param, search = "", ...options } = arranged;
    const table = /project|application|event|spec/i.test(name) ? "projects" : "audit";
    await sql`alter table ${sql.table(table)} rename to elsewhere`.execute(db);
    const failing = { method, url: at(path, param) + search, ...options } as Sent;
    const answer = await call(failing).finally(() =>
      sql`alter table elsewhere rename to ${sql.table(table)}`.execute(db),
    );
    expectPromised(path, failing, answer);
    if (!usedUp.has(name)) made = arranged;
  });

  test.each([path, ...aliases])("when all is well, at %s", async (template) => {
    const { param, search = "", ...options } = made ?? (await good[name]!());
    made = undefined;
    const sent = { method, url: at(template, param) + search, ...options } as Sent;
    const answer = await call(sent);
    expect(answer.statusCode, answer.payload).toBeLessThan(300);
    expectPromised(template, sent, answer);
    if (answer.headers.etag === undefined) return;
    const { current, again } = await untilUnchanged(sent);
    expectPromised(template, current, again, 304);
  });

  test("when it refuses", async () => {
    const { key } = await apiKey(["agents:work"]);
    const url = at(path);
    const refusals: Sent[] = [
      { url, token: null },
      { url, token: "garbage" },
      { url, token: key },
      { url },
      { url: `${url}?cursor=%21&unknown=1` },
      { url: `${url}?x=%00` },
      { url, headers: { "content-type": "application/json" }, payload: "{" },
      { url, headers: { "content-type": "application/json" }, payload: "{}" },
      { url, headers: { "content-type": "application/json" }, payload: '{"unknown":1,"name":"","refresh_token":"x"}' },
      { url, headers: { "content-type": "application/json" }, payload: '{"refresh_token":"x"}' },
      { url, headers: { "content-type": "application/yaml" }, payload: "a: [" },
      { url, headers: { "content-type": "application/yaml" }, payload: "a: b" },
      { url, headers: { "content-type": "text/plain" }, payload: "x" },
      { url, headers: { "content-type": "application/json" }, payload: " ".repeat(1024 * 1024 + 1) },
      { url, headers: { "idempotency-key": "a b" } },
    ].map((options) => ({ method, ...options }) as Sent);
    for (const sent of refusals) expectPromised(path, sent, await call(sent));
    const remoteAddress = await addressOfGuesser();
    const guess = { method, url, token: "garbage", remoteAddress, payload: { refresh_token: "x" } } as Sent;
    expectPromised(path, guess, await call(guess));
  });
});

/** Reads twice, the second time only if it changed, until no agent's work changed it in between. */
function untilUnchanged(sent: Sent) {
  return until(async () => {
    const { etag } = (await call(sent)).headers;
    const current: Sent = { ...sent, headers: { ...sent.headers, "if-none-match": String(etag) } };
    const again = await call(current);
    return again.headers.etag === etag && { current, again };
  });
}

let guesser: Promise<string> | undefined;

/** An address that has guessed tokens for too long; the clock stands still, so that it stays one. */
function addressOfGuesser(): Promise<string> {
  const remoteAddress = "10.2.2.2";
  const guess = async () => {
    for (let i = 0; i < 31; i += 1) await call({ url: "/api/v1/projects", token: "garbage", remoteAddress });
    return remoteAddress;
  };
  guesser ??= guess();
  return guesser;
}

test("the headers of each endpoint are described where they are sent", () => {
  const headersOf = (method: string, path: string, status: number) =>
    Object.keys(document.paths[path]?.[method]?.responses[status]?.headers ?? {}).toSorted();
  const always = ["RateLimit", "RateLimit-Policy", "X-Request-Id"];
  expect(headersOf("post", "/api/v1/projects", 201)).toEqual(["Idempotency-Replayed", "Location", ...always]);
  expect(headersOf("get", "/api/v1/projects", 200)).toEqual(["Link", ...always]);
  expect(headersOf("get", "/api/v1/projects/{project_id}", 200)).toEqual(["ETag", "Preference-Applied", ...always]);
  expect(headersOf("get", "/api/v1/projects/{project_id}", 304)).toEqual(["ETag", "Preference-Applied", ...always]);
  expect(headersOf("get", "/api/v1/projects", 401)).toEqual(["WWW-Authenticate", "X-Request-Id"]);
  expect(headersOf("get", "/api/v1/projects", 429)).toEqual([...always, "Retry-After"].toSorted());
  expect(headersOf("get", "/healthz", 200)).toEqual(["X-Request-Id"]);
  expect(headersOf("get", "/healthz", 503)).toEqual(["Retry-After", "X-Request-Id"]);
  expect(headersOf("get", "/healthz", 405)).toEqual(["Allow", "X-Request-Id"]);
});

test("a page that is not the last one links to the next as promised", async () => {
  for (const id of ["one", "two"]) await createProject(service, unbuildableDocument(id));
  const sent: Sent = { method: "GET", url: "/api/v1/projects?limit=1" };
  const answer = await call(sent);
  expect(answer.headers.link).toMatch(/rel="next"$/);
  expectPromised("/api/v1/projects", sent, answer, 200);
});

test("a dry run is answered as promised, and so are its refusals", async () => {
  const url = "/api/v1/projects?dry_run=true&review_plan=true";
  for (const [payload, status] of [
    [smallDocument(), 200],
    ["a: b", 422],
    ["a: [", 400],
  ] as const) {
    const sent: Sent = { method: "POST", url, headers: documentBody.headers, payload };
    expectPromised("/api/v1/projects", sent, await call(sent), status);
  }
});

test("a read that waits, and a wrong method, are answered as promised", async () => {
  const path = "/api/v1/projects/{project_id}";
  const sent: Sent = {
    method: "GET",
    url: path.replace("{project_id}", await createProject(service, unbuildableDocument())),
  };
  const waited = { ...sent, headers: { prefer: "wait=0", "if-none-match": '"none"' } };
  expectPromised(path, waited, await call(waited), 200);
  expectPromised(path, sent, await call({ ...sent, method: "PUT" }), 405);
});

test("what was answered to repeated requests is promised, too", async () => {
  const send = (payload: string) =>
    ({
      method: "POST",
      url: "/api/v1/projects",
      headers: { ...documentBody.headers, "idempotency-key": "x" },
      payload,
    }) as Sent;
  for (const [payload, status] of [
    [unbuildableDocument(), 201],
    [unbuildableDocument(), 201],
    [unbuildableDocument("other"), 422],
  ] as const) {
    expectPromised("/api/v1/projects", send(payload), await call(send(payload)), status);
  }
  const name = `user-${adminToken.slice(-8)}`;
  const user = { method: "POST", url: "/api/v1/users", payload: { name, role: "svc:user" } } as Sent;
  expectPromised("/api/v1/users", user, await call(user), 201);
  expectPromised("/api/v1/users", user, await call(user), 409);
});

test("an answer that was not promised is noticed", async () => {
  const sent: Sent = { method: "GET", url: "/healthz" };
  const { headers } = await call(sent);
  const pretend = (statusCode: number, payload: string) =>
    ({ statusCode, headers, payload, json: () => JSON.parse(payload) }) as LightMyRequestResponse;
  expect(() => expectPromised("/healthz", sent, pretend(418, "{}"))).toThrow();
  expect(() => expectPromised("/healthz", sent, pretend(200, '{"status":"ok","more":1}'))).toThrow();
  expect(() => expectPromised("/healthz", sent, pretend(200, "{}"))).toThrow();
  expectPromised("/healthz", sent, pretend(200, '{"status":"ok"}'));
  const withHeaders = (more: object) =>
    ({ ...pretend(200, '{"status":"ok"}'), headers: { ...headers, ...more } }) as never;
  expect(() => expectPromised("/healthz", sent, withHeaders({ "x-surprise": "1" }))).toThrow();
  expect(() => expectPromised("/healthz", sent, withHeaders({ "x-request-id": "" }))).toThrow();
  const { "x-request-id": _, ...fewer } = headers;
  expect(() =>
    expectPromised("/healthz", sent, { ...pretend(200, '{"status":"ok"}'), headers: fewer } as never),
  ).toThrow();
});

/** The status and the media type are listed, and the body holds what the schema names and nothing more. */
function expectPromised(path: string, sent: Sent, answer: LightMyRequestResponse, status?: number): void {
  const { statusCode, headers, payload } = answer;
  const what = `${sent.method} ${sent.url} → ${statusCode} ${payload.slice(0, 300)}`;
  if (status !== undefined) expect(statusCode, what).toBe(status);
  const response = document.paths[path]?.[String(sent.method).toLowerCase()]?.responses[statusCode];
  expect(response, `${what} is not listed`).toBeDefined();
  expectPromisedHeaders(what, response!, headers);
  const type = String(headers["content-type"] ?? "").split(";")[0] ?? "";
  if (response?.content === undefined) {
    expect(payload, what).toBe("");
    return;
  }
  expect(Object.keys(response.content), what).toContain(type);
  if (!type.endsWith("json")) return;
  const validate = validatorOf(response.content[type]!.schema);
  expect(validate(answer.json()), `${what}\n${ajv.errorsText(validate.errors)}`).toBe(true);
}

/** What is on every answer, or about how it travels: nobody looks for it in the document. */
const unsung = new Set([
  ...Object.keys(securityHeaders),
  ..."cache-control connection content-length content-type date transfer-encoding vary".split(" "),
]);

/** What is sent is described and fits its schema; what is always sent is there. */
function expectPromisedHeaders(what: string, { headers: promised = {} }: Described, sent: object): void {
  const described = new Map(Object.entries(promised).map(([name, { $ref }]) => [name.toLowerCase(), headerAt($ref)]));
  for (const [name, value] of Object.entries(sent)) {
    if (unsung.has(name)) continue;
    const header = described.get(name);
    expect(header, `${what}: the header ${name} is not described`).toBeDefined();
    const given = header!.schema["type"] === "integer" ? Number(value) : value;
    expect(validatorOf(header!.schema)(given), `${what}: ${name}: ${value}`).toBe(true);
  }
  for (const [name, { required }] of described)
    if (required) expect(Object.keys(sent), `${what}: the header is missing`).toContain(name);
}

function headerAt(ref: string): Header {
  return document.components.headers[ref.replace("#/components/headers/", "")]!;
}

const validators = new Map<string, ReturnType<typeof ajv.compile>>();
const validatorsOf = new WeakMap<Schema, ReturnType<typeof ajv.compile>>();

/** Most refusals are of one schema: it is compiled once, and each copy of it is compared with the others once. */
function validatorOf(schema: Schema): ReturnType<typeof ajv.compile> {
  const known = validatorsOf.get(schema);
  if (known) return known;
  const key = JSON.stringify(schema);
  const validate = validators.get(key) ?? ajv.compile(closed(schema));
  validators.set(key, validate);
  validatorsOf.set(schema, validate);
  return validate;
}

/** The same schema, with every object that names its properties closed to others. */
function closed(schema: unknown): Schema {
  if (Array.isArray(schema)) return schema.map(closed) as unknown as Schema;
  if (typeof schema !== "object" || schema === null) return schema as unknown as Schema;
  const { $ref } = schema as { $ref?: string };
  if ($ref !== undefined) return closed(document.components.schemas[$ref.replace("#/components/schemas/", "")]);
  const parts = Object.fromEntries(Object.entries(schema).map(([key, part]) => [key, closed(part)]));
  return "properties" in parts ? { ...parts, additionalProperties: false } : parts;
}
