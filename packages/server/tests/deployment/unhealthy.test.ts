import { rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { setImmediate as nextLoop } from "node:timers/promises";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { sql } from "kysely";
import { pino } from "pino";
import { describe, expect, onTestFinished, test } from "vitest";
import { DeploymentHealth, type DeploymentNews } from "../../src/deployment/health.ts";
import { findDeployment } from "../../src/deployment/store.ts";
import { connectDatabase, type Database, type Schema } from "../../src/platform/database/index.ts";
import type { Masked } from "../../src/platform/secrets/index.ts";
import { quietLog } from "../support/database/quiet-log.ts";
import { deploymentCalls } from "../support/deployments/app-calls.ts";
import { eventsOf, untilEnded } from "../support/engine/follow.ts";
import { createStage } from "../support/engine/stage.ts";
import { DatabaseProxy } from "../support/tcp-proxy.ts";
import { until } from "../support/until.ts";

const { app, play } = await createStage({ minuteMs: 6_000 });

/** Answers with its name; ends, or is ill from then on, when it is told to. */
const server = (name: string) =>
  `${process.execPath} -e "let ill = false; require('http').createServer((q, s) => { if (q.url === '/exit') process.exit(3); if (q.url === '/ill') { ill = true; process.env.SLIPWAY_DATA_DIR && require('fs').writeFileSync(process.env.SLIPWAY_DATA_DIR + '/ill-${name}', ''); } s.writeHead(ill || require('fs').existsSync(process.env.SLIPWAY_DATA_DIR + '/ill-${name}') ? 500 : 200).end('${name}') }).listen(process.env.PORT, process.env.HOST)"`;

async function deploy(id: string, name: string, parts: { scripts?: object; checkSeconds?: number } = {}) {
  const scripts = { start: server(name), ...parts.scripts };
  const deployment = { health_checks: { path: "/", interval_seconds: parts.checkSeconds ?? 0.1 } };
  return untilEnded(app, await play({ id, deployment, scripts }));
}

const answer = async (url: string, path = "/") =>
  fetch(url + path).then(
    (one) => one.text(),
    () => "nothing",
  );
/** Resolves when who asked the database before has been refused, too. */
const isRefused = (db: Database) =>
  sql`select`.execute(db).then(
    () => Promise.reject(new Error("It is not away.")),
    () => undefined,
  );
const namesOf = async (id: string) =>
  (await eventsOf(app, id)).map(({ event }) => event).filter((name) => name.startsWith("deployment."));

test("a program that ends is told of once, and once that it is well again", async () => {
  const { project_id: id, application_id, deployment: live } = await deploy("ends", "one", { checkSeconds: 60 });
  await answer(live!.url!, "/exit");
  await until(async () => (await namesOf(id)).length === 2);
  expect(await namesOf(id)).toEqual(["deployment.unhealthy", "deployment.recovered"]);
  const [unhealthy] = (await eventsOf(app, id)).filter(({ event }) => event === "deployment.unhealthy");
  const { deployment_id, version, url } = live!;
  const told = { deployment_id, environment: "", version, url };
  expect(unhealthy!.data).toEqual({ ...told, reason: "scripts.start ended with exit code 3." });
  expect((await eventsOf(app, id)).find(({ event }) => event === "deployment.recovered")!.data).toEqual(told);
  expect(await answer(live!.url!)).toBe("one");
  expect(await deploymentCalls(app, application_id).read()).toMatchObject({ status: "live", reason: null });
});

describe("what a look saw", async () => {
  const { deployment: live } = await deploy("looked-at", "one", { checkSeconds: 60 });
  const row = async () => (await findDeployment(app.db, live!.deployment_id))!;
  const isEnding = "It is ending." as Masked;

  async function watching() {
    const told: string[] = [];
    const append = (_trx: unknown, _id: string, name: string) => Promise.resolve(void told.push(name));
    const news = { append, appended: () => undefined } as unknown as DeploymentNews;
    const rest = { clock: app.clock, log: pino({ level: "silent" }), addressHost: "", minuteMs: 6_000 };
    const others = { findDocument: {} as never, writeLog: () => undefined };
    const health = new DeploymentHealth({ ...rest, ...others, db: app.db, news }, () => undefined);
    onTestFinished(() => health.stop());
    const { id: deploymentId, release_id } = await row();
    const ref = { deploymentId, releaseId: release_id!, program: "start" };
    return { health, told, ref };
  }

  test("is no news once the supervisor has told something newer", async () => {
    const { health, told, ref } = await watching();
    const sawItWell = health.look(await row());
    health.note({ ...ref, is: "unhealthy", reason: isEnding });
    await until(async () => (await row()).health === "unhealthy");
    await health.noteHealth(sawItWell, null);
    expect(await row()).toMatchObject({ health: "unhealthy" });

    const sawItIll = health.look(await row());
    health.note({ ...ref, is: "recovered" });
    await until(async () => (await row()).health === "healthy");
    await health.noteIll(sawItIll, isEnding);
    expect(await row()).toMatchObject({ health: "healthy" });
    expect(told).toEqual(["deployment.unhealthy", "deployment.recovered"]);
  });

  test("of a canary is heard while somebody watches that, and not kept after that", async () => {
    setFlagsFromString("--expose-gc");
    const { health, ref } = await watching();
    async function watch(): Promise<WeakRef<Promise<string>>> {
      using canary = health.watchCanary(ref.releaseId);
      health.note({ ...ref, is: "canary_aborted", reason: isEnding });
      expect(await canary.aborted).toBe(isEnding);
      return new WeakRef(canary.aborted);
    }
    const watched = await watch();
    // What a turn of the loop has looked at is kept until it ends.
    await nextLoop();
    (runInNewContext("gc") as () => void)();
    expect(watched.deref()).toBeUndefined();
  });

  test("of a canary is heard by who watches it now, though who did so before leaves later", async () => {
    const { health, ref } = await watching();
    const before = health.watchCanary(ref.releaseId);
    using now = health.watchCanary(ref.releaseId);
    before[Symbol.dispose]();
    health.note({ ...ref, is: "canary_aborted", reason: isEnding });
    expect(await now.aborted).toBe(isEnding);
  });

  test("is told where the supervisor has told nothing", async () => {
    const { health, told } = await watching();
    await health.noteIll(health.look(await row()), isEnding);
    await health.noteHealth(health.look(await row()), null);
    expect(told).toEqual(["deployment.unhealthy", "deployment.recovered"]);
  });
});

test("no secret is told where a program does not answer well", { tags: "long" }, async () => {
  const key = "of-one-line-42";
  await app.call({ method: "PUT", url: "/api/v1/secrets/KEY", payload: { value: key } });
  const { project_id: id, deployment: live } = await untilEnded(
    app,
    await play({
      ...{ id: "keeps", secrets: { provider: "slipway", required: ["KEY"] }, scripts: { start: server("one") } },
      deployment: { health_checks: { path: `/${key}`, interval_seconds: 0.1 } },
    }),
  );
  await answer(live!.url!, "/ill");
  await until(async () => (await namesOf(id)).includes("deployment.unhealthy"));
  const told = JSON.stringify(await eventsOf(app, id));
  expect(told).toContain("answers with 500 at /****");
  expect(told).not.toContain(key);
});

describe("what programs print while the database is away when their project is looked up", async () => {
  /** A service that does not know the versions yet, and what it passes on. */
  async function watching(...ids: readonly string[]) {
    const found = await app.db.selectFrom("releases").selectAll().where("project_id", "in", ids).execute();
    const proxy = await DatabaseProxy.open(app.connection);
    const { db, close } = connectDatabase<Schema>(proxy.connection, { log: quietLog });
    const told: Record<string, string> = {};
    const rest = { clock: app.clock, log: pino({ level: "silent" }), addressHost: "", minuteMs: 6_000 };
    const writeLog = (projectId: string, source: string, text: string) => {
      told[projectId] = `${told[projectId] ?? source}${text}`;
    };
    const others = { news: {} as never, findDocument: {} as never };
    const health = new DeploymentHealth({ ...rest, ...others, db, writeLog }, () => undefined);
    onTestFinished(async () => {
      health.stop();
      await close();
    });
    const print = (id: string, line: string) => {
      const { deployment_id: deploymentId, id: releaseId } = found.find((one) => one.project_id === id)!;
      health.note({ deploymentId, releaseId, program: "start", is: "output", text: `${line}\n` as Masked });
    };
    return { proxy, db, told, print };
  }

  test("waits, and is passed on in its order", { tags: "long" }, async () => {
    const { project_id: id } = await deploy("prints", "one");
    const { proxy, db, told, print } = await watching(id);
    await proxy.shut();
    print(id, "first");
    await isRefused(db);
    print(id, "second");
    await proxy.open();
    print(id, "third");
    await until(() => told[id]?.endsWith("third\n"));
    expect(told).toEqual({ [id]: "appfirst\nsecond\nthird\n" });
  });

  const name = "takes no more memory in many short lines than in long ones, and who had no room is told, too";
  test(name, { tags: "long" }, async () => {
    const { project_id: id } = await deploy("prints-much", "one");
    const { project_id: other } = await deploy("prints-later", "one");
    const { proxy, told, print } = await watching(id, other);
    await proxy.shut();
    for (let line = 0; line < 200_000; line += 1) print(id, "x");
    print(other, "late");
    await proxy.open();
    await until(() => told[other]);
    const kept = (8 << 20) / 66;
    expect(told[id]).toMatch(/^app(x\n)+… \d+ more characters were left out, because the database did not answer\n$/);
    expect(told[id]!.length).toBeLessThan(2 * kept + 100);
    expect(told[other]).toMatch(/^app… 5 more characters were left out/);
  });
});

test("a new version that does not recover gives way to the version before", { tags: "long" }, async () => {
  await deploy("ill", "one");
  const { project_id: id, application_id, deployment: live } = await deploy("ill", "two");
  expect(await answer(live!.url!, "/ill")).toBe("two");
  await until(async () => (await namesOf(id)).includes("deployment.rolled_back"));
  await until(async () => (await answer(live!.url!)) === "one");
  const [back] = (await eventsOf(app, id)).filter(({ event }) => event === "deployment.rolled_back");
  expect(back!.data).toEqual({
    ...{ deployment_id: live!.deployment_id, environment: "", url: live!.url },
    ...{ version: expect.any(String), from_version: live!.version },
    reason: expect.stringContaining("not healthy for 10 seconds"),
  });
  const calls = deploymentCalls(app, application_id);
  await until(async () => (await calls.read()).release?.number === 1);
});

test("so does one that only a look at it finds ill, because it no longer starts", { tags: "long" }, async () => {
  const flag = join(app.dataFolder, "may-start");
  await writeFile(flag, "");
  await deploy("gone", "one");
  const start = `test -f ${flag} && exec ${server("two")}`;
  const { project_id: id, application_id, deployment: live } = await deploy("gone", "two", { scripts: { start } });
  const calls = deploymentCalls(app, application_id);
  await calls.command("stop");
  await rm(flag);
  expect((await calls.command("start")).json()).toMatchObject({ status: "unhealthy" });
  await until(async () => (await namesOf(id)).includes("deployment.rolled_back"));
  await until(async () => (await answer(live!.url!)) === "one");
});

test("a migration that fails leaves the version before untouched", { tags: "long" }, async () => {
  const { deployment: live } = await deploy("moves", "one", {
    scripts: { migrate: "echo 1 > $SLIPWAY_DATA_DIR/schema" },
  });
  const scripts = { migrate: 'test "$(cat $SLIPWAY_DATA_DIR/schema)" = 1 && echo no such column && exit 7' };
  const { status, error } = await deploy("moves", "two", { scripts });
  expect(status).toBe("failed");
  expect(error?.message).toBe("scripts.migrate ended with exit code 7. Last output: no such column");
  expect(await answer(live!.url!)).toBe("one");
});

test("a deployment is reported with its steps and the requests that went wrong", { tags: "long" }, async () => {
  await deploy("told", "one");
  const { project_id: id } = await deploy("told", "two");
  const report = await app.call({ url: `/api/v1/projects/${id}/artifacts/deployment_report` });
  expect(report.json()).toMatchObject({
    ...{ strategy: "blue_green", is_live: true, error: null, environment: "" },
    steps: [{ what: "started it" }, { what: "switched all requests" }],
    requests: { failed: 0, dropped: 0 },
  });
});
