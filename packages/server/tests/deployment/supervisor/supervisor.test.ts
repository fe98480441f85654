import { existsSync, mkdirSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { join } from "node:path";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import type { SupervisorEvent } from "../../../src/deployment/supervisor/supervision.ts";
import { Supervisor } from "../../../src/deployment/supervisor/supervisor.ts";
import { ampleLimits } from "../../support/ample-limits.ts";
import { ask, noContainers, program, programFolder } from "../../support/deployment/programs.ts";
import { isRunning } from "../../support/engine/is-running.ts";
import { readPid } from "../../support/read-pid.ts";
import { noBubblewrap, sandboxFor, ways } from "../../support/sandboxes.ts";
import { cannotFillDisk, moveToSmallDisk } from "../../support/small-disk.ts";
import { until } from "../../support/until.ts";

const address = { host: "127.0.0.1", port: 0 };
const only = (releaseId: string) => [{ releaseId, weight: 1 }];

function start(way: "bubblewrap" | "plain" = "plain") {
  const events: SupervisorEvent[] = [];
  const { sandbox } = sandboxFor(way);
  const supervisor = new Supervisor({ sandbox, containers: noContainers, onEvent: (event) => void events.push(event) });
  onTestFinished(() => supervisor.close());
  const { plan, ...programs } = programFolder();
  const prepare = (releaseId: string, changes?: Parameters<typeof plan>[1], secrets = {}) =>
    supervisor.prepare({ deploymentId: "dep_1", releaseId, plan: plan(releaseId, changes), secrets });
  const live = async (releaseId: string, { port = 0, everyMs = 100 } = {}) => {
    expect(await prepare(releaseId, { everyMs })).toMatchObject({ is: "ready" });
    return supervisor.route({ deploymentId: "dep_1", address: { ...address, port }, shares: only(releaseId) });
  };
  return { supervisor, events, prepare, live, plan, ...programs };
}

describe.each(ways)("a version in the sandbox '%s'", (way) => {
  test("answers at the address of its deployment, and the next one takes its place and its data", async () => {
    const { supervisor, prepare, live } = start(way);
    const { port } = await live("one");
    expect(await ask(port, "/milk", "POST")).toMatchObject({ name: "one", lines: "milk\n" });
    await prepare("two");
    expect((await ask(port)).name).toBe("one");
    await supervisor.route({ deploymentId: "dep_1", address, shares: only("two") });
    expect(await ask(port, "/bread", "POST")).toMatchObject({ name: "two", lines: "milk\nbread\n" });
    await supervisor.retire({ deploymentId: "dep_1", releaseId: "one", afterMs: 0 });
    expect((await supervisor.list())[0]?.releases.map(({ releaseId }) => releaseId)).toEqual(["two"]);
  });

  test("is asked to end: it can save what it has, and its last words are told", async () => {
    const { supervisor, prepare, events, dataFolder } = start(way);
    const atEnd = `require('fs').writeFileSync(process.env.SLIPWAY_DATA_DIR+'/saved','all');console.log('saved');process.exit(0)`;
    const later = `setTimeout(()=>{${atEnd}},200)`;
    // The shell ends at once.
    const command = `${process.execPath} -e "process.on('SIGTERM',()=>{${later}});require('./server.cjs')"; true`;
    expect(await prepare("one", { command })).toMatchObject({ is: "ready" });
    await supervisor.retire({ deploymentId: "dep_1", releaseId: "one", afterMs: 0 });
    expect(readFileSync(join(dataFolder, "saved"), "utf8")).toBe("all");
    await until(() => events.some((event) => event.is === "output" && event.text.includes("saved\n")));
  });
});

test.skipIf(noBubblewrap)("a service's folder that was exchanged for a link gives its program nothing", async () => {
  const { supervisor, place, plan } = start("bubblewrap");
  const others = join(place, "others");
  mkdirSync(join(others, "web"), { recursive: true });
  writeFileSync(join(others, "web/server.cjs"), program);
  const ownerBefore = statSync(join(others, "web")).uid;
  const { programs, ...rest } = plan("rel_1");
  const folder = programs[0]!.folder;
  // As `scripts.migrate` can, or another program of the version.
  symlinkSync(others, join(folder, "services"));
  const moved = { ...rest, programs: [{ ...programs[0]!, folder: join(folder, "services/web") }] };
  const answer = await supervisor.prepare({ deploymentId: "dep_1", releaseId: "rel_1", plan: moved, secrets: {} });
  expect(answer).toMatchObject({ is: "failed", reason: expect.stringContaining("exit code 126") });
  expect(statSync(join(others, "web")).uid).toBe(ownerBefore);
});

test.skipIf(noBubblewrap)("a folder above that is named like the version gives its programs nothing", async () => {
  const { supervisor, place, plan, folderOf } = start("bubblewrap");
  const folder = folderOf("rel_1/releases/rel_1");
  mkdirSync(join(folder, "services/web"), { recursive: true });
  writeFileSync(join(folder, "services/web/server.cjs"), program);
  const others = join(place, "rel_1/others.txt");
  writeFileSync(others, "of others");
  const { programs, ...rest } = plan("unused", { command: `cat ${others} || exec node server.cjs` });
  const nested = { ...rest, folder, programs: [{ ...programs[0]!, folder: join(folder, "services/web") }] };
  const request = { deploymentId: "dep_1", releaseId: "rel_1", plan: nested, secrets: {} };
  expect(await supervisor.prepare(request)).toMatchObject({ is: "ready" });
});

describe("a version", () => {
  test("that is stopped while it is about to start does not run on", async () => {
    const { supervisor, prepare, dataFolder } = start();
    const command = `echo $$ > ${dataFolder}/pid; exec ${process.execPath} server.cjs`;
    const preparing = prepare("one", { command }).catch((error: unknown) => error);
    await supervisor.stop("dep_1");
    expect(await preparing).not.toMatchObject({ is: "ready" });
    const pid = readPid(`${dataFolder}/pid`);
    expect(pid !== undefined && (await isRunning(pid))).toBe(false);
  });

  test("that ends is started again, and both are told", async () => {
    const { live, events } = start();
    // Its end is seen, not that it does not answer.
    const { port } = await live("one", { everyMs: 60_000 });
    const before = await ask(port);
    await ask(port, "/exit").catch(() => undefined);
    const told = () => events.filter(({ is }) => is !== "output");
    await until(() => told().length === 2);
    expect(told()).toMatchObject([
      { is: "unhealthy", program: "app", reason: "scripts.start ended with exit code 3." },
      { is: "recovered", program: "app" },
    ]);
    expect((await ask(port)).pid).not.toBe(before.pid);
  });

  test("is kept alive, however odd the times of its health check are", { tags: "long" }, async () => {
    const { supervisor, prepare, events } = start();
    expect(await prepare("one", { everyMs: 1e-9, withinMs: 2_333.3 })).toMatchObject({ is: "ready" });
    const { port } = await supervisor.route({ deploymentId: "dep_1", address, shares: only("one") });
    await ask(port, "/ill");
    await until(() => events.some(({ is }) => is === "recovered"));
    expect(await ask(port)).toMatchObject({ name: "one" });
  });

  test("that has ended meanwhile and does not start again is not said to be ready", { tags: "long" }, async () => {
    const { supervisor, prepare, live, events } = start();
    const once = { command: `mkdir $SLIPWAY_DATA_DIR/once || exit 5; exec ${process.execPath} server.cjs` };
    const { port } = await live("two");
    await prepare("one", once);
    // It is kept for those who want to go back.
    const { origin } = (await supervisor.list())[0]!.releases.find(({ releaseId }) => releaseId === "one")!
      .programs[0]!;
    await fetch(`${origin}/exit`).catch(() => undefined);
    await until(() => events.some(({ is }) => is === "unhealthy"));
    // Nobody waits for its next start: the log is where people look.
    const why = "scripts.start ended with exit code 5 before it was ready.";
    await until(() => events.some((event) => event.is === "output" && event.text.includes(why)));
    expect(await prepare("one", once)).toMatchObject({ is: "failed" });
    expect((await ask(port)).name).toBe("two");
  });

  test("whose port another program has taken gets its requests at another one", async () => {
    const { supervisor, live, events } = start();
    const { port } = await live("one", { everyMs: 60_000 });
    const { origin } = (await supervisor.list())[0]!.releases[0]!.programs[0]!;
    // As a neighbour does that waits for its end.
    const stranger = createServer((_, response) => response.end('{"name":"stranger"}'));
    onTestFinished(() => void stranger.close());
    const taken = Promise.withResolvers<void>();
    const take = () => stranger.listen(Number(new URL(origin!).port), "127.0.0.1");
    stranger.on("listening", taken.resolve).on("error", () => setImmediate(take));
    take();
    await fetch(`${origin}/exit`).catch(() => undefined);
    await taken.promise;
    await until(() => events.some(({ is }) => is === "recovered"));
    expect((await ask(port)).name).toBe("one");
  });

  test("whose files and data exceed the limit of disk already is not started", async () => {
    const { prepare, dataFolder } = start();
    writeFileSync(join(dataFolder, "large"), Buffer.alloc(4 << 20, 1));
    const started = join(dataFolder, "started");
    const command = `touch ${started}; exec ${process.execPath} server.cjs`;
    const failed = await prepare("one", { command, limits: { ...ampleLimits, diskBytes: 2 << 20 } });
    const reason = expect.stringContaining("disk limit exceeded. scripts.start took 5MB of disk, limit was 2MB.");
    expect(failed).toEqual({ is: "failed", reason });
    expect(existsSync(started)).toBe(false);
  });

  test.skipIf(cannotFillDisk)(
    "that takes the last of the disk is down until there is room",
    { tags: "long" },
    async () => {
      const { prepare, events, dataFolder, place } = start();
      moveToSmallDisk(place, "64m");
      const starts = join(dataFolder, "starts");
      const go = join(dataFolder, "go");
      const fill = `{ until [ -f ${go} ]; do sleep 0.05; done; rm ${go}; head -c 62m /dev/zero > ${dataFolder}/data; } &`;
      const command = `echo >> ${starts}; ${fill} exec ${process.execPath} server.cjs`;
      expect(await prepare("one", { command, everyMs: 60_000 })).toMatchObject({ is: "ready" });
      writeFileSync(go, "");
      const said = () => events.flatMap((event) => (event.is === "output" ? [event.text] : [])).join("");
      const full = "the disk is nearly full. scripts.start took 63MB of it";
      // Once when it is ended, and again when it is not started.
      await until(() => said().split(full).length > 2);
      expect(readFileSync(starts, "utf8")).toBe("\n");
      rmSync(join(dataFolder, "data"));
      await until(() => events.some(({ is }) => is === "recovered"));
    },
  );

  test("that no longer answers its health check is ended and started again", async () => {
    const { live, events } = start();
    const { port } = await live("one");
    const before = await ask(port, "/ill");
    await until(() => events.some(({ is }) => is === "recovered"));
    expect(events).toContainEqual(
      expect.objectContaining({ reason: "scripts.start answers with 500 at /health, 2 times in a row." }),
    );
    expect(await isRunning(before.pid)).toBe(false);
    expect((await ask(port)).pid).not.toBe(before.pid);
  });

  test("is not taken for silent where the supervisor itself had no core to hear it", async () => {
    const { events, prepare } = start();
    expect(await prepare("one", { withinMs: 50, maxErrors: 1 })).toMatchObject({ is: "ready" });
    const send = globalThis.fetch;
    const asked = vi.spyOn(globalThis, "fetch").mockImplementation((...request) => {
      const answer = send(...request);
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 400);
      return answer;
    });
    onTestFinished(() => asked.mockRestore());
    await until(() => asked.mock.calls.length > 2);
    expect(events.filter(({ is }) => is === "unhealthy")).toEqual([]);
  });

  test("says in short why it is not well, however long the path of its health check is", { tags: "long" }, async () => {
    const { supervisor, prepare, events } = start();
    const path = `/${"a".repeat(8_000)}`;
    const answers = (first: number, then: number) =>
      `exec ${process.execPath} -e 'let is=${first};require("http").createServer((q,s)=>{if(q.url==="/ill")is=${then};s.writeHead(is).end("{}")}).listen(process.env.PORT,process.env.HOST)'`;
    expect(await prepare("one", { path, command: answers(200, 500) })).toMatchObject({ is: "ready" });
    const { port } = await supervisor.route({
      deploymentId: "dep_1",
      address: { ...address, port: 0 },
      shares: only("one"),
    });
    await ask(port, "/ill");
    const { reason } = (await until(() => events.find(({ is }) => is === "unhealthy"))) as { reason: string };
    expect(reason).toHaveLength(1_000);
    expect(JSON.stringify(await supervisor.list()).length).toBeLessThan(3_000);
    expect(JSON.stringify(await prepare("two", { path, command: answers(500, 500) })).length).toBeLessThan(3_000);
  });

  test("that does not get well says why, and leaves nothing behind", async () => {
    const { supervisor, prepare, live } = start();
    const { port } = await live("one");
    const failed = await prepare("two", { command: "echo no config; exit 4" });
    expect(failed).toEqual({
      is: "failed",
      reason: "scripts.start ended with exit code 4 before it was ready. Last output: no config",
    });
    expect((await supervisor.list())[0]?.releases.map(({ releaseId }) => releaseId)).toEqual(["one"]);
    expect((await ask(port)).name).toBe("one");
  });

  test("runs in several copies, and is restarted without one request going wrong", async () => {
    const { supervisor, live } = start();
    const { port } = await live("one");
    await supervisor.scale({ deploymentId: "dep_1", releaseId: "one", replicas: 2 });
    const pids = async () => new Set(await Promise.all(Array.from({ length: 8 }, async () => (await ask(port)).pid)));
    const before = await pids();
    expect(before.size).toBe(2);
    let isOver = false;
    const asking = (async () => {
      while (!isOver) await ask(port);
    })();
    expect(await supervisor.restart({ deploymentId: "dep_1", releaseId: "one" })).toMatchObject({ is: "ready" });
    isOver = true;
    await asking;
    const after = await pids();
    expect(after.size).toBe(2);
    expect([...after].filter((pid) => before.has(pid))).toEqual([]);
    expect((await supervisor.list())[0]?.traffic).toMatchObject([{ release: "one", failed: 0, dropped: 0 }]);
    await supervisor.scale({ deploymentId: "dep_1", releaseId: "one", replicas: 1 });
    await until(async () => (await pids()).size === 1);
  });

  test("keeps its secrets out of its output", async () => {
    const { supervisor, prepare, events } = start();
    await prepare("one", {}, { KEY: "sesame-4711" });
    const { port } = await supervisor.route({ deploymentId: "dep_1", address, shares: only("one") });
    // The end of a line may be the beginning of a secret: it is seen with the next one.
    for (const _ of [1, 2]) await ask(port, "/print");
    const output = () => events.flatMap((event) => (event.is === "output" ? [event.text] : [])).join("");
    await until(() => output().includes("the key is"));
    await supervisor.stop("dep_1");
    expect(output()).not.toContain("4711");
  });

  test("of several services starts each after those it needs, and knows their addresses", async () => {
    const { supervisor, place, plan, folderOf } = start();
    const { programs, ...rest } = plan("front");
    const store = {
      ...programs[0]!,
      ...{ name: "store", folder: folderOf("store"), env: { NAME: "store" }, addressVariable: "STORE_URL" },
    };
    const result = await supervisor.prepare({
      ...{ deploymentId: "dep_1", releaseId: "one", secrets: {} },
      plan: { ...rest, folder: place, programs: [store, ...programs] },
    });
    expect(result.is).toBe("ready");
    const { port } = await supervisor.route({ deploymentId: "dep_1", address, shares: only("one") });
    const { name, other } = await ask(port);
    expect(name).toBe("front");
    expect(await ask(Number(new URL(other!).port))).toMatchObject({ name: "store" });
  });
});

test("a canary that fails too often goes back to nothing, and is told", async () => {
  const { supervisor, prepare, live, events } = start();
  const { port } = await live("one");
  const half = `${process.execPath} -e "require('http').createServer((q,s)=>s.writeHead(q.url==='/health'?200:500).end('{}')).listen(process.env.PORT)"`;
  await prepare("two", { command: half });
  await supervisor.route({
    ...{ deploymentId: "dep_1", address },
    shares: [
      { releaseId: "one", weight: 50 },
      { releaseId: "two", weight: 50 },
    ],
    canary: { releaseId: "two", maxErrorRate: 0.05, minRequests: 5 },
  });
  await until(async () => {
    await ask(port);
    return events.some(({ is }) => is === "canary_aborted");
  });
  const answers = await Promise.all(Array.from({ length: 20 }, async () => (await ask(port)).name));
  expect(new Set(answers)).toEqual(new Set(["one"]));
});

test("a deployment that is stopped frees its address, and gets it back", async () => {
  const { supervisor, live } = start();
  const { port } = await live("one");
  await supervisor.stop("dep_1");
  await expect(ask(port)).rejects.toThrow();
  expect(await live("one", { port })).toEqual({ port });
  expect((await ask(port)).name).toBe("one");
});
