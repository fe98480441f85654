// @module-tag soak
import { readdirSync, readFileSync } from "node:fs";
import { type Endpoint, endpoints, Problem, problems } from "@slipway/contract";
import { Ajv2020 } from "ajv/dist/2020.js";
import fc from "fast-check";
import type { InjectOptions } from "fastify";
import { describe, expect, test } from "vitest";
import { soakRuns } from "../../../../tools/soak-runs.ts";
import { arbitraryOf, hostileText, mutated } from "../support/arbitrary-of.ts";
import { exchange, type RawAnswer } from "../support/raw-http.ts";
import { createTestApp, smallDocument } from "../support/test-app.ts";

const { http, call, adminToken, apiKey, userToken } = await createTestApp();
const address = await http.listen({ host: "127.0.0.1", port: 0 });
const port = Number(new URL(address).port);
const deadlineMs = 240_000;
const isProblem = new Ajv2020({ strict: false, validateFormats: false }).compile(Problem);
const yaml = { "content-type": "application/yaml" };

const created = await call({ method: "POST", url: "/api/v1/projects", headers: yaml, payload: smallDocument() });
const project = (await call({ url: created.headers.location as string })).json<{ application_id: string }>();
const webhook = await call({
  method: "POST",
  url: "/api/v1/webhooks",
  payload: { url: "http://127.0.0.1:9/", events: ["*"], secret: "sixteen characters" },
});
// Nobody listens there: it has failed, and there is a delivery to look at.
const tried = await call({ method: "POST", url: `${webhook.headers.location}/test` });
const knownIds = {
  application_id: project.application_id,
  project_id: created.json<{ project_id: string }>().project_id,
  api_key_id: (await apiKey(["projects:read"])).id,
  user_id: (await userToken("svc:user")).userId,
  webhook_id: webhook.json<{ webhook_id: string }>().webhook_id,
  delivery_id: tried.json<{ delivery_id: string }>().delivery_id,
};

const examples = readdirSync(new URL("../../../../examples", import.meta.url))
  .filter((name) => name.endsWith(".yaml"))
  .map((name) => readFileSync(new URL(`../../../../examples/${name}`, import.meta.url), "utf8"));

const described = Object.entries(endpoints) as [string, Endpoint][];

describe("any request gets an answer that is neither a failure nor a surprise", () => {
  test.for(described)("%s", async ([, endpoint]) => {
    await fc.assert(
      fc.asyncProperty(requestTo(endpoint), async (request) => {
        const answer = await http.inject({ ...request, signal: AbortSignal.timeout(deadlineMs) });
        expectGoodAnswer(endpoint, request.method ?? "", {
          status: answer.statusCode,
          type: String(answer.headers["content-type"] ?? ""),
          body: answer.payload,
        });
      }),
      { numRuns: soakRuns(endpoint.takesDocument ? 75 : 35) },
    );
    await expectHealthy();
  });
});

test("bodies that are too large are refused as such", async () => {
  const megabyte = "x".repeat(1024 * 1024);
  const tries: [string, string, string][] = [
    ["/api/v1/projects", "application/yaml", `${smallDocument()}# ${megabyte}`],
    ["/api/v1/specs/validate", "application/json", JSON.stringify({ name: megabyte })],
    ["/api/v1/auth/api-keys", "application/json", JSON.stringify({ name: megabyte.slice(0, 300_000) })],
  ];
  for (const [url, type, payload] of tries) {
    const answer = await call({ method: "POST", url, headers: { "content-type": type }, payload });
    expect(answer.json()).toMatchObject({ status: 413, code: "too_large" });
  }
  await expectHealthy();
});

describe("any bytes on a connection get an answer, or its end", () => {
  test("requests that are odd in their head", async () => {
    await fc.assert(
      fc.asyncProperty(rawHead, fc.constantFrom("", "{}", smallDocument()), async (head, body) => {
        const answers = await exchange(port, [Buffer.from(`${head}\r\n${body}`, "latin1")], deadlineMs);
        for (const answer of answers) expectGoodRawAnswer(answer);
      }),
      { numRuns: 100, examples: oddHeads.map((head) => [head, smallDocument()]) },
    );
    await expectHealthy();
  });

  test("requests that are odd in how their body travels", async () => {
    await fc.assert(
      fc.asyncProperty(chunkedBody, async (chunks) => {
        const head = `POST /api/v1/specs/validate HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${adminToken}\r\nContent-Type: application/yaml\r\nTransfer-Encoding: chunked\r\n\r\n`;
        const answers = await exchange(port, [Buffer.from(head), ...chunks], deadlineMs);
        for (const answer of answers) expectGoodRawAnswer(answer);
      }),
      { numRuns: 40 },
    );
    await expectHealthy();
  });

  test("bytes that are no request", async () => {
    await fc.assert(
      fc.asyncProperty(fc.uint8Array({ minLength: 1, maxLength: 2_000 }), async (bytes) => {
        const answers = await exchange(port, [bytes], deadlineMs);
        for (const answer of answers) expectGoodRawAnswer(answer);
      }),
      { numRuns: 25 },
    );
    await expectHealthy();
  });

  test("a stream of events is answered at once, and ends with its reader", async () => {
    const head = `GET /api/v1/projects/${knownIds.project_id}/events HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${adminToken}\r\nAccept: text/event-stream\r\nLast-Event-ID: `;
    for (const id of ["0", "1", "99999999999999"]) {
      const [answer] = await exchange(port, [Buffer.from(`${head}${id}\r\n\r\n`)], deadlineMs, { isWhole: true });
      expect(answer).toMatchObject({ status: 200, type: "text/event-stream; charset=utf-8" });
    }
    for (const id of ["-1", "x", "1e3", "9".repeat(30)]) {
      const [answer] = await exchange(port, [Buffer.from(`${head}${id}\r\n\r\n`)], deadlineMs, { isWhole: true });
      expect(answer?.status).toBe(400);
    }
    await expectHealthy();
  });
});

interface GivenAnswer {
  readonly status: number;
  readonly type: string;
  readonly body: string;
}

function expectGoodAnswer(endpoint: Endpoint, method: string, answer: GivenAnswer): void {
  if (answer.status >= 400) {
    expectProblem(answer, method);
    return;
  }
  const successes: number[] = endpoint.success.map(({ status }) => status);
  // Another method may have an endpoint of its own at the same path.
  if (method === endpoint.method) expect([...successes, 304]).toContain(answer.status);
}

function expectProblem({ status, type, body }: GivenAnswer, method: string): void {
  expect({ status, body }).toSatisfy(() => status < 500, "an answer below 500");
  expect(type).toBe("application/problem+json; charset=utf-8");
  if (method === "HEAD") return;
  const problem: unknown = JSON.parse(body);
  expect({ isValid: isProblem(problem), errors: isProblem.errors }).toEqual({ isValid: true, errors: null });
  expect(problems[(problem as Problem).code].status).toBe(status);
  expect((problem as Problem).status).toBe(status);
}

function expectGoodRawAnswer({ status, type, body, method }: RawAnswer): void {
  if (status >= 400) expectProblem({ status, type, body }, method);
}

async function expectHealthy(): Promise<void> {
  const answer = await fetch(`${address}/healthz`, { signal: AbortSignal.timeout(deadlineMs) });
  expect([answer.status, await answer.json()]).toEqual([200, { status: "ok" }]);
}

type GivenRequest = InjectOptions & { headers: Record<string, string | string[]> };

/** Requests to an endpoint of which each part is mostly as it should be. */
function requestTo(endpoint: Endpoint): fc.Arbitrary<GivenRequest> {
  const path = fc.constantFrom(endpoint.path, ...(endpoint.aliases ?? []));
  return fc
    .record({
      path: fc.tuple(path, fc.infiniteStream(pathPart)).map(([one, parts]) => fillPath(one, parts)),
      query: mostly(queryOf(endpoint), fc.oneof(hostileText.map(encodeLoosely), fc.webQueryParameters())),
      method: mostly(fc.constant(endpoint.method), fc.constantFrom(...methods)),
      token: mostly(fc.constant(`Bearer ${adminToken}`), fc.oneof(hostileText, fc.constantFrom(...oddTokens))),
      odd: fc.oneof({ weight: 3, arbitrary: fc.constant({}) }, { weight: 2, arbitrary: oddHeaders }),
      body: bodyOf(endpoint),
    })
    .map(({ path, query, method, token, odd, body }) => ({
      method: method as "GET",
      url: query === "" ? path : `${path}?${query}`,
      headers: { authorization: token, ...body.headers, ...odd },
      ...(body.payload !== undefined && { payload: body.payload }),
    }))
    .filter(({ url }) => !isStream.test(url));
}

/** What goes on for as long as somebody reads has no answer to look at. */
const isStream = /[?&]follow=(?:true|1)\b/i;

function mostly<T>(good: fc.Arbitrary<T>, bad: fc.Arbitrary<T>): fc.Arbitrary<T> {
  return fc.oneof({ weight: 5, arbitrary: good }, { weight: 1, arbitrary: bad });
}

const methods = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"] as const;
const oddTokens = ["Bearer", "Bearer  ", "Basic YTpi", "bearer spec_ut_x", `Bearer spec_sk_${"0".repeat(79)}`];

const pathPart = fc.oneof(
  { weight: 6, arbitrary: fc.constant(undefined) },
  { weight: 2, arbitrary: fc.oneof(hostileText, fc.string({ unit: "binary" })).map(encodeLoosely) },
  {
    weight: 1,
    arbitrary: fc.constantFrom("%", "%zz", "%00", "%c0%af", "%ff", "a%2fb", "..%2f..", "%e2%28%a1", ";a=b"),
  },
  { weight: 1, arbitrary: fc.integer({ min: 190, max: 4_000 }).map((length) => "p".repeat(length)) },
);

function fillPath(path: string, parts: Iterable<string | undefined>): string {
  const iterator = parts[Symbol.iterator]();
  return path.replaceAll(/\{(\w+)\}/g, (_, name: keyof typeof knownIds) => iterator.next().value ?? knownIds[name]);
}

/** As a path, what can be written in one; lone surrogates cannot. */
function encodeLoosely(text: string): string {
  return encodeURIComponent(text.toWellFormed());
}

function queryOf({ query }: Endpoint): fc.Arbitrary<string> {
  if (query === undefined) return fc.constant("");
  const one = arbitraryOf(query).map((values) => values as Record<string, unknown>);
  const toText = (values: Record<string, unknown>) =>
    Object.entries(values)
      .map(
        ([name, value]) =>
          `${encodeLoosely(name)}=${encodeLoosely(typeof value === "string" ? value : JSON.stringify(value))}`,
      )
      .join("&");
  const odd = mutated(one).map((values) =>
    typeof values === "object" && values !== null ? toText(values as Record<string, unknown>) : "limit=%",
  );
  const repeated = one.map((values) => `${toText(values)}&${toText(values)}`);
  return fc.oneof({ weight: 3, arbitrary: one.map(toText) }, { weight: 2, arbitrary: odd }, repeated);
}

interface GivenBody {
  readonly headers: Record<string, string>;
  readonly payload?: string | Buffer;
}

function bodyOf({ body, takesDocument }: Endpoint): fc.Arbitrary<GivenBody> {
  const types = takesDocument
    ? ["application/yaml", "text/yaml; charset=utf-8", "application/x-yaml", "application/json"]
    : ["application/json", "application/json; charset=utf-8"];
  const type = mostly(fc.constantFrom(...types), fc.constantFrom(...oddTypes));
  if (takesDocument) return fc.record({ headers: typeHeader(type), payload: document });
  if (body === undefined) return fc.constant({ headers: {} });
  const good = arbitraryOf(body);
  const json = fc.oneof(good, mutated(good)).map((value) => JSON.stringify(value));
  const text = mostly(json, fc.oneof(fc.constantFrom(...oddJson), fc.string({ unit: "binary" })));
  return fc.record({ headers: typeHeader(type), payload: text });
}

function typeHeader(type: fc.Arbitrary<string>): fc.Arbitrary<Record<string, string>> {
  return type.map((one): Record<string, string> => (one === "" ? {} : { "content-type": one }));
}

const oddTypes = [
  "",
  "text/plain",
  "application/xml",
  "multipart/form-data",
  "application/json; charset=utf-16",
  "application/json;;",
  "json",
  "*/*",
  "application/yaml, application/json",
  "a".repeat(5_000),
];
const oddJson = [
  "",
  "{",
  "nul",
  '{"a":1}}',
  "\ufeff{}",
  '{"__proto__":{"x":1}}',
  '{"constructor":{"prototype":{}}}',
  '{"name":"a","name":"b"}',
  `${"[".repeat(50_000)}${"]".repeat(50_000)}`,
  `{"overlap_seconds":1${"0".repeat(400)}}`,
];

const headerText = fc.oneof(
  hostileText.filter((text) => !/[^\t\x20-\x7e\x80-\xff]/.test(text)),
  fc.string({ maxLength: 300 }),
);
/** Without what holds an answer back on purpose: long waits and streams. */
const oddHeaders = fc.dictionary(
  fc.constantFrom(
    "accept",
    "accept-encoding",
    "content-encoding",
    "if-none-match",
    "if-match",
    "idempotency-key",
    "x-request-id",
    "traceparent",
    "last-event-id",
    "range",
    "host",
    "origin",
    "cookie",
    "x-forwarded-for",
    "x-http-method-override",
    "prefer",
  ),
  fc.oneof(headerText, fc.constantFrom("*", '"1"', 'W/"1"', "wait=0", "wait=-1", "wait=1e3", "wait=99999999", "gzip")),
  { maxKeys: 4 },
);

/** Documents like the examples, with something wrong in their text, their structure or their encoding. */
const document = fc.oneof(
  { weight: 4, arbitrary: fc.constantFrom(...examples, smallDocument()).chain(editedText) },
  { weight: 2, arbitrary: mutated(fc.constant(smallObject())).map((value) => JSON.stringify(value) ?? "") },
  { weight: 1, arbitrary: fc.constantFrom(...examples).chain(encodedText) },
  { weight: 1, arbitrary: fc.uint8Array({ maxLength: 500 }).map((bytes) => Buffer.from(bytes)) },
);

const snippets = [
  "\u0000",
  "\ufeff",
  "\t",
  "&a [*a, *a]",
  "*missing",
  "<<: *x",
  "!!js/function 'x'",
  "!!binary aGk=",
  "---\n",
  "...\n",
  "? [a]\n: b\n",
  'name: "\\0"\n',
  'name: "\\ud800"\n',
  'id: "a\\u0000b"\n',
  "name: |\n\u2028x\n",
  "{".repeat(200),
  "- ".repeat(200),
  "\nid: other\n",
  "key: ".repeat(50),
  ": ",
  "\r",
  '"',
  "%YAML 9.9\n---\n",
];

function editedText(text: string): fc.Arbitrary<string> {
  const edit = fc.record({ at: fc.nat(text.length), cut: fc.nat(60), insert: fc.constantFrom("", ...snippets) });
  return fc
    .array(edit, { maxLength: 3 })
    .map((edits) => edits.reduce((now, { at, cut, insert }) => now.slice(0, at) + insert + now.slice(at + cut), text));
}

function encodedText(text: string): fc.Arbitrary<Buffer> {
  const bytes = Buffer.from(text);
  return fc.oneof(
    fc.constantFrom(
      Buffer.from(text, "utf16le"),
      Buffer.concat([Buffer.from([0xff, 0xfe]), Buffer.from(text, "utf16le")]),
    ),
    fc.tuple(fc.nat(bytes.length - 1), fc.integer({ min: 128, max: 255 })).map(([at, byte]) => {
      const copy = Buffer.from(bytes);
      copy[at] = byte;
      return copy;
    }),
  );
}

function smallObject(): unknown {
  return {
    spec_version: "1.0.0",
    id: "hello",
    name: "Hello",
    description: "Says hello.",
    outcome_type: "api",
    stack: { language: "javascript" },
    acceptance: { http_endpoints: [{ path: "/", method: "GET", status: 200 }] },
    phases: { one: { depends_on: [], acceptance: {} } },
    environments: { production: { auto_deploy: true } },
  };
}

const authorized = `Authorization: Bearer ${adminToken}\r\n`;
const oddHeads = [
  "GET / HTTP/1.1\r\n",
  "GET /healthz HTTP/1.1\r\nHost: a\r\nHost: b\r\n",
  "GET /healthz HTTP/1.0\r\n",
  "GET /healthz HTTP/9.9\r\nHost: x\r\n",
  "PRI * HTTP/2.0\r\n\r\nSM\r\n",
  "get /healthz HTTP/1.1\r\nHost: x\r\n",
  "OPTIONS * HTTP/1.1\r\nHost: x\r\n",
  "CONNECT example.org:443 HTTP/1.1\r\nHost: example.org:443\r\n",
  "TRACE /healthz HTTP/1.1\r\nHost: x\r\n",
  "PROPFIND /api/v1/projects HTTP/1.1\r\nHost: x\r\n",
  "QUERY /api/v1/projects HTTP/1.1\r\nHost: x\r\n",
  "GET http://example.org/healthz HTTP/1.1\r\nHost: x\r\n",
  "GET //healthz HTTP/1.1\r\nHost: x\r\n",
  "GET /api/v1/projects/%00 HTTP/1.1\r\nHost: x\r\n",
  "GET /\xff\xfe HTTP/1.1\r\nHost: x\r\n",
  "GET /healthz HTTP/1.1\r\nHost: x\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n",
  "GET /healthz HTTP/1.1\r\nHost: x\r\nUpgrade: h2c\r\nConnection: Upgrade, HTTP2-Settings\r\nHTTP2-Settings: AAMA\r\n",
  `GET /healthz HTTP/1.1\r\nHost: x\r\nX: ${"y".repeat(20_000)}\r\n`,
  `GET /${"y".repeat(20_000)} HTTP/1.1\r\nHost: x\r\n`,
  `GET /healthz HTTP/1.1\r\nHost: x\r\n${"X: y\r\n".repeat(2_500)}`,
  "GET /healthz HTTP/1.1\r\nHost: x\r\n bad: folded\r\n",
  "GET /healthz HTTP/1.1\r\nHost: x\r\nBad Header: y\r\n",
  "GET /healthz HTTP/1.1\r\nHost: x\r\nNul: a\0b\r\n",
  "GET /healthz HTTP/1.1\nHost: x\n",
  ...["Content-Length: 3, 3", "Content-Length: -1", "Content-Length: +5", "Content-Length: 99999999999999999999"]
    .concat("Content-Length: 2\r\nContent-Length: 3", "Content-Length: 2\r\nTransfer-Encoding: chunked")
    .concat(
      "Transfer-Encoding: gzip",
      "Transfer-Encoding: chunked, identity",
      "Content-Length: 0",
      "Expect: 100-continue",
    )
    .concat("Expect: something-else\r\nContent-Length: 105", "Content-Encoding: gzip\r\nContent-Length: 105")
    .map(
      (header) =>
        `POST /api/v1/specs/validate HTTP/1.1\r\nHost: x\r\n${authorized}Content-Type: application/yaml\r\n${header}\r\n`,
    ),
];

const headerLine = fc.oneof(
  fc.constantFrom(authorized, authorized + authorized, "Connection: close\r\n", "Content-Type: application/json\r\n"),
  fc.constantFrom("Expect: 100-continue\r\n", "Content-Length: 2\r\n", "Content-Length: x\r\n", "Trailer: X\r\n"),
  fc
    .tuple(fc.constantFrom("X-Request-Id", "Accept", "Cookie", "Prefer", "Idempotency-Key"), fc.string())
    .map(([name, value]) => `${name}: ${value}\r\n`),
  fc.string({ maxLength: 40 }).map((text) => `${text}\r\n`),
);
const rawHead = fc
  .record({
    method: mostly(fc.constantFrom<string>(...methods), fc.constantFrom("G ET", "", "TRACE", "M-SEARCH", "\u00e9")),
    path: fc.oneof(fc.constantFrom(...described.map(([, { path }]) => fillPath(path, []))), fc.webPath(), fc.string()),
    version: mostly(fc.constant("HTTP/1.1"), fc.constantFrom("HTTP/1.0", "HTTP/2", "HTTP/1.1 ", "")),
    host: mostly(fc.constant("Host: x\r\n"), fc.constantFrom("", "Host:\r\n", "Host: a/b c\r\n")),
    lines: fc.array(headerLine, { maxLength: 6 }),
  })
  .map(({ method, path, version, host, lines }) => `${method} ${path} ${version}\r\n${host}${lines.join("")}`)
  // A wait that was asked for is not a hang.
  .filter((head) => !/wait\s*=/i.test(head) && !/event-stream/i.test(head));

/** Chunks as they should be, and as they should not. */
const chunkedBody = fc
  .array(
    fc.oneof(
      fc.string({ minLength: 1, maxLength: 50 }).map((text) => {
        const bytes = Buffer.from(text);
        return Buffer.concat([Buffer.from(`${bytes.length.toString(16)}\r\n`), bytes, Buffer.from("\r\n")]);
      }),
      fc
        .constantFrom(
          "zz\r\n",
          "-1\r\n",
          "5\r\nabc",
          "ffffffffffffffffff\r\n",
          "3;a=b\r\nabc\r\n",
          "0\r\nX: y\r\n\r\n",
          "\r\n",
        )
        .map((text) => Buffer.from(text)),
      fc.integer({ min: 1, max: 40_000 }).map((length) => Buffer.from(`1;${"e".repeat(length)}\r\na\r\n`)),
      fc.uint8Array({ minLength: 1, maxLength: 20 }).map((bytes) => Buffer.from(bytes)),
    ),
    { maxLength: 6 },
  )
  .map((chunks) => [...chunks, Buffer.from("0\r\n\r\n")]);
