import { randomBytes } from "node:crypto";
import { METHODS } from "node:http";
import { problems } from "@slipway/contract";
import { sql } from "kysely";
import { beforeAll, describe, expect, test } from "vitest";
import { exchange } from "../../support/raw-http.ts";
import { createProject, createTestApp, smallDocument } from "../../support/test-app.ts";

const service = await createTestApp();
const others = await createTestApp();
const { call, db, http } = service;
const json = { "content-type": "application/json" };
const keys = "/api/v1/auth/api-keys";
const goodKey = { name: "ci", scopes: ["projects:read"] };

interface Told {
  readonly code: string;
  readonly detail: string;
  readonly errors: { code: string; pointer: string }[];
}

describe("a refusal", () => {
  test("is problem+json with all its members", async () => {
    const answer = await call({ url: "/api/v1/projects/none?x=1", headers: { "x-request-id": "req-2" } });
    expect(answer.headers["content-type"]).toBe("application/problem+json; charset=utf-8");
    expect(answer.headers["cache-control"]).toBe("no-store");
    expect(answer.json()).toEqual({
      type: "urn:slipway:problem:not_found",
      title: problems.not_found.title,
      status: 404,
      detail: expect.stringMatching(/./),
      instance: "/api/v1/projects/none",
      code: "not_found",
      request_id: "req-2",
    });
  });

  test("lists all that is wrong with a body, and of one with many values what is wrong first", async () => {
    const scopesOf = (scopes: unknown[]) =>
      call({ method: "POST", url: keys, headers: json, payload: { name: 1, scopes } });
    const few = await scopesOf(["nothing", 1]);
    expect(few.json<Told>().errors.map(({ pointer }) => pointer)).toEqual(
      expect.arrayContaining(["/name", "/scopes/0", "/scopes/1"]),
    );
    for (const scopes of [Array(100_000).fill(1), Array(60_000).fill({}), [Array(60_000).fill([])]]) {
      const many = await scopesOf(scopes);
      expect(many.json()).toMatchObject({ status: 422, code: "invalid_body" });
      expect(many.payload.length).toBeLessThan(10_000);
    }
  });

  test("of an address that leads nowhere is 404 of the same form, with or without a token", async () => {
    for (const url of ["/", "/api", "/api/v2/projects", "/API/v1/projects", "//", "/docs/../etc"]) {
      const answer = await call({ url, token: null });
      expect(answer.json(), url).toMatchObject({ status: 404, code: "not_found", request_id: expect.any(String) });
    }
  });

  test("of an address that cannot be read has the same form", async () => {
    const wrong = ["/api/v1/projects/%zz", "/api/v1/projects/%ff", `/api/v1/projects/${"a".repeat(300)}`, "/%"];
    for (const url of wrong) {
      const answer = await call({ url });
      expect(answer.headers["content-type"], url).toMatch(/^application\/problem\+json/);
      expect([400, 404]).toContain(answer.statusCode);
      expect(answer.headers["x-request-id"]).toBe(answer.json<{ request_id: string }>().request_id);
    }
  });

  test("of a NUL in the address is 400, wherever it stands", async () => {
    for (const url of ["/api/v1/projects/%00", "/api/v1/projects?q=%00", "/api/v1/projects?id=a%00b"]) {
      expect((await call({ url })).json(), url).toMatchObject({ status: 400, code: "invalid_parameter" });
    }
  });
});

describe("the request id", () => {
  test.each(["req-1", "a".repeat(128), "00-4bf92f3577b34da6a3ce929d0e0e4736:1/2+3=_."])(
    "%s is taken over",
    async (id) => {
      const answer = await call({ url: "/healthz", headers: { "x-request-id": id } });
      expect(answer.headers["x-request-id"]).toBe(id);
    },
  );

  test.each(["", " ", "a b", "a".repeat(129), "é", '"><script>', "a,b", "%0d%0a"])(
    "%j is replaced by ours",
    async (id) => {
      const answer = await call({ url: "/healthz", headers: { "x-request-id": id } });
      expect(answer.headers["x-request-id"]).toMatch(/^[0-9a-f-]{36}$/);
    },
  );

  test("is another one for every request", async () => {
    const ids = await Promise.all([1, 2, 3].map(async () => (await call({ url: "/nothing" })).headers["x-request-id"]));
    expect(new Set(ids).size).toBe(3);
  });
});

describe("a method that is not there", () => {
  test.each([
    ["DELETE", "/api/v1/projects", "GET, HEAD, POST"],
    ["POST", "/api/v1/projects/x", "DELETE, GET, HEAD"],
    ["PUT", "/v1/projects/x/status", "GET, HEAD"],
    ["GET", "/api/v1/specs/validate", "POST"],
    ["HEAD", "/api/v1/auth/refresh", "POST"],
    ["PATCH", `${keys}/x`, "DELETE"],
    ["OPTIONS", "/healthz", "GET, HEAD"],
    ["POST", "/api/v1/openapi.json", "GET, HEAD"],
    ["DELETE", "/api/v1/schema/spec.json?x=1", "GET, HEAD"],
    ["PUT", "/docs", "GET, HEAD"],
  ] as const)("%s %s is 405 and names what is possible", async (method, url, allowed) => {
    const answer = await call({ method, url, token: null });
    expect(answer.statusCode).toBe(405);
    expect(String(answer.headers.allow).split(", ").toSorted().join(", ")).toBe(allowed);
  });
});

describe("a body", () => {
  test("of a wrong or missing media type is refused with 415 and the accepted ones", async () => {
    const sent: [string, Record<string, string>, string | Buffer][] = [
      ["/api/v1/projects", {}, smallDocument()],
      ["/api/v1/projects", { "content-type": "text/plain" }, smallDocument()],
      ["/api/v1/projects", { "content-type": "multipart/form-data; boundary=x" }, smallDocument()],
      ["/api/v1/specs/validate", { "content-type": "application/xml" }, smallDocument()],
      [keys, { "content-type": "application/x-www-form-urlencoded" }, "name=ci"],
      [keys, { "content-type": "application/yaml" }, "name: ci"],
      ["/api/v1/users/usr_x/tokens", { "content-type": "text/plain" }, "x"],
    ];
    for (const [url, headers, payload] of sent) {
      const answer = await call({ method: "POST", url, headers, payload });
      expect(answer.json(), url).toMatchObject({ status: 415, code: "unsupported_media_type" });
    }
    const { headers } = await call({
      method: "POST",
      url: keys,
      headers: { "content-type": "text/plain" },
      payload: "x",
    });
    expect(headers["accept"]).toBe("application/json");
  });

  test.each([
    "application/yaml",
    "application/x-yaml",
    "text/yaml; charset=utf-8",
    "APPLICATION/YAML",
    'application/yaml;version="1.2"',
  ])("of type %s is a document", async (type) => {
    const answer = await call({
      method: "POST",
      url: "/api/v1/projects",
      headers: { "content-type": type },
      payload: smallDocument(),
    });
    expect(answer.statusCode).toBe(201);
  });

  test.each([
    ["broken", '{"name":'],
    ["empty", ""],
    ["with __proto__", '{"name":"ci","scopes":["projects:read"],"__proto__":{"isAdmin":true}}'],
    ["with a poisoned constructor", '{"name":"ci","constructor":{"prototype":{"isAdmin":true}}}'],
    ["two values", "{}{}"],
    ["YAML", "name: ci"],
  ])("of JSON that is %s is 400", async (_, payload) => {
    const answer = await call({ method: "POST", url: keys, headers: json, payload });
    expect(answer.json()).toMatchObject({ status: 400, code: "malformed_request" });
    expect(({} as { isAdmin?: boolean }).isAdmin).toBeUndefined();
  });

  test("that names a key twice means the last one", async () => {
    const payload = '{"name":"first","name":"last","scopes":["projects:read"]}';
    expect((await call({ method: "POST", url: keys, headers: json, payload })).statusCode).toBe(201);
    const { api_keys } = (await call({ url: `${keys}?limit=100` })).json<{ api_keys: { name: string }[] }>();
    expect(api_keys.map(({ name }) => name)).toContain("last");
    expect(api_keys.map(({ name }) => name)).not.toContain("first");
  });

  test.each(["null", "[]", '"text"', "1", "true"])("of JSON that is %s, not an object, is 422", async (payload) => {
    const answer = await call({ method: "POST", url: keys, headers: json, payload });
    expect(answer.json()).toMatchObject({ status: 422, code: "invalid_body" });
  });

  test("with several mistakes is answered with all of them, with pointers; unknown keys too", async () => {
    const payload = { scopes: ["projects:read", 7], expires_at: 5, "a/b~c": 1 };
    const { detail, errors } = (await call({ method: "POST", url: keys, payload })).json<Told>();
    expect(new Set(errors.map(({ pointer }) => pointer))).toEqual(
      new Set(["/name", "/scopes/1", "/expires_at", "/a~1b~0c"]),
    );
    for (const { pointer } of errors) expect(detail).toContain(pointer);
    expect(errors.find(({ pointer }) => pointer === "/a~1b~0c")?.code).toBe("additionalProperties");
  });

  test("of JSON may have 256 KiB and not a byte more", async () => {
    const text = JSON.stringify(goodKey);
    const sized = (bytes: number) => text + " ".repeat(bytes - text.length);
    const send = (bytes: number) => call({ method: "POST", url: keys, headers: json, payload: sized(bytes) });
    expect((await send(256 * 1024)).statusCode).toBe(201);
    expect((await send(256 * 1024 + 1)).json()).toMatchObject({ status: 413, code: "too_large" });
  });

  test("that is a document may have 1 MiB and not a byte more", async () => {
    const line = `# ${"x".repeat(125)}\n`;
    const sized = (bytes: number) => {
      const text =
        smallDocument("large") + line.repeat(Math.floor((bytes - smallDocument("large").length) / line.length));
      return text + "#".repeat(bytes - text.length);
    };
    for (const url of ["/api/v1/projects", "/api/v1/specs/validate"]) {
      const send = (bytes: number) =>
        call({ method: "POST", url, headers: { "content-type": "application/yaml" }, payload: sized(bytes) });
      expect((await send(1024 * 1024)).statusCode, url).toBeLessThan(300);
      expect((await send(1024 * 1024 + 1)).statusCode, url).toBe(413);
    }
  });
});

test("security headers are on every answer, and nothing tells what it runs on", async () => {
  const id = await createProject(service);
  const answers = [
    await call({ url: "/healthz" }),
    await call({ url: `/api/v1/projects/${id}` }),
    await call({ url: "/nothing" }),
    await call({ url: "/api/v1/projects", token: null }),
    await call({ method: "PUT", url: "/healthz" }),
  ];
  for (const { headers } of answers) {
    expect(headers).toMatchObject({
      "content-security-policy": "default-src 'none';frame-ancestors 'none'",
      "x-content-type-options": "nosniff",
      "x-frame-options": "DENY",
      "referrer-policy": "no-referrer",
      "cross-origin-resource-policy": "same-origin",
    });
    expect(headers["server"]).toBeUndefined();
    expect(headers["x-powered-by"]).toBeUndefined();
  }
});

test("a failure inside says nothing of the inside, and the service goes on", async () => {
  await sql`alter table audit rename to hidden_name`.execute(db);
  const answer = await call({ url: "/api/v1/audit", headers: { "x-request-id": "failed-1" } });
  const made = await call({ method: "POST", url: keys, payload: { ...goodKey, name: "never made" } });
  await sql`alter table hidden_name rename to audit`.execute(db);
  for (const { statusCode, payload } of [answer, made]) {
    expect(statusCode).toBe(500);
    expect(payload).not.toMatch(/"audit|relation|hidden_name|42P01|\.ts|node_modules| at /);
  }
  expect(answer.json()).toEqual({
    type: "urn:slipway:problem:internal_error",
    title: problems.internal_error.title,
    status: 500,
    detail: expect.any(String),
    instance: "/api/v1/audit",
    code: "internal_error",
    request_id: "failed-1",
  });
  expect((await call({ url: "/api/v1/audit" })).statusCode).toBe(200);
  const { api_keys } = (await call({ url: `${keys}?limit=100` })).json<{ api_keys: { name: string }[] }>();
  expect(api_keys.map(({ name }) => name)).not.toContain("never made");
});

test("a wrong method is refused before its body is read", async () => {
  const headers = { "content-type": "text/plain" };
  const answer = await call({ method: "POST", url: "/healthz", headers, payload: "x".repeat(2 * 1024 * 1024) });
  expect(answer.json()).toMatchObject({ status: 405, code: "method_not_allowed", instance: "/healthz" });
});

describe("what is the same as long as the service runs", () => {
  const urls = ["/api/v1/openapi.json", "/api/v1/schema/spec.json", "/docs"];

  test.for(urls)("has an ETag, and is not sent again to a client that has it: %s", async (url) => {
    const first = await call({ url, token: null });
    const etag = String(first.headers.etag);
    expect(first.statusCode).toBe(200);
    expect(etag).toMatch(/^"[\w-]{20,}"$/);
    expect(first.headers["cache-control"]).not.toMatch(/private|no-store/);
    const again = await call({ url, token: null, headers: { "if-none-match": `"other", W/${etag}` } });
    expect([again.statusCode, again.payload, again.headers.etag]).toEqual([304, "", etag]);
    const other = await call({ url, token: null, headers: { "if-none-match": '"other"' } });
    expect([other.statusCode, other.payload]).toEqual([200, first.payload]);
    const head = await call({ method: "HEAD", url, token: null });
    expect([head.statusCode, head.payload, head.headers.etag]).toEqual([200, "", etag]);
    expect(head.headers["content-length"]).toBe(String(Buffer.byteLength(first.rawPayload)));
  });

  test("has another ETag where the content is another", async () => {
    const etags = await Promise.all(urls.map(async (url) => (await call({ url, token: null })).headers.etag));
    expect(new Set(etags).size).toBe(urls.length);
  });
});

describe("the documentation", () => {
  test("is open: the OpenAPI document, the page, and what the page needs", async () => {
    const page = await call({ url: "/docs", token: null });
    expect(page.headers["content-type"]).toBe("text/html; charset=utf-8");
    expect(page.headers["content-security-policy"]).toContain("script-src 'self'");
    const needed = [...page.payload.matchAll(/<(?:script|link)[^>]* (?:src|href)="([^"]+)"/g)].map(([, url]) => url!);
    expect(needed.length).toBeGreaterThan(1);
    for (const url of [...needed, "/api/v1/openapi.json"]) {
      expect((await call({ url, token: null })).statusCode, url).toBe(200);
    }
  });
});

describe("a method that only other servers have", () => {
  // CONNECT asks for a tunnel: Node ends such a connection by itself.
  const methods = METHODS.filter((method) => !["CONNECT", "GET", "HEAD"].includes(method));

  test("is 405 with what is possible where there is something, and 404 where there is nothing", async () => {
    const { port } = new URL(await others.http.listen({ port: 0, host: "127.0.0.1" }));
    for (const method of methods) {
      for (const [path, status] of [
        ["/healthz", 405],
        ["/api/v1/openapi.json", 405],
        ["/nothing", 404],
      ] as const) {
        const request = `${method} ${path} HTTP/1.1\r\nHost: x\r\nContent-Type: text/xml\r\nContent-Length: 2\r\n\r\n{}`;
        const [answer] = await exchange(Number(port), [Buffer.from(request)], 240_000, { isWhole: true });
        expect([answer?.status, answer?.type], `${method} ${path}`).toEqual([
          status,
          "application/problem+json; charset=utf-8",
        ]);
        if (status === 405)
          expect(JSON.parse(answer?.body ?? "").detail).toBe(`${method} is not possible here. Possible: GET, HEAD.`);
      }
    }
    const [tunnel] = await exchange(Number(port), [Buffer.from("CONNECT x:80 HTTP/1.1\r\nHost: x\r\n\r\n")], 240_000);
    expect(tunnel).toBeUndefined();
  });
});

describe("what is no HTTP as we know it", () => {
  let port = 0;
  beforeAll(async () => {
    port = Number(new URL(await http.listen({ port: 0, host: "127.0.0.1" })).port);
  });

  test.each([
    ["noise", randomBytes(64).toString("hex"), 400],
    ["headers beyond 16 KiB", `GET /healthz HTTP/1.1\r\nHost: x\r\nX-Long: ${"a".repeat(20_000)}\r\n\r\n`, 431],
    ["a broken header", "GET /healthz HTTP/1.1\r\nHost: x\r\nBroken Header\r\n\r\n", 400],
  ])("%s is answered with a problem too", async (_, text, status) => {
    const [answer] = await exchange(port, [Buffer.from(text)], 240_000);
    expect(answer?.status).toBe(status);
    expect(answer?.type).toMatch(/^application\/problem\+json/);
    expect(JSON.parse(answer?.body ?? "")).toMatchObject({ status, request_id: expect.any(String) });
  });
});
