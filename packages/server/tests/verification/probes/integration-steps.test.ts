import { createServer, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import { acceptanceLines, parseSpec, resolveSpec } from "@slipway/spec";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { Masker } from "../../../src/platform/secrets/index.ts";
import { checkEndpoints } from "../../../src/verification/probes/check-endpoints.ts";
import { checkIntegration } from "../../../src/verification/probes/check-integration.ts";
import { Probe } from "../../../src/verification/probes/probe.ts";

interface Seen {
  readonly what: string;
  readonly headers: IncomingMessage["headers"];
  readonly body: unknown;
}
type Answer = readonly [status: number, body: unknown, headers?: Record<string, string>];

/** What the program was asked, and how it answers. */
let seen: Seen[] = [];
let answer: (request: Seen) => Answer | undefined = () => [200, {}];

const program = createServer(async (request, response) => {
  let text = "";
  for await (const chunk of request) text += chunk;
  const what = `${request.method} ${request.url}`;
  const asked = { what, headers: request.headers, body: text === "" ? undefined : JSON.parse(text) };
  seen.push(asked);
  const told = answer(asked);
  if (told === undefined) return void request.socket.destroy();
  const [status, body, headers = {}] = told;
  response.writeHead(status, headers).end(typeof body === "string" ? body : JSON.stringify(body));
});

beforeAll(() => new Promise<void>((resolve) => program.listen(0, "127.0.0.1", resolve)));
afterAll(() => program.close());
beforeEach(() => {
  seen = [];
  answer = () => [200, {}];
});

const secret = "4f9a1c77-b2d0-4e58-9a3b-6c1d2e3f4a5b";

/** Checks an acceptance block at the program; gives the verdict on its only line. */
async function check(acceptance: object, more: object = {}) {
  const text = { spec_version: "1.0.0", id: "a", name: "A", description: "d", outcome_type: "api", stack: {} };
  const { document, diagnostics } = parseSpec(JSON.stringify({ ...text, ...more, acceptance }));
  expect(diagnostics.filter(({ severity }) => severity === "error")).toEqual([]);
  const complete = resolveSpec(document!).document;
  const url = `http://127.0.0.1:${(program.address() as AddressInfo).port}`;
  const stop = async () => ({ peakMemoryBytes: 0 });
  const probe = new Probe({ url, token: "given", readyMs: 1, whyEnded: async () => undefined, stop }, complete, {
    signal: new AbortController().signal,
    masker: new Masker([secret]),
  });
  const [{ pointer, check: line }] = acceptanceLines(complete) as [ReturnType<typeof acceptanceLines>[number]];
  if (line.kind === "http_endpoint") return (await checkEndpoints(probe, [{ pointer, check: line }]))[0]!;
  if (line.kind !== "integration_test") throw new Error("Another line.");
  return (await checkIntegration(probe, [{ pointer, check: line }]))[0]!;
}

const steps = (list: readonly unknown[], actors: object = {}) =>
  check({ actors, integration_tests: [{ name: "n", steps: list }] });

describe("what a step keeps", () => {
  test("stands for its name in later paths, queries, headers and bodies, with its type in bodies", async () => {
    answer = ({ what }) => (what === "POST /orders" ? [201, { order: { id: 7, "a/b": ["x y"] } }] : [200, {}]);
    const verdict = await steps([
      { request: "POST /orders", keep: { order: "/order/id", mark: "/order/a~1b/0" } },
      {
        request: "PUT /orders/{order}/marks/{mark}?of={mark}&as=is",
        headers: { "X-Order": "no. {order}" },
        body: { id: "{order}", text: "{order}: {mark}", list: ["{mark}"], other: "{nothing}" },
      },
    ]);
    expect(verdict).toMatchObject({ verdict: "passed" });
    expect(seen[1]).toMatchObject({
      what: "PUT /orders/7/marks/x%20y?of=x+y&as=is",
      headers: { "x-order": "no. 7" },
      body: { id: 7, text: "7: x y", list: ["x y"], other: "{nothing}" },
    });
  });

  test("an id that a step returned stands in later bodies and queries as in paths, of text steps too", async () => {
    answer = ({ what }) => [what.startsWith("POST") ? 201 : 200, { id: what === "POST /rooms" ? 7 : "b1", note: "n" }];
    const verdict = await steps([
      "POST /rooms → 201",
      'POST /bookings {"room_id": "{room_id}", "for": "no. {id}, {note}", "note": "{note}"} → 201',
      "GET /bookings?room={room_id} → 200",
    ]);
    expect(verdict).toMatchObject({ verdict: "passed" });
    expect(seen.slice(1)).toMatchObject([
      { body: { room_id: 7, for: "no. 7, {note}", note: "n" } },
      { what: "GET /bookings?room=7" },
    ]);
  });

  test("an id that no step returned is not sent as it is written", async () => {
    const unknown = await steps(['POST /bookings {"room_id": "{room_id}", "kind": "{paid}"} → 2xx']);
    const reason = "Step 1, POST /bookings: no earlier step returned 'room_id'.";
    expect(unknown).toMatchObject({ verdict: "failed", reason });
    expect(seen).toEqual([]);
  });

  test("must be in the answer", async () => {
    answer = () => [200, { id: 7 }];
    const verdict = await steps([{ request: "POST /a", keep: { who: "/user/id" } }, { request: "GET /a/{who}" }]);
    expect(verdict).toMatchObject({
      verdict: "failed",
      reason: "Step 1, POST /a: the answer has nothing at '/user/id' to keep as 'who'.",
    });
    expect(seen).toHaveLength(1);
  });

  test("cannot make a request of any size", async () => {
    answer = () => [200, { long: "x".repeat(1_900) }];
    const verdict = await steps([
      { request: "POST /a", keep: { long: "/long" } },
      { request: "POST /b", body: Array.from({ length: 2_000 }, () => "{long}") },
    ]);
    expect(verdict).toMatchObject({ verdict: "failed", reason: expect.stringContaining("would be larger than 1 MiB") });
    answer = () => [200, { long: "x".repeat(3_000) }];
    expect(await steps([{ request: "POST /a", keep: { long: "/long" } }])).toMatchObject({
      verdict: "failed",
      reason: expect.stringContaining("longer than 2000 characters"),
    });
  });
});

describe("an answer to a step", () => {
  const expecting = (expect: object) => steps([{ request: "GET /a", expect }]);

  test("must have the status, or any of 2xx where none is written", async () => {
    answer = () => [404, "gone"];
    expect((await expecting({})).reason).toBe("Step 1, GET /a: it answered 404, expected 2xx, with: gone.");
    expect((await expecting({ status: 404 })).verdict).toBe("passed");
    expect((await expecting({ status: "4xx" })).verdict).toBe("passed");
  });

  test("must contain the texts", async () => {
    answer = () => [200, "Ada Lovelace"];
    expect((await expecting({ contains: ["Ada", "Love"] })).verdict).toBe("passed");
    expect((await expecting({ contains: ["Ada", "Bob"] })).reason).toContain("the answer does not contain 'Bob'");
  });

  test("must have the values at their places, and no others", async () => {
    answer = () => [200, { user: { name: "Ada", tags: ["a", { b: null }] }, total: 3 }];
    const json = { "/user/name": "Ada", "/user/tags/1": { b: null }, "/total": 3 };
    expect((await expecting({ json })).verdict).toBe("passed");
    expect((await expecting({ json: { "/total": "3" } })).reason).toContain("at '/total' is 3, expected \"3\"");
    expect((await expecting({ json: { "/user/age": 3 } })).reason).toContain("nothing at '/user/age', expected 3");
    expect((await expecting({ json: { "/user/__proto__": {} } })).verdict).toBe("failed");
    // As many languages round a small loss.
    answer = () => [200, '{"total": -0.0, "list": [-0.0]}'];
    expect((await expecting({ json: { "/total": 0, "/list": [0] } })).verdict).toBe("passed");
    answer = () => [200, "Ada"];
    expect((await expecting({ json })).reason).toContain("the answer is not JSON");
  });

  test("is compared with what an earlier step kept", async () => {
    answer = ({ what }) => [200, { id: what === "POST /a" ? 7 : 8 }];
    const list = [
      { request: "POST /a", keep: { id: "/id" } },
      { request: "GET /a/{id}", expect: { json: { "/id": "{id}" } } },
    ];
    expect((await steps(list)).reason).toContain("at '/id' is 8, expected 7");
  });

  test("must match the schema", async () => {
    const schema = { type: "object", required: ["id"], properties: { id: { type: "integer" } } };
    answer = () => [200, { id: 7 }];
    expect((await expecting({ schema })).verdict).toBe("passed");
    answer = () => [200, { id: "7" }];
    expect((await expecting({ schema })).reason).toContain("does not match the schema: /id must be integer");
  });
});

describe("a program that answers to harm the check", () => {
  const deep = "[".repeat(200_000) + "]".repeat(200_000);

  test("with JSON that is nested without end fails its line", async () => {
    answer = () => [200, deep];
    const reason = expect.stringContaining("nested more than 500 levels deep");
    for (const step of [
      { request: "GET /a", expect: { json: { "": [] } } },
      { request: "GET /a", expect: { schema: { type: "array" } } },
      { request: "GET /a", keep: { all: "" } },
    ])
      expect(await steps([step])).toMatchObject({ verdict: "failed", reason });
    answer = () => [200, `["${"[".repeat(2_000)}\\"["]`];
    expect((await steps([{ request: "GET /a", expect: { schema: { type: "array" } } }])).verdict).toBe("passed");
  });

  test("with an id that is no text, or leads to another path, fails its line", async () => {
    answer = ({ what }) => (what === "POST /a" ? [200, `{"id": "\\ud800"}`] : [404, ""]);
    expect((await steps(["POST /a → 200", "GET /a/{id} → 200"])).reason).toContain("it answered 404");
    for (const id of ["..", ".", ""]) {
      answer = () => [200, { id }];
      const kept = { request: "POST /a", keep: { id: "/id" } };
      expect((await steps([kept, "GET /a/{id} → 200"])).reason).toContain("no earlier step returned 'id'");
      expect((await steps(["POST /a → 200", "GET /a/{id} → 200"])).reason).toContain("no earlier step returned 'id'");
    }
  });
});

test("a step that expects 401 is sent as whoever the steps logged in, else without a token", async () => {
  answer = ({ what, headers }) =>
    what === "POST /login" ? [200, { token: "t" }] : [headers.authorization ? 200 : 401, {}];
  expect(await steps(["GET /me → 401"])).toMatchObject({ verdict: "passed" });
  const reason = expect.stringContaining("Step 2, GET /me: it answered 200, expected 401");
  expect(await steps(["POST /login → 200", "GET /me → 401"])).toMatchObject({ verdict: "failed", reason });
});

describe("an actor", () => {
  const people = ({ what, headers, body }: Seen): Answer => {
    if (what === "POST /login") {
      const { name } = body as { name: string };
      return name === "eve"
        ? [401, {}]
        : [200, { auth: { key: `${name}-token` } }, { "set-cookie": `s=${name}; Path=/` }];
    }
    const who = /^Bearer (\w+)-token$/.exec(headers.authorization ?? "")?.[1];
    return who === undefined ? [401, {}] : [200, { who, cookie: headers.cookie }];
  };
  const login = (name: string) => ({
    login: { request: "POST /login", body: { name }, expect: { status: 200 } },
    token: "/auth/key",
  });
  const asking = (as: string, json: object) => ({ request: "GET /me", as, expect: { json } });

  test("who logs in between two steps leaves `{id}` what the steps returned", async () => {
    answer = ({ what }) => (what === "POST /login" ? [200, { token: "t", user: { id: 2 } }] : [200, { id: 7 }]);
    const list = ["POST /reviews → 200", { request: "DELETE /reviews/{id}", as: "ada" }];
    await steps(list, { ada: { login: "POST /login → 200" } });
    expect(seen.map(({ what }) => what)).toEqual(["POST /reviews", "POST /login", "DELETE /reviews/7"]);
  });

  test("is logged in with a token and cookies of their own, once in a test", async () => {
    answer = people;
    const list = [
      asking("ada", { "/who": "ada", "/cookie": "s=ada" }),
      asking("bob", { "/who": "bob", "/cookie": "s=bob" }),
      asking("ada", { "/who": "ada", "/cookie": "s=ada" }),
      { request: "GET /me", as: "nobody", expect: { status: 401 } },
      { request: "GET /me", as: "nobody", headers: { Authorization: "Bearer cyd-token" }, expect: { status: 200 } },
    ];
    expect(await steps(list, { ada: login("ada"), bob: login("bob"), nobody: {} })).toMatchObject({
      verdict: "passed",
    });
    expect(seen.filter(({ what }) => what === "POST /login")).toHaveLength(2);
    // Nobody has the token that the service gave to the program.
    expect(seen.some(({ headers }) => headers.authorization === "Bearer given")).toBe(false);
  });

  test("who is seen as another one fails the test", async () => {
    answer = (request) => (request.what === "GET /me" ? [200, { who: "ada" }] : people(request));
    const list = [asking("ada", { "/who": "ada" }), asking("bob", { "/who": "bob" })];
    expect((await steps(list, { ada: login("ada"), bob: login("bob") })).reason).toBe(
      `Step 2, GET /me: at '/who' is "ada", expected "bob".`,
    );
  });

  test("who cannot log in fails the test", async () => {
    answer = people;
    expect((await steps([asking("eve", {})], { eve: login("eve") })).reason).toContain(
      "'eve' cannot log in: POST /login: it answered 401, expected 200",
    );
    const lost = { ...login("ada"), token: "/token" };
    expect((await steps([asking("ada", {})], { ada: lost })).reason).toContain(
      "'ada' cannot log in: POST /login: the answer has no text at '/token'",
    );
  });

  test("sends their headers, and a text may be their login", async () => {
    answer = (request) => (request.what === "GET /key" ? [200, request.headers["x-key"]] : people(request));
    const actors = {
      key: { headers: { "X-Key": "k1" } },
      ada: { ...login("ada"), login: 'POST /login {"name": "ada"} → 200' },
    };
    const list = [
      { request: "GET /key", as: "key", expect: { contains: "k1" } },
      { request: "GET /me", as: "ada", expect: { json: { "/who": "ada" } } },
    ];
    expect(await steps(list, actors)).toMatchObject({ verdict: "passed" });
  });
});

describe("the token of the software", () => {
  const auth = { auth: { header: "X-Key" } };

  test("goes into the header that the document names, and into no other", async () => {
    answer = ({ headers }) => (headers["x-key"] === "given" ? [200, {}] : [401, {}]);
    const endpoint = { path: "/a", auth_required: true };
    expect(await check({ http_endpoints: [endpoint] }, auth)).toMatchObject({ verdict: "passed" });
    const walk = { integration_tests: [{ name: "n", steps: ["GET /a → 200"] }] };
    expect(await check(walk, auth)).toMatchObject({ verdict: "passed" });
    expect(seen.filter(({ headers }) => headers.authorization !== undefined)).toEqual([]);
    expect(await check({ http_endpoints: [endpoint] })).toMatchObject({ verdict: "failed" });
  });
});

describe("the schema of an endpoint's answer", () => {
  const endpoint = (response_schema: unknown) => check({ http_endpoints: [{ path: "/a", response_schema }] });

  test("is compared with the answer", async () => {
    const item = { type: "object", required: ["name"], properties: { name: { type: "string", format: "email" } } };
    const schema = { type: "array", minItems: 1, items: { $ref: "#/$defs/item" }, $defs: { item } };
    answer = () => [200, [{ name: "a@example.com" }]];
    expect((await endpoint(schema)).verdict).toBe("passed");
    answer = () => [200, [{ name: "a@example.com" }, { nam: 1 }]];
    expect((await endpoint(schema)).reason).toContain("the answer does not match the schema: /1 must have required");
    answer = () => [200, [{ name: "nobody" }]];
    expect((await endpoint(schema)).reason).toContain('/0/name must match format "email"');
    answer = () => [200, "<html>"];
    expect((await endpoint(schema)).reason).toContain("the answer is not JSON");
    expect((await endpoint(false)).verdict).toBe("failed");
  });

  test("that takes very long is no way to pass, and does not stop the service", { tags: "long" }, async () => {
    answer = () => [200, { text: `${"a".repeat(60)}!` }];
    const verdict = await endpoint({ properties: { text: { type: "string", pattern: "^(a+)+$" } } });
    expect(verdict).toMatchObject({ verdict: "failed", reason: expect.stringContaining("could not be compared") });
  });
});

test("nothing of a secret is quoted from an answer, also where the quote ends within it", async () => {
  const indented = (before: number) => `${"x".repeat(before)}${secret}`;
  for (const before of [0, 120, 130, 140, 150]) {
    answer = () => [500, indented(before)];
    const { verdict, reason } = await check({ http_endpoints: [{ method: "GET", path: "/", status: 200 }] });
    expect(verdict).toBe("failed");
    expect(reason).not.toContain(secret.slice(0, 6));
  }
});

test.each([
  ["fails at", 503],
  ["has nothing to say to", undefined],
])("a program that %s a wrong token does not refuse it", async (_, status) => {
  answer = ({ headers: { authorization } }) => {
    if (authorization === undefined) return [401, {}];
    return authorization === "Bearer given" ? [200, {}] : status === undefined ? undefined : [status, {}];
  };
  const { verdict, reason } = await check({ http_endpoints: [{ path: "/a", auth_required: true }] });
  expect(verdict).toBe("failed");
  expect(reason).toContain(status === undefined ? "with a wrong token there is" : "with a wrong token it answered 503");
});

test("what an answer inherits is none of its properties", { tags: "long" }, async () => {
  answer = () => [200, { a: 1 }];
  const endpoint = (response_schema: unknown) => check({ http_endpoints: [{ path: "/a", response_schema }] });
  expect(await endpoint({ required: ["toString"] })).toMatchObject({ verdict: "failed" });
  expect(await endpoint({ dependentRequired: { a: ["hasOwnProperty"] } })).toMatchObject({ verdict: "failed" });
  expect(await endpoint({ properties: { valueOf: { type: "string" } } })).toMatchObject({ verdict: "passed" });
});

test("a text that an answer to HEAD must contain is not checked, since there is none", async () => {
  const endpoint = { method: "HEAD", path: "/a", response_contains: "milk" };
  const { verdict, reason } = await check({ http_endpoints: [endpoint] });
  expect(verdict).toBe("not_checked");
  expect(reason).toContain("HEAD");
  answer = () => [404, ""];
  expect(await check({ http_endpoints: [endpoint] })).toMatchObject({ verdict: "failed" });
});

describe("a text that was cut within a secret says nothing of it, once it is masked", () => {
  const schema = { additionalProperties: { type: "string" } };
  const toCut = Array.from({ length: 8 }, (_, index) => 150 + 7 * index);

  test("as the name of a property that does not match", { tags: "long" }, async () => {
    for (const before of toCut) {
      answer = () => [200, { ["k".repeat(before) + secret]: 1 }];
      const { reason } = await check({ http_endpoints: [{ path: "/a", response_schema: schema }] });
      expect(await new Masker([secret]).maskInSlices(reason)).not.toContain(secret.slice(0, 4));
    }
  });

  test("as a token that cannot be sent", { tags: "long" }, async () => {
    for (const before of toCut) {
      answer = () => [200, { token: `${"k".repeat(before)}${secret}\n-` }];
      const { reason } = await steps([{ request: "POST /login" }, { request: "GET /a" }]);
      expect(reason).toContain("Bearer");
      expect(await new Masker([secret]).maskInSlices(reason)).not.toContain(secret.slice(0, 4));
    }
  });
});
