import { access, mkdtemp, rm, writeFile } from "node:fs/promises";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Deployment, Release } from "@slipway/contract";
import { describe, expect, test } from "vitest";
import { findDeployment, noteStopped } from "../../../src/deployment/index.ts";
import { processExists } from "../../../src/platform/process/index.ts";
import { countingServer, deploymentCalls, read } from "../../support/deployments/app-calls.ts";
import { eventsOf, readProject, refusalOf, untilEnded } from "../../support/engine/follow.ts";
import { createStage } from "../../support/engine/stage.ts";
import { until } from "../../support/until.ts";

const { app, play } = await createStage();
const { call } = app;

/** Deploys a version of an application, and gives its project. */
async function deploy(id: string, start: string) {
  const project = await untilEnded(app, await play({ id, scripts: { start } }));
  expect(project).toMatchObject({ status: "deployed", error: null });
  return project;
}

/** Deploys an application twice: its first version stays warm. */
async function deployTwice(id: string) {
  const first = await deploy(id, countingServer("one"));
  const url = first.deployment!.url!;
  const firstPid = await read(url, "/pid");
  const second = await deploy(id, countingServer("two"));
  return { first, second, url, firstPid, app: deploymentCalls(app, first.application_id) };
}

// Each serves several tests, in their order.
const [shop, books, notes] = await Promise.all([deployTwice("shop"), deployTwice("books"), deployTwice("notes")]);

describe("what is live", () => {
  test("is listed by application, read with its versions, and shown by its project", async () => {
    const { first, second, url } = shop;
    const { application_id } = first;
    const deployment = await shop.app.read();
    expect(deployment).toMatchObject({
      ...{ application_id, environment: "default", status: "live", reason: null, replicas: 1 },
      ...{ url, usage: `curl ${url}` },
      release: { project_id: second.project_id, number: 2, kind: "server", status: "live", error: null },
    });
    expect(deployment.releases.map(({ number, status, checks }) => [number, status, checks])).toEqual([
      [2, "live", expect.any(Object)],
      [1, "retired", expect.any(Object)],
    ]);
    const { releases: _, ...alone } = deployment;
    const list = await call({ url: `/api/v1/applications/${application_id}/deployments` });
    expect(list.json()).toEqual({ deployments: [alone] });
    expect((await call({ url: `/api/v1/applications/${application_id}` })).json()).toMatchObject({
      ...{ application_id, document_id: "shop", projects: 2 },
      deployments: [alone],
    });
    const made = await call({ url: `/api/v1/projects/${first.project_id}/deployments` });
    expect(made.json<{ releases: Release[] }>().releases).toMatchObject([{ number: 1, status: "retired" }]);
    const { deployment_id, usage, release } = deployment;
    expect((await readProject(app, second.project_id)).deployment).toEqual({
      ...{ deployment_id, environment: "default", version: release!.version, url, usage, status: "live" },
    });
    expect((await readProject(app, first.project_id)).deployment).toBeNull();
  });

  test("is nobody else's: others do not find it, and people who read all cannot change it", async () => {
    const { path } = shop.app;
    const application = `/api/v1/applications/${shop.first.application_id}`;
    const reads = [application, `${application}/deployments`, path];
    const { token: stranger } = await app.userToken("svc:user");
    const { token: reader } = await app.userToken("svc:readonly");
    for (const url of [...reads, `/api/v1/projects/${shop.first.project_id}/deployments`]) {
      expect((await call({ url, token: stranger })).statusCode).toBe(404);
      expect((await call({ url, token: reader })).statusCode).toBe(200);
    }
    for (const { method, name, payload } of commands) {
      const change = { method, url: `${path}${name}`, ...(payload && { payload }) };
      expect((await call({ ...change, token: stranger })).statusCode).toBe(404);
      expect((await call({ ...change, token: reader })).statusCode).toBe(403);
    }
    expect((await shop.app.read()).status).toBe("live");
  });

  test("is found by its environment or its id; where a name means two, it says so", { tags: "long" }, async () => {
    const scripts = { deploy: "true" };
    const { application_id } = await untilEnded(app, await play({ id: "named", scripts }));
    const environments = { default: { auto_deploy: true }, "a b/ä": {} };
    const written = encodeURIComponent("a b/ä");
    const query = `?environment=${written}`;
    await untilEnded(app, await play({ id: "named", scripts, environments }, undefined, { query }));
    const top = deploymentCalls(app, application_id);
    expect(await top.read()).toMatchObject({ environment: "default", url: null });
    expect(await deploymentCalls(app, application_id, written).read()).toMatchObject({ environment: "a b/ä" });
    await untilEnded(app, await play({ id: "named", scripts, environments }));
    const [status, detail] = refusalOf(await call({ url: top.path }));
    expect([status, detail]).toEqual([409, expect.stringContaining("(the top level)")]);
    for (const id of detail.match(/dep_\w+/g)!)
      expect((await deploymentCalls(app, application_id, id).read()).deployment_id).toBe(id);
    expect((await call({ url: deploymentCalls(app, application_id, "staging").path })).statusCode).toBe(404);
  });
});

const commands = [
  { method: "POST", name: "/rollback", payload: {} },
  { method: "POST", name: "/stop", payload: undefined },
  { method: "POST", name: "/start", payload: undefined },
  { method: "POST", name: "/restart", payload: undefined },
  { method: "POST", name: "/scale", payload: { replicas: 2 } },
  { method: "DELETE", name: "", payload: undefined },
] as const;

describe("commands", () => {
  test("are recorded, answered once for a key, and refused if somebody else was faster", async () => {
    const { path, command, read: readShop } = shop.app;
    const etag = (await call({ url: path })).headers["etag"] as string;
    expect((await call({ url: path, headers: { "if-none-match": etag } })).statusCode).toBe(304);
    const key = { "idempotency-key": "stop-once", "if-match": etag };
    expect((await command("stop", undefined, key)).statusCode).toBe(200);
    await command("start");
    expect((await command("stop", undefined, key)).headers["idempotency-replayed"]).toBe("true");
    expect((await readShop()).status).toBe("live");
    expect((await command("stop", undefined, { "if-match": etag })).statusCode).toBe(412);
    const { deployment_id } = await readShop();
    const audit = app.db.selectFrom("audit").select("action").where("target", "=", deployment_id).orderBy("id");
    const actions = (await audit.execute()).map(({ action }) => action);
    expect(actions).toEqual(["deployment.stop", "deployment.start"]);
  });

  test("stop ends it, start brings it back at the same address with its data", async () => {
    const { url, second } = shop;
    const { command } = shop.app;
    expect(await read(url, "/count")).toBe("1");
    const stopped = await command("stop");
    expect(stopped.json<Deployment>()).toMatchObject({ status: "stopped", url, release: { number: 2 } });
    expect(await read(url)).toBe("nothing");
    expect((await readProject(app, second.project_id)).deployment).toMatchObject({ status: "stopped" });
    expect(refusalOf(await command("restart"))).toEqual([409, "The deployment 'default' is stopped. Start it."]);
    expect((await command("start")).json<Deployment>()).toMatchObject({ status: "live", url });
    expect(await read(url, "/count")).toBe("2");
  });

  test("what nothing keeps alive is not told to be live, wanted or not, until it is started again", async () => {
    const { url, second, app: ofBooks } = books;
    const { deployment_id } = await ofBooks.read();
    const { host } = (await findDeployment(app.db, deployment_id))!;
    const note = (...keptAlive: string[]) =>
      noteStopped(app.db, host, { keptAlive: new Set(keptAlive), now: new Date() });
    await note(deployment_id, shop.second.deployment!.deployment_id, notes.second.deployment!.deployment_id);
    expect((await ofBooks.read()).status).toBe("live");
    await note(shop.second.deployment!.deployment_id, notes.second.deployment!.deployment_id);
    expect(await ofBooks.read()).toMatchObject({ status: "stopped", reason: null, url });
    expect((await readProject(app, second.project_id)).deployment).toMatchObject({ status: "stopped" });
    expect((await shop.app.read()).status).toBe("live");
    expect((await ofBooks.command("start")).json<Deployment>()).toMatchObject({ status: "live", url });
  });

  test("restart replaces the process; scale starts more of them", async () => {
    const { url } = shop;
    const { command } = shop.app;
    const pid = await read(url, "/pid");
    expect((await command("restart")).json<Deployment>()).toMatchObject({ status: "live", url });
    expect(await read(url, "/pid")).not.toBe(pid);
    expect((await command("scale", { replicas: 2 })).json<Deployment>()).toMatchObject({ replicas: 2 });
    const pids = await Promise.all(Array.from({ length: 8 }, () => read(url, "/pid")));
    expect(new Set(pids).size).toBe(2);
    expect((await command("scale", { replicas: 0 })).statusCode).toBe(422);
  });

  test("that a version on its way would undo are refused until it is there", async () => {
    const flag = join(app.dataFolder, "may-start");
    const start = `until [ -f ${flag} ]; do sleep 0.05; done; exec ${countingServer("three")}`;
    const id = await play({ id: "shop", scripts: { start } });
    await until(async () => (await shop.app.read()).releases[0]?.status === "preparing");
    const because = [409, `${id} is deploying a version of it. Wait for its end, or cancel it.`];
    expect(refusalOf(await shop.app.command("stop"))).toEqual(because);
    expect(refusalOf(await shop.app.command("rollback", {}))).toEqual(because);
    expect(refusalOf(await shop.app.remove())).toEqual(because);
    await writeFile(flag, "");
    expect(await untilEnded(app, id)).toMatchObject({ status: "deployed" });
    expect(await read(shop.url)).toBe("three");
    expect((await shop.app.command("rollback", {})).json()).toMatchObject({ release: { number: 2 } });
  });

  test("a number of copies that cannot be reached is told of, and tried again", { tags: "long" }, async () => {
    const full = join(tmpdir(), `slipway-full-${process.pid}`);
    const { application_id } = await deploy("full", `test ! -e ${full} && exec ${countingServer("one")}`);
    const { command } = deploymentCalls(app, application_id);
    await writeFile(full, "");
    expect((await command("scale", { replicas: 2 })).json<Deployment>()).toMatchObject({
      ...{ status: "unhealthy", replicas: 2 },
      reason: expect.stringMatching(/^It cannot run 2 copies: /),
    });
    await rm(full);
    expect((await command("scale", { replicas: 2 })).json<Deployment>()).toMatchObject({
      status: "live",
      reason: null,
    });
  });

  test("given to another node reach the one that has it", async () => {
    const own = await mkdtemp(join(tmpdir(), "slipway-node-"));
    const { http } = await app.anotherNode({ isIdle: true, dataFolder: own });
    const headers = { authorization: `Bearer ${app.adminToken}` };
    const answer = await http.inject({ method: "POST", url: `${shop.app.path}/stop`, headers });
    expect(answer.json()).toMatchObject({ status: "stopped" });
    await until(async () => (await read(shop.url)) === "nothing");
    await shop.app.command("start");
    await rm(own, { recursive: true });
  });

  test("that need programs are refused where none run", { tags: "long" }, async () => {
    const { application_id } = await untilEnded(app, await play({ id: "scripted", scripts: { deploy: "true" } }));
    const { command } = deploymentCalls(app, application_id);
    const because = "The deployment 'default' has no programs that run: it is a script.";
    expect(refusalOf(await command("restart"))).toEqual([409, because]);
    expect(refusalOf(await command("scale", { replicas: 2 }))).toEqual([409, because]);
    expect((await command("stop")).json()).toMatchObject({ status: "stopped" });
    expect((await command("start")).json()).toMatchObject({ status: "live" });
  });

  test("find no version where none was ever live", { tags: "long" }, async () => {
    const id = await play({ id: "never", scripts: { start: "echo no port; exit 3" } });
    const { application_id } = await untilEnded(app, id);
    const never = deploymentCalls(app, application_id);
    const deployment = await never.read();
    const because = expect.stringContaining("no port");
    expect(deployment).toMatchObject({ status: "unhealthy", reason: because, release: null, url: null });
    expect(deployment.releases[0]).toMatchObject({ status: "failed", error: because });
    expect((await never.command("start")).statusCode).toBe(409);
    const nothing = "There is no version before this one to go back to.";
    expect(refusalOf(await never.command("rollback", {}))).toEqual([409, nothing]);
    expect((await call({ method: "DELETE", url: `/api/v1/projects/${id}` })).statusCode).toBe(204);
  });
});

test("a version that failed and still runs, because its service was killed, is ended", { tags: "long" }, async () => {
  const { application_id, deployment } = await deploy("stray", countingServer("one"));
  const stray = deploymentCalls(app, application_id);
  const firstPid = Number(await read(deployment!.url!, "/pid"));
  await deploy("stray", countingServer("two"));
  const { release_id } = (await stray.read()).releases.find(({ number }) => number === 1)!;
  process.kill(firstPid, 0);
  await app.db.updateTable("releases").set({ status: "failed" }).where("id", "=", release_id).execute();
  await stray.command("restart");
  await until(() => !processExists(firstPid));
  expect(await read(deployment!.url!)).toBe("two");
});

describe("rollback", () => {
  test("to a version that still runs is a switch; it keeps the data, and is told", async () => {
    const { first, second, url, firstPid } = books;
    const { command } = books.app;
    expect(await read(url, "/count")).toBe("1");
    const answer = await command("rollback", { reason: "It was slow." });
    expect(answer.json<Deployment>()).toMatchObject({ status: "live", url, release: { number: 1 } });
    expect([await read(url), await read(url, "/pid"), await read(url, "/count")]).toEqual(["one", firstPid, "2"]);
    expect((await eventsOf(app, second.project_id)).at(-1)).toMatchObject({
      event: "deployment.rolled_back",
      data: { reason: "It was slow.", url },
    });
    expect((await readProject(app, first.project_id)).deployment).toMatchObject({ status: "live", url });
    // Once more, and the newer one is back.
    expect((await command("rollback", {})).json()).toMatchObject({ release: { number: 2 } });
    expect(await read(url)).toBe("two");
  });

  test("to a version that has ended starts it again, with the data", async () => {
    const { url, firstPid } = books;
    await books.app.command("stop");
    const { release_id } = (await books.app.read()).releases.find(({ number }) => number === 1)!;
    const answer = await books.app.command("rollback", { release_id });
    expect(answer.json<Deployment>()).toMatchObject({ status: "live", url, release: { release_id } });
    expect([await read(url), await read(url, "/count")]).toEqual(["one", "3"]);
    expect(await read(url, "/pid")).not.toBe(firstPid);
  });

  test("is refused for the live version, for one of another deployment, and for one that failed", async () => {
    const { command, read: readShop } = shop.app;
    const { release } = await readShop();
    const [status, detail] = refusalOf(await command("rollback", { release_id: release!.release_id }));
    expect([status, detail]).toEqual([409, expect.stringMatching(/is the one that is live\.$/)]);
    const { release: foreign } = await books.app.read();
    expect((await command("rollback", { release_id: foreign!.release_id })).statusCode).toBe(404);
    await untilEnded(app, await play({ id: "shop", scripts: { start: "exit 3" } }));
    const failed = (await readShop()).releases[0]!;
    expect(failed.status).toBe("failed");
    expect((await command("rollback", { release_id: failed.release_id })).statusCode).toBe(409);
    expect(await readShop()).toMatchObject({ status: "live", release: { number: 2 } });
  });

  test("to a version that no longer starts leaves what is live, and says why", { tags: "long" }, async () => {
    const flag = join(app.dataFolder, "flag");
    await writeFile(flag, "");
    const first = await deploy("broken", `test -f ${flag} && ${countingServer("one")}`);
    await deploy("broken", countingServer("two"));
    const broken = deploymentCalls(app, first.application_id);
    // Nothing stays warm.
    await broken.command("stop");
    await broken.command("start");
    await rm(flag);
    const [status, detail] = refusalOf(await broken.command("rollback", {}));
    expect([status, detail]).toEqual([409, expect.stringContaining("could not be started, so nothing was changed:")]);
    expect(await read(first.deployment!.url!)).toBe("two");
    expect(await broken.read()).toMatchObject({ status: "live", release: { number: 2 } });
  });
});

describe("deleting", () => {
  test("spares a project that is live, and the last one while the application's data is kept", async () => {
    const { first, second } = notes;
    const { command, read: readNotes } = notes.app;
    const remove = (id: string) => call({ method: "DELETE", url: `/api/v1/projects/${id}` });
    const { deployment_id } = await readNotes();
    const words = `${first.application_id} --environment ${deployment_id}'`;
    const stop = `'slipway apps stop ${words}`;
    expect(refusalOf(await remove(second.project_id))).toEqual([409, expect.stringContaining(stop)]);
    await command("stop");
    expect((await remove(second.project_id)).statusCode).toBe(204);
    expect(await readNotes()).toMatchObject({ status: "stopped", release: null, releases: [{ number: 1 }] });
    expect((await command("start")).statusCode).toBe(409);
    const rest = `'slipway apps rm ${words}`;
    expect(refusalOf(await remove(first.project_id))).toEqual([409, expect.stringContaining(rest)]);
    expect((await command("rollback", {})).json()).toMatchObject({ status: "live", release: { number: 1 } });
  });

  test("a deployment frees its address and its folder; then its projects can be deleted", async () => {
    const { first, url } = notes;
    const { deployment_id } = await notes.app.read();
    const folder = join(app.dataFolder, "apps", deployment_id);
    await access(folder);
    expect((await notes.app.remove()).statusCode).toBe(204);
    expect((await notes.app.remove()).statusCode).toBe(404);
    await listenAt(Number(new URL(url).port));
    await expect(access(folder)).rejects.toThrow();
    expect((await readProject(app, first.project_id)).deployment).toBeNull();
    expect((await call({ method: "DELETE", url: `/api/v1/projects/${first.project_id}` })).statusCode).toBe(204);
    expect((await call({ url: `/api/v1/applications/${first.application_id}` })).statusCode).toBe(404);
  });
});

/** Fails if another program listens there. */
async function listenAt(port: number): Promise<void> {
  const server = createServer();
  await new Promise<void>((resolve, reject) => server.once("error", reject).listen(port, "127.0.0.1", resolve));
  await new Promise((resolve) => server.close(resolve));
}
