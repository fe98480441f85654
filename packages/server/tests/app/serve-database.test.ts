// @module-tag soak
import { randomBytes } from "node:crypto";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { sql } from "kysely";
import { describe, expect, onTestFinished, test } from "vitest";
import { soakCases } from "../../../../tools/soak-runs.ts";
import {
  connectDatabase,
  type EmbeddedPostgres,
  type Schema,
  startEmbeddedPostgres,
} from "../../src/platform/database/index.ts";
import { patientTransaction } from "../support/database/patient-transaction.ts";
import { quietLog } from "../support/database/quiet-log.ts";
import { testFolder } from "../support/database/run-starter.ts";
import { createTestDatabase } from "../support/database/test-database.ts";
import { entry, run, Service, startService } from "../support/run-service.ts";
import { unbuildableDocument } from "../support/test-app.ts";
import { until } from "../support/until.ts";

const shared = await createTestDatabase(
  fileURLToPath(new URL("../../src/platform/database/migrations", import.meta.url)),
);

describe("two services on one database of the operator's", () => {
  test("are one: what is made at one is there at the other, and what is revoked at one is over at the other", {
    tags: "long",
  }, async () => {
    const env = { SLIPWAY_DATABASE_URL: shared.url, SLIPWAY_MASTER_KEY: randomBytes(32).toString("base64") };
    const folder = await testFolder();
    const [first, second] = await Promise.all(["a", "b"].map((name) => startService(join(folder, name), [], { env })));
    // Of nodes that start together, the one that made the administrator has the token.
    const token = [first!, second!].map(tokenOf).find((one) => one !== undefined)!;
    const made = await first!.call("/api/v1/projects", {
      token,
      method: "POST",
      headers: { "content-type": "application/yaml" },
      body: unbuildableDocument(),
    });
    const { project_id } = (await made.json()) as { project_id: string };
    expect((await second!.call(`/api/v1/projects/${project_id}`, { token })).status).toBe(200);

    const key = (await (
      await first!.call("/api/v1/auth/api-keys", {
        token,
        method: "POST",
        headers: { "content-type": "application/json" },
        body: JSON.stringify({ name: "ci", scopes: ["projects:read"] }),
      })
    ).json()) as { api_key_id: string; api_key: string };
    expect((await second!.call("/api/v1/projects", { token: key.api_key })).status).toBe(200);
    await first!.call(`/api/v1/auth/api-keys/${key.api_key_id}`, { token, method: "DELETE" });
    await until(async () => (await second!.call("/api/v1/projects", { token: key.api_key })).status === 401);
    const other = { ...env, SLIPWAY_MASTER_KEY: randomBytes(32).toString("base64") };
    const refused = await run(["serve", "--port", "0", "--data", join(folder, "c")], { env: other });
    expect(refused).toMatchObject({
      code: 2,
      err: expect.stringContaining("is not the one that this database was used with"),
    });
    expect(await first!.stop()).toMatchObject({ code: 0 });
    expect((await second!.call(`/api/v1/projects/${project_id}`, { token })).status).toBe(200);
  });
});

describe("when the database goes away", () => {
  test("requests are refused at once, the service stays and may end, and all is well when it is back", {
    tags: "long",
  }, async () => {
    const folder = await testFolder();
    const outside = join(folder, "outside");
    const before = await startDatabase(outside);
    // Nobody carries the project out: it must not change by itself.
    const service = await startService(join(folder, "data"), ["--roles", "api"], {
      env: { SLIPWAY_DATABASE_URL: urlOf(before) },
    });
    const { project_id } = await service.createProject(unbuildableDocument());
    const path = `/api/v1/projects/${project_id}`;
    const waiting = service.call(path, { headers: { prefer: "wait=30" } });
    await until(async () => (await service.call("/metrics").then((one) => one.text())).includes("open_streams 1"));
    await before.stop();
    const tries = await Promise.all(
      ["/api/v1/projects", path, `${path}/spec`, `${path}/events`, "/readyz"].map((one) => tryToRead(service, one)),
    );
    for (const answer of tries) {
      expect(answer).toEqual({ status: 503, code: "database_unavailable", retryAfter: "1" });
    }
    await expect(service.createProject(unbuildableDocument())).rejects.toThrow("database_unavailable");
    expect((await service.call("/healthz")).status).toBe(200);
    // It gets an error, too, and does not wait.
    expect((await waiting).status).toBe(503);

    const after = await startDatabase(outside);
    await until(async () => (await service.call("/readyz")).status === 200);
    expect((await service.call(path)).status).toBe(200);
    await service.createProject(unbuildableDocument());
    await until(async () => (await streamedEvent(service, project_id))?.includes("event: project.created"));
    expect(await service.stop()).toMatchObject({ code: 0 });

    // With projects to carry out, and ended while there is no database, it ends well all the same.
    const working = await startService(join(folder, "data"), [], { env: { SLIPWAY_DATABASE_URL: urlOf(after) } });
    await working.createProject(unbuildableDocument());
    await after.stop();
    expect(await working.stop()).toMatchObject({ code: 0 });
  });
});

describe("a database that cannot be used is reported without its password, and the service ends with 1", () => {
  const cases: [string, string, RegExp][] = [
    [
      "that does not answer",
      "postgres://ann:hidden@127.0.0.1:1/a",
      /does not let us in: connect ECONNREFUSED 127\.0\.0\.1:1\./,
    ],
    ["that is none", "mysql://ann:hidden@127.0.0.1/a", /is not the address of a Postgres database/],
    [
      "that does not exist",
      shared.url.replace(/test_\w+/, "hidden_not"),
      /does not let us in: database .* does not exist/,
    ],
  ];
  test.for(soakCases(cases))("one %s", async ([, url, message]) => {
    const data = join(await testFolder(), "data");
    const env = { SLIPWAY_DATABASE_URL: url };
    for (const args of [
      ["serve", "--port", "0"],
      ["admin-token", "rotate"],
    ]) {
      const { code, out, err } = await run([...args, "--data", data], { env, program: entry });
      expect({ code, out }).toEqual({ code: 1, out: "" });
      expect(err).toMatch(message);
      expect(err).not.toContain(":hidden@");
      expect(err).not.toContain("at async");
    }
  });
});

test("a database that goes away while the service is starting ends it with a line, not with a stack", async () => {
  const database = connectDatabase<Schema>(shared.connection, { log: quietLog });
  onTestFinished(() => database.close());
  const env = { SLIPWAY_DATABASE_URL: shared.url };
  const starting = await patientTransaction(database.db, async (trx) => {
    await sql`lock table master_keys in access exclusive mode`.execute(trx);
    const service = new Service(join(await testFolder(), "data"), [], { env });
    // The start is held there, behind statements that were answered.
    const waiting = sql<{ ended: boolean }>`
      select pg_terminate_backend(pid) as ended from pg_stat_activity
      where datname = current_database() and wait_event_type = 'Lock'`;
    // Beside the transaction, which would see the same backends for ever.
    await until(async () => (await waiting.execute(database.db)).rows.length > 0);
    return service;
  });
  expect(await starting.ended).toEqual({
    ...{ code: 1, signal: null, out: "" },
    err: expect.stringMatching(
      /^slipway: The database went away while the service was starting: .+\. Start the service again when it answers\.\n$/,
    ),
  });
});

async function startDatabase(folder: string): Promise<EmbeddedPostgres> {
  const database = await startEmbeddedPostgres({ folder, log: quietLog });
  onTestFinished(() => database.stop());
  return database;
}

function urlOf({ connection: { user, database, host } }: EmbeddedPostgres): string {
  return `postgres://${user}@/${database}?host=${encodeURIComponent(host)}`;
}

function tokenOf(service: Service): string | undefined {
  try {
    return service.adminToken;
  } catch {
    return undefined;
  }
}

async function tryToRead(service: Service, path: string) {
  const answer = await service.call(path);
  const { code } = (await answer.json()) as { code?: string };
  return { status: answer.status, code, retryAfter: answer.headers.get("retry-after") };
}

/** The first words of a stream of events. */
async function streamedEvent(service: Service, projectId: string): Promise<string | undefined> {
  const answer = await service.call(`/api/v1/projects/${projectId}/events`, {
    headers: { accept: "text/event-stream" },
  });
  const reader = answer.body!.pipeThrough(new TextDecoderStream()).getReader();
  let text = "";
  while (!text.includes("data:")) {
    const { value, done } = await reader.read();
    if (done) break;
    text += value;
  }
  await reader.cancel();
  return text;
}
