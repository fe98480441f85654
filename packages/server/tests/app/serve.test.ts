import { spawn } from "node:child_process";
import { existsSync, lstatSync, readdirSync, readlinkSync, statSync } from "node:fs";
import { readFile, rm } from "node:fs/promises";
import { connect, createServer } from "node:net";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { describe, expect, onTestFinished, test } from "vitest";
import { closedFolder, isRoot, plainUsers, processesIn, signal, testFolder } from "../support/database/run-starter.ts";
import { entry, run, Service, startService, statusOf, usedDataFolder } from "../support/run-service.ts";
import { unbuildableDocument } from "../support/test-app.ts";
import { until } from "../support/until.ts";

describe("a service that starts", () => {
  test("prints that it is ready and nothing more, and stays in the process group of who started it", {
    tags: "long",
  }, async () => {
    const service = await startService(await newDataFolder());
    expect(service.serverPid).not.toBe(service.child.pid);
    expect(statusOf(service.serverPid)?.group).toBe(service.child.pid);
    if (isRoot) await expectClosedToOthers(service.data);
    await service.createProject(unbuildableDocument());
    const told = join(service.data, "service.sock");
    expect(await text(connect(told))).toBe(`${service.address}\n`);
    const { out } = await service.stop();
    expect(out).toBe(`Slipway is ready at ${service.address}\n`);
    expect(existsSync(told)).toBe(false);
  });

  test("goes on when clients hold all the connections that they get", { tags: "long" }, async () => {
    const service = await startService(await usedDataFolder(), [], { program: entry, maxOpenFiles: 300 });
    const port = Number(new URL(service.address).port);
    const sockets = Array.from({ length: 400 }, () => connect(port, "127.0.0.1").on("error", () => undefined));
    onTestFinished(() => {
      for (const socket of sockets) socket.destroy();
    });
    // Half of its files are for what it does itself.
    await until(
      () => sockets.filter(({ readyState }) => readyState !== "open" && readyState !== "opening").length >= 250,
    );
    expect(sockets.filter(({ readyState }) => readyState === "open")).toHaveLength(150);
    for (const socket of sockets) socket.destroy();
    await until(() =>
      service.call("/readyz").then(
        ({ ok }) => ok,
        () => false,
      ),
    );
  });

  test("goes on where the disk has no room for its log", { tags: "long" }, async () => {
    const data = await usedDataFolder();
    const command = `exec '${process.execPath}' '${entry}' serve --port 0 --data '${data}' 2> /dev/full`;
    const { child, printed } = serveBy(command, data, { SLIPWAY_LOG_LEVEL: "info" });
    const address = await until(() => {
      if (child.exitCode !== null) throw new Error(`The service ended with ${child.exitCode}.`);
      return /^Slipway is ready at (\S+)\n/.exec(printed())?.[1];
    });
    for (let at = 0; at < 3; at += 1) expect((await fetch(`${address}/healthz`)).status).toBe(200);
  });

  test("prints in a terminal a link that signs in", async () => {
    const data = await usedDataFolder();
    const command = `'${process.execPath}' '${entry}' serve --port 0 --data '${data}'`;
    const { printed } = serveBy(`exec script -qec "${command}" /dev/null`, data);
    await until(() => /^Dashboard, .*: http:\S+\/#sign-in=spec_oc_\w+\r\n/m.test(printed()));
  });

  test.runIf(isRoot)("works in a folder to which only root has the way", { tags: "long" }, async () => {
    const data = join(await closedFolder(), "data");
    const service = await startService(data);
    const outside = readlinkSync(join(data, "postgres"));
    onTestFinished(async () => {
      for (const pid of processesIn(outside)) signal(pid, "SIGKILL");
      await until(() => processesIn(outside).length === 0);
      await rm(outside, { recursive: true, force: true });
    });
    const { project_id } = await service.createProject(unbuildableDocument());
    await service.stop();
    const again = await startService(data);
    expect((await again.call(`/api/v1/projects/${project_id}`)).status).toBe(200);
    await again.stop();
  });

  test.runIf(plainUsers.length > 0).for(plainUsers)("works for $name, who alone may enter its folder", async (user) => {
    const data = join(await testFolder(user), "data");
    const service = await startService(data, [], { user });
    await service.createProject(unbuildableDocument());
    expect([statSync(data).mode & 0o777, statSync(data).uid]).toEqual([0o700, user.uid]);
    const { postgresPid } = service;
    expect(statSync(`/proc/${postgresPid}`).uid).toBe(user.uid);
    expect(await service.stop()).toMatchObject({ code: 0 });
    expect(statusOf(postgresPid!)).toBeUndefined();
  });

  test("on a port that is taken says so, ends with 1 and leaves no database behind", { tags: "long" }, async () => {
    const taken = createServer().listen(0, "127.0.0.1");
    onTestFinished(() => void taken.close());
    await until(() => taken.listening);
    const { port } = taken.address() as { port: number };
    const data = await usedDataFolder();
    const { code, out, err } = await run(["serve", "--data", data, "--port", String(port)]);
    expect({ code, out, said: err.split("\n").at(-2) }).toEqual({
      code: 1,
      out: "",
      said: `slipway: 127.0.0.1:${port} is in use. Choose another with --port.`,
    });
    expect(processesIn(data)).toEqual([]);
  });

  test("at an address that is not this machine's says so and ends with 1", { tags: "long" }, async () => {
    const { code, err } = await run(["serve", "--data", await usedDataFolder(), "--host", "192.0.2.1", "--port", "0"]);
    expect({ code, said: err.split("\n").at(-2) }).toEqual({
      code: 1,
      said: "slipway: 192.0.2.1 cannot be listened on (EADDRNOTAVAIL). Choose another with --host and --port.",
    });
  });
});

describe("a service that is asked to end", () => {
  test("by SIGINT answers who waits, and takes its database along; its folder was its own, and its log has no token", async () => {
    const service = await startService(await usedDataFolder(), [], { env: { SLIPWAY_LOG_LEVEL: "debug" } });
    const { adminToken } = service;
    await expectRefusal(service);
    const apiKey = await useTokens(service);
    await expectToEnd(service, "SIGINT");
    const { err } = service;
    expect(err).toContain("POST /api/v1/auth/api-keys");
    for (const token of [apiKey, adminToken]) expect(err).not.toContain(token.split("_")[3]);
    for (const line of err.trim().split("\n")) expect(() => JSON.parse(line)).not.toThrow();
  });

  test("by SIGHUP answers who waits, and takes its database along", { tags: "long" }, async () => {
    await expectToEnd(await startService(await usedDataFolder()), "SIGHUP");
  });

  test("by SIGTERM answers who waits, finishes a request in flight, refuses new ones until then, and takes its database along", {
    tags: "long",
  }, async () => {
    const service = await startService(await usedDataFolder());
    const { postgresPid } = service;
    const waiting = await waitForChange(service);
    const slow = await slowCreate(service);
    const ended = service.stop("SIGTERM");
    const refused = await until(async () => {
      const answer = await service.call("/api/v1/projects");
      return answer.status === 503 ? answer : undefined;
    });
    expect(refused.headers.get("retry-after")).toBe("5");
    expect(await refused.json()).toMatchObject({ code: "shutting_down" });
    expect((await fetch(`${service.address}/healthz`)).status).toBe(200);
    expect((await waiting.answer).status).toBe(200);
    expect(await slow.finish()).toMatch(/^HTTP\/1\.1 201 /);
    expect(await ended).toMatchObject({ code: 0, signal: null });
    expect(statusOf(postgresPid!)).toBeUndefined();
    expect(processesIn(join(service.data, ".."))).toEqual([]);
  });

  test("while it starts leaves nothing behind", { tags: "long" }, async () => {
    const folder = await testFolder();
    const service = new Service(join(folder, "data"));
    await until(() => service.postgresPid);
    expect(await service.stop()).toMatchObject({ code: 0, out: "" });
    expect(processesIn(folder)).toEqual([]);
  });

  test("by a signal to all of its process group takes its database along", { tags: "long" }, async () => {
    const service = await startService(await usedDataFolder());
    const { postgresPid } = service;
    process.kill(-service.child.pid!, "SIGTERM");
    await service.ended;
    await until(() => statusOf(postgresPid!) === undefined);
    expect(processesIn(join(service.data, ".."))).toEqual([]);
  });

  test("again, when it has not ended seconds later, does not wait", { tags: "long" }, async () => {
    const service = await startService(await usedDataFolder(), [], { program: entry });
    await slowCreate(service);
    service.child.kill("SIGTERM");
    await until(async () => (await service.call("/api/v1/projects")).status === 503);
    // The same signal once more means nothing: launchers pass on what the whole group got. A later one does.
    await until(() => !service.child.kill("SIGTERM") || service.child.exitCode !== null);
    expect(await service.ended).toMatchObject({ code: 1 });
  });
});

test("after a violent end of the service, of its database or of both, all goes on with all that was there", async () => {
  const first = await startService(await usedDataFolder());
  const { project_id } = await first.createProject(unbuildableDocument());
  const killed = first.postgresPid!;
  signal(killed, "SIGKILL");
  // Its own processes answer for a moment longer.
  await until(() => ![undefined, killed].includes(first.postgresPid));
  await until(async () => (await first.call(`/api/v1/projects/${project_id}`)).status === 200);
  await until(async () => (await first.call("/readyz")).status === 200);
  await first.createProject(unbuildableDocument());

  await first.killGroup();
  for (const pid of processesIn(first.data)) signal(pid, "SIGKILL");
  const second = await startService(first.data);
  expect((await second.call(`/api/v1/projects/${project_id}`)).status).toBe(200);

  const { postgresPid } = second;
  await second.killGroup();
  const third = await startService(first.data);
  expect(third.postgresPid).toBe(postgresPid);
  expect((await third.call(`/api/v1/projects/${project_id}`)).status).toBe(200);
  expect(await third.stop()).toMatchObject({ code: 0 });
  expect(statusOf(postgresPid!)).toBeUndefined();
});

describe("slipway admin-token rotate", () => {
  test("beside a running service ends the old token there within seconds; the next service knows it, too", {
    tags: "long",
  }, async () => {
    const service = await startService(await usedDataFolder());
    const old = service.adminToken;
    expect((await service.call("/api/v1/projects", { token: old })).status).toBe(200);
    const { code, out } = await run(["admin-token", "rotate", "--data", service.data]);
    expect({ code, out }).toEqual({ code: 0, out: `The new token is in ${join(service.data, "admin-token")}\n` });
    expect(service.adminToken).not.toBe(old);
    expect((await service.call("/api/v1/projects")).status).toBe(200);
    await until(async () => (await service.call("/api/v1/projects", { token: old })).status === 401);
    expect(statSync(join(service.data, "admin-token")).mode & 0o777).toBe(0o600);

    // As JSON: what the API answers who issues tokens, and nothing else.
    const asJson = await run(["admin-token", "rotate", "--json", "--data", service.data], { program: entry });
    expect(asJson.code).toBe(0);
    const { user_id, token, ...rest } = JSON.parse(asJson.out) as { user_id: string; token: string };
    expect(token).toBe(service.adminToken);
    expect(user_id).toMatch(/^usr_/);
    expect(rest).toEqual({
      expires_at: null,
      refresh_token: null,
      refresh_expires_at: null,
      file: join(service.data, "admin-token"),
    });
    const answer = await service.call(`/api/v1/users/${user_id}/tokens`, { method: "POST", token });
    expect(answer.status).toBe(201);
    expect(Object.keys((await answer.json()) as object).toSorted()).toEqual(
      Object.keys({ user_id, token, expires_at: 0, refresh_token: 0, refresh_expires_at: 0 }).toSorted(),
    );
    expect(await service.stop()).toMatchObject({ code: 0 });

    // Without a service, it leaves no database running.
    expect(await run(["admin-token", "rotate", "--data", service.data])).toMatchObject({ code: 0 });
    expect(processesIn(service.data)).toEqual([]);
    const second = await startService(service.data);
    expect((await second.call("/api/v1/projects")).status).toBe(200);
    expect((await second.call("/api/v1/projects", { token })).status).toBe(401);
  });
});

/** Another one on the folder of a service that runs says who holds it, ends with 1 and does not disturb that one. */
async function expectRefusal(first: Service): Promise<void> {
  const { postgresPid } = first;
  const { code, out, err } = await run(["serve", "--port", "0", "--data", first.data]);
  expect({ code, out }).toEqual({ code: 1, out: "" });
  expect(err).toContain(`is in use by slipway (process ${first.serverPid}, ${first.address}, since `);
  await first.createProject(unbuildableDocument());
  expect(first.postgresPid).toBe(postgresPid);
}

/** Sends tokens, good and bad, to wherever people put them; gives the new key among them. */
async function useTokens(service: Service): Promise<string> {
  const made = await service.call("/api/v1/auth/api-keys", {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ name: "ci", scopes: ["projects:read"] }),
  });
  const { api_key } = (await made.json()) as { api_key: string };
  await service.call(`/api/v1/projects?q=${api_key}`, { token: api_key });
  await service.call(`/api/v1/projects/${api_key}`, { token: `${api_key.slice(0, -1)}x` });
  await service.call(`/${service.adminToken}`);
  return api_key;
}

/** Who waits is answered, and nothing is left. */
async function expectToEnd(service: Service, name: NodeJS.Signals): Promise<void> {
  const { postgresPid } = service;
  const waiting = await waitForChange(service);
  const ended = service.stop(name);
  expect((await waiting.answer).status).toBe(200);
  expect(await ended).toMatchObject({ code: 0, signal: null });
  expect(statusOf(postgresPid!)).toBeUndefined();
  expect(processesIn(join(service.data, ".."))).toEqual([]);
}

/** What root's service keeps, only root may read. */
async function expectClosedToOthers(data: string): Promise<void> {
  const modes = readdirSync(data).map((name) => [name, lstatSync(join(data, name)).mode & 0o777]);
  expect(statSync(data).mode & 0o777).toBe(0o711);
  expect(Object.fromEntries(modes)).toEqual({
    ".gitignore": 0o600,
    "admin-token": 0o600,
    artifacts: 0o700,
    "host-id": 0o600,
    "master-key": 0o600,
    postgres: 0o700,
    "service.sock": 0o600,
  });
  expect(await readFile(join(data, ".gitignore"), "utf8")).toBe("*\n");
}

async function newDataFolder(): Promise<string> {
  return join(await testFolder(), "data");
}

/** A request that waits for a change of a project that no longer changes; the service has it. */
async function waitForChange(service: Service): Promise<{ readonly answer: Promise<Response> }> {
  const { project_id } = await service.createProject(unbuildableDocument());
  const url = `/api/v1/projects/${project_id}`;
  await until(async () => ((await (await service.call(url)).json()) as { status: string }).status === "failed");
  const answer = service.call(url, { headers: { prefer: "wait=60" } });
  await until(async () => (await metric(service, "slipway_http_open_streams")) === 1);
  return { answer };
}

async function metric(service: Service, name: string): Promise<number> {
  const text = await (await service.call("/metrics")).text();
  return Number(new RegExp(`^${name} (\\d+)$`, "m").exec(text)?.[1]);
}

/** A request that the service has begun to read, and that ends when it is told to. */
async function slowCreate(service: Service): Promise<{ finish(): Promise<string> }> {
  const { hostname, port } = new URL(service.address);
  const body = unbuildableDocument();
  const socket = connect({ host: hostname, port: Number(port) });
  let received = "";
  socket.setEncoding("latin1").on("data", (text: string) => {
    received += text;
  });
  socket.on("error", () => undefined);
  onTestFinished(() => void socket.destroy());
  // The service says that it goes on before it has the body: then the request is in flight.
  socket.write(
    `POST /api/v1/projects HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${service.adminToken}\r\nContent-Type: application/yaml\r\nContent-Length: ${body.length}\r\nExpect: 100-continue\r\n\r\n`,
  );
  await until(() => received.startsWith("HTTP/1.1 100 "));
  received = "";
  return {
    finish: async () => {
      socket.write(body);
      return until(() => (received.includes("HTTP/1.1") ? received.slice(received.indexOf("HTTP/1.1")) : undefined));
    },
  };
}

/** A service that a line of the shell starts; it ends with the test. */
function serveBy(line: string, data: string, env: Record<string, string> = {}) {
  const child = spawn("sh", ["-c", line], { stdio: ["ignore", "pipe", "inherit"], env: { ...process.env, ...env } });
  onTestFinished(async () => {
    child.kill("SIGTERM");
    await until(() => child.exitCode !== null && processesIn(data).length === 0);
  });
  let out = "";
  child.stdout.setEncoding("utf8").on("data", (part: string) => {
    out += part;
  });
  return { child, printed: () => out };
}
