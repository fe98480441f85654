import { once } from "node:events";
import { Agent, get, type IncomingMessage } from "node:http";
import type { AddressInfo, Socket } from "node:net";
import type { LightMyRequestResponse } from "fastify";
import { beforeAll, describe, expect, test } from "vitest";
import { changeProject } from "../../support/change-project.ts";
import { createProject, createTestApp, smallDocument } from "../../support/test-app.ts";

const service = await createTestApp();
const { call, db, clock, http, adminToken, userToken } = service;

interface Page {
  readonly projects: { project_id: string; name: string; document_id: string }[];
  readonly next_cursor: string | null;
}

const documentWith = (changes: Readonly<Record<string, string>>) =>
  Object.entries(changes).reduce(
    (text, [key, value]) => text.replace(new RegExp(`^${key}: .*$`, "m"), `${key}: ${JSON.stringify(value)}`),
    smallDocument(),
  );
const openWaitsAt = async (node: typeof service.http) => {
  const { payload } = await node.inject({ url: "/metrics", headers: { authorization: `Bearer ${adminToken}` } });
  return Number(/^slipway_http_open_streams (\d+)$/m.exec(payload)?.[1]);
};
const openWaits = () => openWaitsAt(service.http);

describe("the list of projects", () => {
  const made: Record<string, string> = {};
  let token = "";
  beforeAll(async () => {
    ({ token } = await userToken("svc:user"));
    const documents = {
      plain: { id: "plain", name: "Plain shop" },
      percent: { id: "percent", name: "100% wool" },
      underscore: { id: "under_score", name: "snake" },
      backslash: { id: "back", name: "C:\\temp" },
      cli: { id: "tool", name: "Tool", outcome_type: "cli" },
    };
    for (const [key, changes] of Object.entries(documents)) {
      clock.advance(1000);
      made[key] = await createProject(service, documentWith(changes), token);
    }
    await changeProject(db, made["cli"] ?? "", "failed");
  });
  const find = async (query: string) => {
    const answer = await call({ url: `/api/v1/projects?${query}`, token });
    expect(answer.statusCode).toBe(200);
    const found = answer.json<Page>().projects.map(({ project_id }) => project_id);
    return found.map((id) => Object.keys(made).find((key) => made[key] === id));
  };

  test("is newest first", async () => {
    expect(await find("")).toEqual(["cli", "backslash", "underscore", "percent", "plain"]);
  });

  test.each([
    ["status=failed", ["cli"]],
    ["status=deployed", []],
    ["outcome_type=cli", ["cli"]],
    ["outcome_type=game", []],
    ["id=under_score", ["underscore"]],
    ["id=under-score", []],
    ["q=SHOP", ["plain"]],
    ["q=tool", ["cli"]],
    ["q=%25", ["percent"]],
    ["q=_", ["underscore"]],
    ["q=%5C", ["backslash"]],
    ["q=%27", []],
    ["q=l&outcome_type=api", ["percent", "plain"]],
    ["status=specification&q=snake", ["underscore"]],
  ])("filtered by %s has exactly what fits", async (query, expected) => {
    expect(await find(query)).toEqual(expected);
  });

  test("filtered by created_after has what came after that moment, however it is written", async () => {
    const { created_at } = (await call({ url: `/api/v1/projects/${made["underscore"]}` })).json<{
      created_at: string;
    }>();
    expect(await find(`created_after=${created_at}`)).toEqual(["cli", "backslash"]);
    const shifted = new Date(Date.parse(created_at) + 3600_000).toISOString().replace("Z", "+01:00");
    expect(await find(`created_after=${encodeURIComponent(shifted)}`)).toEqual(["cli", "backslash"]);
  });

  test.each([
    "status=unknown",
    "created_after=yesterday",
    "created_after=2026-12-31T23:59:60Z",
    "created_after=2026-12-31T23:59:00%2B05",
    "q=%00",
    "limit=0",
    "limit=101",
    "limit=-1",
    "limit=1.5",
    "limit=ten",
    "limit=",
    "limit=1&limit=2",
    "unknown=1",
    "cursor=",
    "cursor=!!",
    "cursor=bm90IG91cnM",
    `cursor=${Buffer.from("2:proj_x").toString("base64url")}`,
    `cursor=${Buffer.from("1:' or 1=1").toString("base64url")}`,
    `cursor=${Buffer.from("1:app_01m7enw60s1veby486mg").toString("base64url")}`,
    `cursor=${"a".repeat(501)}`,
    `q=${"a".repeat(201)}`,
  ])("refuses ?%s with 400", async (query) => {
    const answer = await call({ url: `/api/v1/projects?${query}`, token });
    expect(answer.json()).toMatchObject({ status: 400, code: "invalid_parameter" });
  });

  test("is the same at its other path", async () => {
    const [one, other] = [await call({ url: "/api/v1/projects", token }), await call({ url: "/v1/projects", token })];
    expect(other.json()).toEqual(one.json());
  });
});

describe("pages", () => {
  test("go through 60 projects without loss or repetition while new ones arrive", async () => {
    const { token } = await userToken("svc:user");
    const made: string[] = [];
    for (let i = 0; i < 60; i += 1) {
      if (i % 3 === 0) clock.advance(1);
      made.push(await createProject(service, smallDocument(`paged-${i}`), token));
    }
    const first = await call({ url: "/api/v1/projects?q=paged", token });
    expect(first.json<Page>().projects).toHaveLength(25);
    const seen: string[] = [];
    for (let url: string | undefined = "/api/v1/projects?q=paged&limit=7"; url !== undefined; ) {
      const answer: LightMyRequestResponse = await call({ url, token });
      const page = answer.json<Page>();
      seen.push(...page.projects.map(({ project_id }) => project_id));
      clock.advance(1);
      await createProject(service, smallDocument("paged-new"), token);
      url = /^<([^>]+)>; rel="next"$/.exec(String(answer.headers["link"]))?.[1];
      expect(url === undefined).toBe(page.next_cursor === null);
      if (url !== undefined) expect(url).toMatch(/^\/api\/v1\/projects\?q=paged&limit=7&cursor=/);
    }
    expect(seen.toSorted()).toEqual(made.toSorted());
    expect(seen).toEqual(seen.toSorted().toReversed());
  });

  test("hold at most as many as was asked for", async () => {
    for (const limit of [1, 100]) {
      const { projects } = (await call({ url: `/api/v1/projects?limit=${limit}` })).json<Page>();
      expect(projects.length).toBeGreaterThan(0);
      expect(projects.length).toBeLessThanOrEqual(limit);
    }
  });

  test("end exactly where the list ends", async () => {
    const { token } = await userToken("svc:user");
    for (const id of ["one", "two"]) await createProject(service, smallDocument(id), token);
    const answer = await call({ url: "/api/v1/projects?limit=2", token });
    expect([answer.json<Page>().projects.length, answer.json<Page>().next_cursor]).toEqual([2, null]);
    expect(answer.headers["link"]).toBeUndefined();
  });
});

describe("a project", () => {
  test("is read with exactly the members of the contract", async () => {
    const { token, userId } = await userToken("svc:user");
    const { name: owner } = await db
      .selectFrom("users")
      .select("name")
      .where("id", "=", userId)
      .executeTakeFirstOrThrow();
    const id = await createProject(service, documentWith({ id: "shop", name: "Shop" }), token);
    const now = clock.now().toISOString();
    const expected = {
      project_id: id,
      name: "Shop",
      status: "specification",
      progress: 0,
      current_phase: "specification",
      agents: {},
      created_at: now,
      updated_at: now,
      application_id: expect.stringMatching(/^app_/),
      document_id: "shop",
      outcome_type: "api",
      environment: null,
      waiting_for: null,
      checks: null,
      deployment: null,
      error: null,
      owner,
    };
    for (const url of [`/api/v1/projects/${id}`, `/v1/projects/${id}`]) {
      expect((await call({ url, token })).json()).toEqual(expected);
    }
  });

  test("tells in short where it stands", async () => {
    const id = await createProject(service);
    const error = { code: "cancelled", message: "Cancelled." };
    await db
      .updateTable("projects")
      .set({ error: JSON.stringify(error) })
      .where("id", "=", id)
      .execute();
    await changeProject(db, id, "failed");
    expect((await call({ url: `/v1/projects/${id}/status` })).json()).toEqual({
      project_id: id,
      status: "failed",
      progress: 0,
      current_phase: "specification",
      updated_at: clock.now().toISOString(),
      error,
    });
    expect((await call({ url: `/api/v1/projects/${id}/status` })).statusCode).toBe(404);
  });

  test.each(["proj_00000000000000000000", "x", "%20", "../users", "a".repeat(200), "a".repeat(201)])(
    "that is not there is 404 (%#)",
    async (id) => {
      const answer = await call({ url: `/api/v1/projects/${encodeURIComponent(id)}` });
      expect(answer.json()).toMatchObject({ status: 404, code: "not_found" });
    },
  );

  test("of a run for an environment says which", async () => {
    const document = `${smallDocument("envs")}environments:\n  staging: {}\n  production: { auto_deploy: true }\n`;
    const send = (url: string) =>
      call({ method: "POST", url, headers: { "content-type": "application/yaml" }, payload: document });
    const environments: unknown[] = [];
    for (const query of ["", "?environment=staging"]) {
      const { project_id } = (await send(`/api/v1/projects${query}`)).json<{ project_id: string }>();
      environments.push(
        (await call({ url: `/api/v1/projects/${project_id}` })).json<{ environment: string }>().environment,
      );
    }
    expect(environments).toEqual(["production", "staging"]);
    expect((await send("/api/v1/projects?environment=none")).statusCode).toBe(422);
  });
});

describe("an ETag", () => {
  test("stays while nothing changes, changes with the project, and is the same for every reader", async () => {
    const id = await createProject(service);
    const tagOf = async (url: string) => String((await call({ url })).headers.etag);
    const before = await tagOf(`/api/v1/projects/${id}`);
    expect(before).toMatch(/^"[^"]+"$/);
    expect(await tagOf(`/v1/projects/${id}`)).toBe(before);
    await changeProject(db, id, "planning");
    expect(await tagOf(`/api/v1/projects/${id}`)).not.toBe(before);
  });

  test.each([
    ["itself", (tag: string) => tag, 304],
    ["weak", (tag: string) => `W/${tag}`, 304],
    ["in a list", (tag: string) => `"other", W/"more",${tag}`, 304],
    ["any", () => "*", 304],
    ["another", () => '"other"', 200],
    ["without quotes", (tag: string) => tag.replaceAll('"', ""), 200],
    ["empty", () => "", 200],
  ])("given as If-None-Match (%s) decides", async (_, write, expected) => {
    const id = await createProject(service);
    for (const url of [`/api/v1/projects/${id}`, `/v1/projects/${id}/status`, `/api/v1/projects/${id}/spec`]) {
      const etag = String((await call({ url })).headers.etag);
      const answer = await call({ url, headers: { "if-none-match": write(etag) } });
      expect(answer.statusCode, url).toBe(expected);
      expect(answer.headers.etag).toBe(etag);
      if (expected === 304) expect(answer.payload).toBe("");
    }
  });

  test("does not open what may not be seen", async () => {
    const id = await createProject(service);
    const { token } = await userToken("svc:user");
    const answer = await call({ url: `/api/v1/projects/${id}`, token, headers: { "if-none-match": "*" } });
    expect(answer.statusCode).toBe(404);
  });
});

describe("Prefer: wait", () => {
  const wait = (id: string, seconds: number | string, headers: Record<string, string> = {}, token = adminToken) =>
    call({ url: `/api/v1/projects/${id}`, token, headers: { prefer: `wait=${seconds}`, ...headers } });
  const tagOf = async (id: string) => String((await call({ url: `/api/v1/projects/${id}` })).headers.etag);

  test("answers at once when the project differs from what the client has", async () => {
    const id = await createProject(service);
    const answer = await wait(id, 60, { "if-none-match": '"something else"' });
    expect([answer.statusCode, answer.headers["preference-applied"]]).toEqual([200, "wait=60"]);
  });

  test.each([true, false])("is woken when the project changes (with If-None-Match: %s)", async (hasTag) => {
    const node = await service.anotherNode({ readerPollMs: 600_000 });
    const id = await createProject(service);
    const answer = node.http.inject({
      url: `/api/v1/projects/${id}`,
      headers: {
        authorization: `Bearer ${adminToken}`,
        prefer: "wait=60",
        ...(hasTag && { "if-none-match": await tagOf(id) }),
      },
    });
    const openWaitsThere = () => openWaitsAt(node.http);
    await expect.poll(openWaitsThere).toBe(1);
    await changeProject(db, id, "planning");
    expect((await answer).json()).toMatchObject({ status: "planning" });
    expect(await openWaitsThere()).toBe(0);
  });

  test("sees a change that nobody told of", async () => {
    const id = await createProject(service);
    const answer = wait(id, 60);
    await expect.poll(openWaits).toBe(1);
    await db.updateTable("projects").set({ version: 2, progress: 0.5 }).where("id", "=", id).execute();
    expect((await answer).json()).toMatchObject({ progress: 0.5 });
  });

  test("is over after that many seconds: 304 to who has it, else 200", async () => {
    const id = await createProject(service);
    const before = performance.now();
    const answers = await Promise.all([wait(id, 1, { "if-none-match": await tagOf(id) }), wait(id, 1)]);
    expect(answers.map(({ statusCode }) => statusCode)).toEqual([304, 200]);
    expect(performance.now() - before).toBeGreaterThan(900);
  });

  test("of none, with other preferences, or of a project that is not there does not wait", async () => {
    const id = await createProject(service);
    expect((await wait(id, 0)).headers["preference-applied"]).toBe("wait=0");
    const several = await call({ url: `/api/v1/projects/${id}`, headers: { prefer: "respond-async, wait=0" } });
    expect(several.headers["preference-applied"]).toBe("wait=0");
    const none = await call({ url: `/api/v1/projects/${id}`, headers: { prefer: "return=minimal" } });
    expect([none.statusCode, none.headers["preference-applied"]]).toEqual([200, undefined]);
    expect((await wait("proj_00000000000000000000", 60)).statusCode).toBe(404);
  });

  test.each(["abc", "-1", "1.5", "9999999"])("of %s is refused with 400", async (seconds) => {
    const id = await createProject(service);
    expect((await wait(id, seconds)).statusCode).toBe(400);
  });

  test("of more than a minute is a minute", async () => {
    const id = await createProject(service);
    const answer = await wait(id, 3600, { "if-none-match": '"old"' });
    expect(answer.headers["preference-applied"]).toBe("wait=60");
  });

  test("may be open 20 times a token, and not a 21st time", async () => {
    const { token } = await userToken("svc:user");
    const other = await userToken("svc:readonly");
    const id = await createProject(service, smallDocument(), token);
    const etag = { "if-none-match": await tagOf(id) };
    const waits = Array.from({ length: 20 }, () => wait(id, 60, etag, token));
    await expect.poll(openWaits).toBe(20);
    const refused = await wait(id, 60, etag, token);
    expect(refused.json()).toMatchObject({ status: 429, code: "rate_limited" });
    expect(Number(refused.headers["retry-after"])).toBeGreaterThan(0);
    const stream = await call({
      url: `/api/v1/projects/${id}/events`,
      token,
      headers: { accept: "text/event-stream" },
    });
    expect(stream.statusCode).toBe(429);
    expect((await wait(id, 0, {}, other.token)).statusCode).toBe(200);
    await changeProject(db, id, "planning");
    expect((await Promise.all(waits)).every(({ statusCode }) => statusCode === 200)).toBe(true);
    expect((await wait(id, 0, {}, token)).statusCode).toBe(200);
  });

  describe("on a real connection", () => {
    const connections: Socket[] = [];
    beforeAll(async () => {
      http.server.on("connection", (socket) => connections.push(socket));
      await http.listen({ port: 0, host: "127.0.0.1" });
    });
    const request = (id: string, seconds: number, agent: Agent) => {
      const { port } = http.server.address() as AddressInfo;
      const headers = { authorization: `Bearer ${adminToken}`, prefer: `wait=${seconds}` };
      return get({ port, host: "127.0.0.1", path: `/api/v1/projects/${id}`, agent, headers });
    };

    test("leaves nothing behind on it, however many waits it served", async () => {
      const id = await createProject(service);
      const agent = new Agent({ keepAlive: true, maxSockets: 1 });
      const listeners: number[] = [];
      for (let i = 0; i < 12; i += 1) {
        const [answer] = (await once(request(id, 0, agent), "response")) as [IncomingMessage];
        await once(answer.resume(), "end");
        listeners.push(connections.at(-1)?.listenerCount("close") ?? -1);
      }
      agent.destroy();
      expect(connections).toHaveLength(1);
      expect(new Set(listeners).size).toBe(1);
    });

    test("ends when the client goes away", async () => {
      const id = await createProject(service);
      const agent = new Agent();
      const waiting = request(id, 60, agent).on("error", () => undefined);
      await expect.poll(openWaits).toBe(1);
      waiting.destroy();
      await expect.poll(openWaits).toBe(0);
    });
  });
});

describe("the document of a project", () => {
  const document = `# A comment, and "quotes"\n${smallDocument("kept")}x_own_key: {a: [1, 2.50, ~, "é"]}\r\n`;

  test("comes back as the very bytes, as YAML", async () => {
    const id = await createProject(service, document);
    const answer = await call({ url: `/api/v1/projects/${id}/spec` });
    expect(answer.rawPayload.equals(Buffer.from(document))).toBe(true);
    expect(answer.headers["content-type"]).toBe("application/yaml; charset=utf-8");
  });

  test.each(["*/*", "application/yaml", "text/yaml, application/json;q=0.5"])(
    "is YAML for who accepts %s",
    async (accept) => {
      const id = await createProject(service, document);
      const answer = await call({ url: `/api/v1/projects/${id}/spec`, headers: { accept } });
      expect(answer.headers["content-type"]).toMatch(/^application\/yaml/);
    },
  );

  test("is JSON for who asks for JSON, with an ETag of its own", async () => {
    const id = await createProject(service, document);
    const yaml = await call({ url: `/api/v1/projects/${id}/spec` });
    const json = await call({ url: `/api/v1/projects/${id}/spec`, headers: { accept: "application/json" } });
    expect(json.headers["content-type"]).toBe("application/json; charset=utf-8");
    expect(json.json()).toMatchObject({ id: "kept", name: "Hello", x_own_key: { a: [1, 2.5, null, "é"] } });
    expect(json.headers.etag).not.toBe(yaml.headers.etag);
    expect([yaml.headers["vary"], json.headers["vary"]]).toEqual(["accept", "accept"]);
  });
});

test("HEAD tells what GET would, without the body, and never streams", async () => {
  const id = await createProject(service);
  const paths = [
    `/api/v1/projects/${id}`,
    `/api/v1/projects/${id}/spec`,
    `/api/v1/projects/${id}/events`,
    "/api/v1/projects",
    "/healthz",
  ];
  for (const url of paths) {
    const [get, head] = [await call({ url }), await call({ method: "HEAD", url })];
    expect([head.statusCode, head.payload], url).toEqual([200, ""]);
    for (const name of ["etag", "content-type", "content-length"]) expect(head.headers[name]).toBe(get.headers[name]);
  }
  const stream = await call({
    method: "HEAD",
    url: `/api/v1/projects/${id}/events`,
    headers: { accept: "text/event-stream" },
  });
  expect(stream.statusCode).toBe(200);
  expect((await call({ method: "HEAD", url: "/api/v1/projects/none" })).statusCode).toBe(404);
});

describe("applications", () => {
  interface Applications {
    readonly applications: Record<string, unknown>[];
    readonly next_cursor: string | null;
  }

  test("are all runs of one owner's documents with the same id", async () => {
    const [one, other] = [await userToken("svc:user"), await userToken("svc:user")];
    const created = clock.now().toISOString();
    await createProject(service, smallDocument("same"), one.token);
    clock.advance(1000);
    const latest = await createProject(service, smallDocument("same"), one.token);
    const theirs = await createProject(service, smallDocument("same"), other.token);
    const list = async (token: string) => (await call({ url: "/api/v1/applications", token })).json<Applications>();
    expect(await list(one.token)).toEqual({
      applications: [
        {
          application_id: expect.stringMatching(/^app_/),
          document_id: "same",
          owner_id: one.userId,
          team_id: null,
          latest_project_id: latest,
          projects: 2,
          created_at: created,
          updated_at: clock.now().toISOString(),
        },
      ],
      next_cursor: null,
    });
    expect((await list(other.token)).applications).toMatchObject([{ latest_project_id: theirs, projects: 1 }]);
  });

  test("are one, however many runs begin at once", async () => {
    const { token } = await userToken("svc:user");
    await Promise.all(Array.from({ length: 10 }, () => createProject(service, smallDocument("rush"), token)));
    const { applications } = (await call({ url: "/api/v1/applications", token })).json<Applications>();
    expect(applications).toMatchObject([{ document_id: "rush", projects: 10 }]);
  });

  test("are listed newest first, page by page", async () => {
    const { token } = await userToken("svc:user");
    for (const id of ["a", "b", "c"]) {
      clock.advance(1);
      await createProject(service, smallDocument(id), token);
    }
    const first = (await call({ url: "/api/v1/applications?limit=2", token })).json<Applications>();
    const url = `/api/v1/applications?limit=2&cursor=${first.next_cursor}`;
    const second = (await call({ url, token })).json<Applications>();
    expect([...first.applications, ...second.applications].map(({ document_id }) => document_id)).toEqual([
      "c",
      "b",
      "a",
    ]);
    expect(second.next_cursor).toBeNull();
  });
});

test("the schema of documents is open to editors anywhere, and its root is the document", async () => {
  const answer = await call({ url: "/api/v1/schema/spec.json", token: null });
  expect(answer.headers["access-control-allow-origin"]).toBe("*");
  expect(answer.json()).toMatchObject({ $schema: expect.stringContaining("2020-12"), type: "object" });
  expect(Object.keys(answer.json<{ properties: object }>().properties)).toContain("spec_version");
});
