import { describe, expect, expectTypeOf, test } from "vitest";
import { type Answer, ConnectionError, createClient, SlipwayError } from "../src/index.ts";
import { sendJson, sendProblem, serveHttp } from "./serve-http.ts";

const project = { project_id: "proj_1", name: "Shop", status: "planning" };

describe("a call", () => {
  test("goes to the endpoint of that name, with parameters and query encoded and the token", async () => {
    const server = await serveHttp((_, response) => sendJson(response, 200, { project_id: "proj_1" }));
    const client = createClient({ url: `${server.url}/below/`, token: "secret" });
    await client.call("assignAgent", {
      params: { project_id: "proj_1", role: "a/b c?" },
      query: { reassign_running: true },
      body: { agent_id: "agent_1" },
    });
    expect(server.received).toMatchObject([
      {
        method: "PUT",
        url: "/below/api/v1/projects/proj_1/agents/a%2Fb%20c%3F?reassign_running=true",
        headers: { authorization: "Bearer secret", "content-type": "application/json" },
        body: '{"agent_id":"agent_1"}',
      },
    ]);
  });

  test("answers JSON, text or nothing, as the endpoint does", async () => {
    const server = await serveHttp(({ method, url }, response) => {
      if (method === "DELETE") response.writeHead(204).end();
      else if (url.endsWith("/plan"))
        response.writeHead(200, { "content-type": "application/yaml" }).end("tasks: []\n");
      else sendJson(response, 200, project);
    });
    const client = createClient({ url: server.url });
    const params = { project_id: "proj_1" };
    expect(await client.call("readProject", { params })).toEqual(project);
    expect(await client.call("readPlan", { params })).toBe("tasks: []\n");
    expect(await client.call("deleteProject", { params })).toBeUndefined();
    expect(server.received[1]?.headers.accept).toBe("application/yaml, application/problem+json");
  });

  test("has the types of its endpoint", () => {
    const client = createClient({ url: "http://127.0.0.1" });
    expectTypeOf<Answer<"readProject">["status"]>().toExtend<string>();
    expectTypeOf<Answer<"deleteProject">>().toEqualTypeOf<undefined>();
    expectTypeOf<Answer<"readPlan">>().toEqualTypeOf<string>();
    // @ts-expect-error The project is not named.
    void (() => client.call("readProject"));
    // @ts-expect-error There is no such decision.
    void (() => client.call("decideApproval", { params: { approval_id: "" }, body: { decision: "perhaps" } }));
    void (() => client.call("readHealth"));
  });

  test.for(["", ".", ".."])("is not made where a parameter, '%s', would lead to another path", async (project_id) => {
    const server = await serveHttp((_, response) => sendJson(response, 200, {}));
    await expect(createClient({ url: server.url }).call("readProject", { params: { project_id } })).rejects.toThrow(
      `'${project_id}' is not a valid project_id.`,
    );
    expect(server.received).toEqual([]);
  });

  test("that takes a document sends it as it is", async () => {
    const server = await serveHttp((_, response) => sendJson(response, 200, { valid: true, diagnostics: [] }));
    await createClient({ url: server.url }).call("validateSpec", { document: "id: ü\n" });
    expect(server.received[0]).toMatchObject({ body: "id: ü\n", headers: { "content-type": "application/yaml" } });
  });
});

describe("a refusal", () => {
  test("is an error with the problem, the status and the request", async () => {
    const server = await serveHttp((_, response) => sendProblem(response, 404, "not_found"));
    const error = await createClient({ url: server.url })
      .call("readProject", { params: { project_id: "proj_1" } })
      .catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(SlipwayError);
    expect(error).toMatchObject({
      message: "It is not_found.",
      status: 404,
      code: "not_found",
      isNotFound: true,
      isRefusal: true,
      isDenied: false,
      isTransient: false,
      request: { method: "GET", url: `${server.url}/api/v1/projects/proj_1` },
    });
    expect(server.received).toHaveLength(1);
  });

  test("from something other than Slipway is reported as such", async () => {
    const server = await serveHttp((_, response) =>
      response.writeHead(404, { "content-type": "text/html" }).end("<h1>No</h1>"),
    );
    await expect(createClient({ url: server.url }).call("readHealth")).rejects.toMatchObject({
      status: 404,
      problem: undefined,
      message: expect.stringContaining("Is the address correct?"),
    });
  });
});

describe("what something else than a service answers", () => {
  const html = { "content-type": "text/html" };
  const json = { "content-type": "application/json" };
  const answers: readonly (readonly [string, number, Record<string, string>, string])[] = [
    ["a page to sign in to a network", 200, html, "<h1>Welcome</h1>"],
    ["nothing", 200, {}, ""],
    ["an empty success", 204, {}, ""],
    ["that nothing has changed", 304, {}, ""],
    ["null", 200, json, "null"],
    ["a list", 200, json, "[]"],
    ["another object", 200, json, '{"status":"ok"}'],
    ["a list that is none", 200, json, '{"projects":{},"next_cursor":null}'],
  ];

  test.for(answers)("is no answer to any call: %s", async ([, status, headers, body]) => {
    const server = await serveHttp((_, response) => response.writeHead(status, headers).end(body));
    const client = createClient({ url: server.url });
    const params = { project_id: "proj_1", artifact: "sbom" };
    const kind = headers["content-type"] === undefined ? "" : ` with ${headers["content-type"]}`;
    const error = {
      name: "SlipwayError",
      message: expect.stringMatching(
        `^http://.* answered ${status}${kind}, but not like a Slipway service. Is the address correct\\?$`,
      ),
    };
    for (const ask of [
      () => client.projects.list().next(),
      () => client.projects.read("proj_1"),
      () => client.projects.watch("proj_1").next(),
      () => client.call("readPlan", { params }),
      () => client.artifacts.download("proj_1", "sbom"),
      ...(status === 204 ? [] : [() => client.call("removeSecret", { params: { name: "TOKEN" } })]),
    ])
      await expect(ask()).rejects.toMatchObject(error);
  });

  test("says where a redirect led", async () => {
    const portal = await serveHttp((_, response) => response.writeHead(200, html).end("<h1>Welcome</h1>"));
    const server = await serveHttp((_, response) =>
      response.writeHead(302, { location: `${portal.url}/in?a=b` }).end(),
    );
    await expect(createClient({ url: server.url }).call("readHealth")).rejects.toThrow(
      `${server.url}/healthz leads to ${portal.url}, which answered 200 with text/html, but not like a Slipway service.`,
    );
  });

  test("a page without the cursor of the next one is the last", async () => {
    const server = await serveHttp((_, response) => sendJson(response, 200, { projects: [project] }));
    expect(await Array.fromAsync(createClient({ url: server.url }).projects.list())).toEqual([project]);
    expect(server.received).toHaveLength(1);
  });
});

test.each([{ errors: 1 }, { errors: [null] }, { errors: [{ message: "no" }] }, { detail: 1 }])(
  "what is no problem of a service is none: %j",
  async (changed) => {
    const body = { code: "invalid_spec", detail: "It is wrong.", status: 422, ...changed };
    const server = await serveHttp((_, response) => sendJson(response, 422, body));
    await expect(createClient({ url: server.url }).call("readHealth")).rejects.toMatchObject({
      problem: undefined,
      message: expect.stringContaining("Is the address correct?"),
    });
  },
);

describe("trying again", () => {
  test("a read is repeated where the service is busy or the connection breaks", async () => {
    const server = await serveHttp((_, response, count) => {
      if (count === 1) response.destroy();
      else if (count === 2) sendProblem(response, 503, "overloaded", { "retry-after": "0" });
      else if (count === 3)
        response.writeHead(200, { "content-type": "application/json" }).write("{", () => response.destroy());
      else sendJson(response, 200, project);
    });
    const client = createClient({ url: server.url });
    expect(await client.call("readProject", { params: { project_id: "proj_1" } })).toEqual(project);
    expect(server.received).toHaveLength(4);
  });

  test("a create is repeated with the same idempotency key, and another create has another", async () => {
    const server = await serveHttp((_, response, count) => {
      if (count === 1) response.destroy();
      else if (count === 2) sendProblem(response, 409, "request_in_flight", { "retry-after": "0" });
      else sendJson(response, 201, project);
    });
    const client = createClient({ url: server.url });
    await client.call("createProject", { document: "a" });
    await client.call("createProject", { document: "a" });
    const keys = server.received.map(({ headers }) => headers["idempotency-key"]);
    expect(keys).toHaveLength(4);
    expect(keys[0]).toMatch(/^\S{20,}$/);
    expect(new Set(keys.slice(0, 3)).size).toBe(1);
    expect(keys[3]).not.toBe(keys[0]);
  });

  test("ends after a few times, and at once where the service asks for too much patience", async () => {
    const server = await serveHttp((_, response, count) =>
      sendProblem(response, 503, "overloaded", { "retry-after": count < 3 ? "0" : "3600" }),
    );
    await expect(createClient({ url: server.url, retries: 1 }).call("readHealth")).rejects.toMatchObject({
      status: 503,
    });
    expect(server.received).toHaveLength(2);
    await expect(createClient({ url: server.url }).call("readHealth")).rejects.toMatchObject({
      retryAfterMs: 3_600_000,
    });
    expect(server.received).toHaveLength(3);
  });

  test("a deletion that was cut off is not repeated", async () => {
    const server = await serveHttp((_, response) => response.destroy());
    const deleting = createClient({ url: server.url }).call("deleteProject", { params: { project_id: "proj_1" } });
    await expect(deleting).rejects.toBeInstanceOf(ConnectionError);
    expect(server.received).toHaveLength(1);
  });
});

describe("no connection", () => {
  test("is an error that says why", async () => {
    const calling = createClient({ url: "http://slipway.invalid", retries: 0 }).call("readHealth");
    await expect(calling).rejects.toThrow(/^Cannot reach http:\/\/slipway\.invalid: getaddrinfo E\w+/);
    await expect(calling).rejects.toBeInstanceOf(ConnectionError);
  });

  test("is also a service that does not answer in time", async () => {
    const server = await serveHttp(() => undefined);
    const calling = createClient({ url: server.url, retries: 0, timeoutMs: 50 }).call("readHealth");
    await expect(calling).rejects.toBeInstanceOf(ConnectionError);
  });

  test("a call that its caller calls off ends with their reason", async () => {
    const calledOff = new AbortController();
    const server = await serveHttp(() => calledOff.abort(new Error("enough")));
    await expect(createClient({ url: server.url }).call("readHealth", { signal: calledOff.signal })).rejects.toThrow(
      "enough",
    );
  });
});
