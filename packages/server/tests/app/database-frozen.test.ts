// @module-tag long
import { readFileSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, expect, onTestFinished, test } from "vitest";
import { connectDatabase, migrate, startEmbeddedPostgres } from "../../src/platform/database/index.ts";
import { fastFolder } from "../support/database/fast-folder.ts";
import { quietLog } from "../support/database/quiet-log.ts";
import { processesIn, signal } from "../support/database/run-starter.ts";
import { holdChanges, isPaused } from "../support/hold-changes.ts";
import { createProject, createTestApp, smallDocument } from "../support/test-app.ts";
import { until } from "../support/until.ts";

const migrations = fileURLToPath(new URL("../../src/platform/database/migrations", import.meta.url));
const statementTimeoutMs = 3_000;
let folder!: string;
const service = await createTestApp({ statementTimeoutMs, reach: startOwnPostgres });
const { call, clock, db, userToken } = service;

const send = (id: string, headers: Record<string, string> = {}) =>
  call({
    method: "POST",
    url: "/api/v1/projects",
    headers: { "content-type": "application/yaml", ...headers },
    payload: smallDocument(id),
  });

test("while the database is frozen, requests get 503 soon; when it goes on all is well", { tags: "long" }, async () => {
  const kept = await createProject(service, smallDocument("kept"));
  const { token, refreshToken } = await userToken("svc:user");
  const requests = {
    read: () => call({ url: `/api/v1/projects/${kept}` }),
    list: () => call({ url: "/api/v1/projects?q=kept" }),
    create: () => send("without-key"),
    "create with a key": () => send("with-key", { "idempotency-key": "frozen" }),
    wait: () => call({ url: `/api/v1/projects/${kept}`, headers: { prefer: "wait=30" } }),
    "a token that is not remembered": () => call({ url: "/api/v1/projects", token }),
    refresh: () =>
      call({ method: "POST", url: "/api/v1/auth/refresh", token: null, payload: { refresh_token: refreshToken } }),
    readyz: () => call({ url: "/readyz", token: null }),
  };
  // So that some of them find an open connection, and others must open one.
  await Promise.all([1, 2, 3].map(() => call({ url: "/readyz", token: null })));

  const thaw = await freeze();
  for (const _ of ["at once", "and again, with every connection lost"]) {
    // All of them while it is frozen: none waits until it goes on.
    await Promise.all(
      Object.entries(requests).map(async ([name, request]) => {
        expect((await request()).json(), name).toMatchObject({ status: 503, code: "database_unavailable" });
      }),
    );
  }
  expect((await call({ url: "/healthz", token: null })).statusCode).toBe(200);

  thaw();
  await expect.poll(async () => (await requests.readyz()).statusCode).toBe(200);
  // Its key may have been taken by a statement that the database carried out when it went on.
  clock.advance(90_001);
  for (const [name, request] of Object.entries({ ...requests, wait: requests.read })) {
    expect((await request()).statusCode, name).toBeLessThan(300);
  }
  const made = db.selectFrom("projects").select("id").where("document_id", "=", "with-key");
  expect(await made.execute()).toHaveLength(1);
});

test("a change that freezes half-way is 503 as soon and not made, and can be tried again with its key", {
  tags: "long",
}, async () => {
  const half = () => send("half-way", { "idempotency-key": "half-way" });
  const made = db.selectFrom("projects").select("id").where("document_id", "=", "half-way");
  const letGo = await holdChanges(db);
  onTestFinished(letGo);
  const cutOff = half();
  await until(() => isPaused(db));
  const thaw = await freeze();
  expect((await cutOff).statusCode).toBe(503);
  // Neither rolling back nor giving the key back is waited for as long again.
  thaw();
  await letGo();
  expect(await made.execute()).toHaveLength(0);
  clock.advance(90_001);
  expect((await half()).statusCode).toBe(201);
  expect(await made.execute()).toHaveLength(1);
});

/** Stops every process of the database, until the function it gives is called. */
async function freeze(): Promise<() => void> {
  const thaw = () => {
    for (const pid of processesIn(folder)) signal(pid, "SIGCONT");
  };
  onTestFinished(thaw);
  // Until it stops, the first one may start others.
  await until(() => {
    const moving = processesIn(folder).filter((pid) => !isStopped(pid));
    for (const pid of moving) signal(pid, "SIGSTOP");
    return moving.length === 0;
  });
  expect(processesIn(folder).length).toBeGreaterThan(1);
  return thaw;
}

function isStopped(pid: number): boolean {
  try {
    return readFileSync(`/proc/${pid}/status`, "utf8").includes("State:\tT");
  } catch {
    // It has ended.
    return true;
  }
}

async function startOwnPostgres() {
  folder = await mkdtemp(join(fastFolder(), "slipway-frozen-"));
  const server = await startEmbeddedPostgres({ folder, log: quietLog, settings: { fsync: "off" } });
  afterAll(async () => {
    await server.stop();
    await rm(folder, { recursive: true, force: true });
  });
  const { pool, close } = connectDatabase(server.connection, { log: quietLog });
  await migrate({ pool, log: quietLog }, migrations).finally(close);
  return server.connection;
}
