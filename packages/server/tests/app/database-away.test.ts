import { sql } from "kysely";
import { afterAll, describe, expect, test } from "vitest";
import { connectDatabase, type Schema } from "../../src/platform/database/index.ts";
import { changeProject } from "../support/change-project.ts";
import { quietLog } from "../support/database/quiet-log.ts";
import { holdChanges, isPaused } from "../support/hold-changes.ts";
import { DatabaseProxy } from "../support/tcp-proxy.ts";
import { createProject, createTestApp, smallDocument } from "../support/test-app.ts";
import { until } from "../support/until.ts";

let proxy!: DatabaseProxy;
let direct!: ReturnType<typeof connectDatabase<Schema>>;
const service = await createTestApp({
  reach: async (connection) => {
    proxy = await DatabaseProxy.open(connection);
    // Past the door, for the test itself.
    direct = connectDatabase<Schema>(connection, { log: quietLog });
    afterAll(() => direct.close());
    return proxy.connection;
  },
});
const { adminToken, call, clock, userToken } = service;

const send = (id: string, headers: Record<string, string> = {}) =>
  call({
    method: "POST",
    url: "/api/v1/projects",
    headers: { "content-type": "application/yaml", ...headers },
    payload: smallDocument(id),
  });
const countOf = async (id: string) =>
  (await direct.db.selectFrom("projects").select("id").where("document_id", "=", id).execute()).length;

describe("while the database is away", () => {
  test("requests get 503 at once and when to come back; once it is there again all is well", async () => {
    const kept = await createProject(service, smallDocument("kept"));
    const { token, refreshToken } = await userToken("svc:user");
    await proxy.shut();
    const requests = {
      read: () => call({ url: `/api/v1/projects/${kept}` }),
      list: () => call({ url: "/api/v1/projects" }),
      create: () => send("lost"),
      "create with a key": () => send("lost", { "idempotency-key": "away" }),
      wait: () => call({ url: `/api/v1/projects/${kept}`, headers: { prefer: "wait=30" } }),
      "a token that is not remembered": () => call({ url: "/api/v1/projects", token }),
      refresh: () =>
        call({
          method: "POST",
          url: "/api/v1/auth/refresh",
          token: null,
          payload: { refresh_token: refreshToken },
        }),
      readyz: () => call({ url: "/readyz", token: null }),
    };
    for (const [name, request] of Object.entries(requests)) {
      const answer = await request();
      expect(answer.json(), name).toMatchObject({ status: 503, code: "database_unavailable" });
      expect(Number(answer.headers["retry-after"]), name).toBeGreaterThan(0);
    }
    expect((await call({ url: "/healthz", token: null })).statusCode).toBe(200);
    expect((await call({ url: "/api/v1/schema/spec.json", token: null })).statusCode).toBe(200);

    await proxy.open();
    for (const [name, request] of Object.entries({ ...requests, wait: requests.read })) {
      expect((await request()).statusCode, name).toBeLessThan(300);
    }
    expect(await countOf("lost")).toBe(2);
    expect((await call({ url: `/api/v1/projects/${kept}` })).json()).toMatchObject({ document_id: "kept" });
  });

  test("a token is not taken for a wrong one", async () => {
    await proxy.shut();
    clock.advance(6_000);
    const answers = await Promise.all(Array.from({ length: 40 }, () => call({ url: "/api/v1/projects" })));
    await proxy.open();
    expect(new Set(answers.map(({ statusCode }) => statusCode))).toEqual(new Set([503]));
    expect((await call({ url: "/api/v1/projects" })).statusCode).toBe(200);
  });
});

test("a change that the database loses in the middle is 503 and not made, and can be tried again with its key", async () => {
  const letGo = await holdChanges(direct.db);
  const cutOff = send("halfway", { "idempotency-key": "halfway" });
  await until(() => isPaused(direct.db));
  await proxy.shut();
  expect((await cutOff).statusCode).toBe(503);
  await proxy.open();
  await letGo();
  expect(await countOf("halfway")).toBe(0);
  clock.advance(90_001);
  expect((await send("halfway", { "idempotency-key": "halfway" })).statusCode).toBe(201);
  expect(await countOf("halfway")).toBe(1);
});

test("a wait goes on being answered when the database goes away under it", async () => {
  const id = await createProject(service);
  const waiting = call({ url: `/api/v1/projects/${id}`, headers: { prefer: "wait=60" } });
  await expect.poll(() => openWaits(service.http)).toBe("1");
  await proxy.shut();
  expect((await waiting).statusCode).toBe(503);
  await proxy.open();
  await expect.poll(async () => (await call({ url: "/readyz" })).statusCode).toBe(200);
});

test("notifications are heard again after the database was away", async () => {
  const { http } = await service.anotherNode({ readerPollMs: 600_000 });
  const id = await createProject(service);
  await proxy.shut();
  await proxy.open();
  await expect.poll(async () => (await http.inject({ url: "/readyz" })).statusCode).toBe(200);
  const listening = () =>
    sql`select from pg_stat_activity where datname = current_database() and application_name = 'slipway listen' and state = 'idle'`;
  await expect.poll(async () => (await listening().execute(direct.db)).rows.length).toBe(2);
  const headers = { authorization: `Bearer ${adminToken}`, prefer: "wait=60" };
  const waiting = http.inject({ url: `/api/v1/projects/${id}`, headers });
  await expect.poll(() => openWaits(http)).toBe("1");
  await changeProject(direct.db, id, "planning");
  expect((await waiting).json()).toMatchObject({ status: "planning" });
});

async function openWaits(http: typeof service.http): Promise<string | undefined> {
  return /^slipway_http_open_streams (\d+)$/m.exec(
    (await http.inject({ url: "/metrics", headers: { authorization: `Bearer ${adminToken}` } })).payload,
  )?.[1];
}
