import { once } from "node:events";
import { existsSync } from "node:fs";
import { rename, rm, symlink } from "node:fs/promises";
import { createConnection, createServer } from "node:net";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import pino from "pino";
import { expect, onTestFinished, test } from "vitest";
import { keptAlive, SupervisorGone, SupervisorProcess } from "../../../src/deployment/index.ts";
import type { SupervisorEvent } from "../../../src/deployment/supervisor/supervision.ts";
import { ask, programFolder } from "../../support/deployment/programs.ts";
import { supervisorOf } from "../../support/deployment/supervisor-of.ts";
import { isRunning } from "../../support/engine/is-running.ts";
import { entry } from "../../support/run-service.ts";
import { until } from "../../support/until.ts";

const log = pino({ level: "silent" });

/** Services on the same data folder, one after the other. */
function services() {
  const { place: dataFolder, plan } = programFolder();
  const events: SupervisorEvent[] = [];
  const gone: number[] = [];
  const open = ({ beatMs = 10_000, maxOpenFiles = 4_096 } = {}) => {
    const limited = `ulimit -n ${maxOpenFiles}; exec "$@"`;
    const supervisor = new SupervisorProcess({
      ...{ dataFolder, log, onEvent: (event: SupervisorEvent) => void events.push(event) },
      command: ["sh", "-c", limited, "sh", process.execPath, entry, "supervise", dataFolder, "none"],
      onGone: () => void gone.push(1),
      beatMs,
    });
    onTestFinished(() => supervisor.close());
    return supervisor;
  };
  const goLive = async (supervisor: SupervisorProcess, deploymentId = "dep_1") => {
    const supervision = await supervisor.get();
    await supervision.prepare({ deploymentId, releaseId: "one", plan: plan("one"), secrets: {} });
    const shares = [{ releaseId: "one", weight: 1 }];
    const address = { host: "127.0.0.1", port: 0 };
    return { port: (await supervision.route({ deploymentId, address, shares })).port! };
  };
  return { dataFolder, open, goLive, events, gone };
}

test("nobody knows what a supervisor keeps alive that does not say it", async () => {
  const { dataFolder } = services();
  const server = createServer((socket) => socket.end("what?\n"));
  server.listen(join(dataFolder, "supervisor.sock"));
  onTestFinished(() => void server.close());
  await once(server, "listening");
  expect(await keptAlive(dataFolder)).toBe("unknown");
});

test("what is deployed goes on without the service, and the next service finds it", async () => {
  const { open, goLive, events, dataFolder } = services();
  expect(await keptAlive(dataFolder)).toEqual(new Set());
  const first = open();
  const { port } = await goLive(first);
  const { pid } = await ask(port);
  await first.leave();
  // Nobody is there to hear of it; the next service does.
  await ask(port, "/exit").catch(() => undefined);
  const healed = await until(() => ask(port).catch(() => undefined));
  expect(healed.pid).not.toBe(pid);
  // Who only looks takes no news from the next service.
  expect(await keptAlive(dataFolder)).toEqual(new Set(["dep_1"]));
  const second = await open().get();
  expect(await second.list()).toMatchObject([
    { deploymentId: "dep_1", port, releases: [{ releaseId: "one", isReady: true, programs: [{ restarts: 1 }] }] },
  ]);
  await until(() => events.some(({ is }) => is === "recovered"));
  expect(events.map(({ is }) => is).filter((is) => is !== "output")).toEqual(["unhealthy", "recovered"]);
});

test("it ends with its data folder, and takes what is deployed with it", async () => {
  const { open, goLive, dataFolder, gone } = services();
  const { port } = await goLive(open());
  const { pid } = await ask(port);
  await rm(dataFolder, { recursive: true });
  await until(() => gone.length > 0);
  expect(await isRunning(pid)).toBe(false);
});

test("it goes on while nobody can say whether its data folder is there", { tags: "long" }, async () => {
  const { open, goLive, dataFolder } = services();
  const { port } = await goLive(open());
  const { pid } = await ask(port);
  await rename(dataFolder, `${dataFolder}-moved`);
  // A path that the kernel gives up on, as it does on one of a disk that fails.
  await symlink(dataFolder, dataFolder);
  // It looks every two seconds.
  await delay(5_000);
  await rm(dataFolder);
  await rename(`${dataFolder}-moved`, dataFolder);
  expect((await ask(port)).pid).toBe(pid);
});

test("a service is told when it was killed, and starts another", async () => {
  const { open, goLive, gone, dataFolder } = services();
  const service = open();
  const { port } = await goLive(service);
  const { pid } = await ask(port);
  process.kill(supervisorOf(dataFolder), "SIGKILL");
  await until(() => gone.length > 0);
  const again = await goLive(service);
  expect((await ask(again.port)).pid).not.toBe(pid);
  // What the killed one has left is ended by the next.
  expect(await isRunning(pid)).toBe(false);
});

test("one that is killed as it starts is gone: whoever asks again gets another", async () => {
  const { dataFolder } = services();
  const deps = { dataFolder, log, onEvent: () => undefined, onGone: () => undefined };
  const supervisor = new SupervisorProcess({ ...deps, command: ["sh", "-c", "kill -KILL $$"] });
  const asked = supervisor.get();
  await expect(asked).rejects.toThrow(SupervisorGone);
  await expect(asked).rejects.toThrow("was ended by SIGKILL as it started");
});

test("one that is frozen is taken for gone, and replaced", { tags: "long" }, async () => {
  const { open, goLive, gone, dataFolder } = services();
  const service = open({ beatMs: 1_000 });
  const { port } = await goLive(service);
  const { pid } = await ask(port);
  const frozen = supervisorOf(dataFolder);
  process.kill(frozen, "SIGSTOP");
  await expect((await service.get()).list()).rejects.toThrow("does not answer");
  await until(() => gone.length > 0);
  const again = await goLive(service);
  expect((await ask(again.port)).pid).not.toBe(pid);
  expect(await isRunning(pid)).toBe(false);
  expect(await isRunning(frozen)).toBe(false);
});

test("a service that ends does not wait for one that is frozen", async () => {
  const { open, goLive, dataFolder } = services();
  const first = open();
  await goLive(first);
  await first.leave();
  const frozen = supervisorOf(dataFolder);
  process.kill(frozen, "SIGSTOP");
  const second = open();
  const asked = second.get();
  await second.leave();
  await expect(asked).rejects.toThrow();
  process.kill(frozen, "SIGCONT");
});

test("clients that hold all connections to one program leave it, and others, the files they need", async () => {
  const { open, goLive, gone } = services();
  const service = open({ maxOpenFiles: 240 });
  const [greedy, other] = [await goLive(service, "dep_1"), await goLive(service, "dep_2")];
  const { pid } = await ask(other.port);
  const sockets = await Promise.all(
    Array.from({ length: 300 }, async () => {
      const socket = createConnection(greedy.port, "127.0.0.1").on("error", () => undefined);
      await once(socket, "connect").catch(() => undefined);
      socket.write("GET /slow HTTP/1.1\r\nhost: x\r\n\r\n");
      return socket;
    }),
  );
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy();
  });
  await until(() => sockets.some(({ readableEnded, destroyed }) => readableEnded || destroyed));
  expect((await ask(other.port)).pid).toBe(pid);
  expect(gone).toEqual([]);
});

test("it ends when it is told to", async () => {
  const { open, goLive, dataFolder } = services();
  const service = open();
  const { port } = await goLive(service);
  await service.close();
  await expect(ask(port)).rejects.toThrow();
  expect(existsSync(join(dataFolder, "supervisor.log"))).toBe(true);
});
