import { describe, expect, test } from "vitest";
import { startLoad } from "../../support/proxy/load.ts";
import { only, startNamed, startProgram, startProxy } from "../../support/proxy/stage.ts";

const connections = 50;

describe("under load", () => {
  test("ten switches between blue and green drop no request", { tags: "long" }, async () => {
    const { proxy, url } = await startProxy([]);
    let current = await startNamed("v0");
    proxy.route(only("v0", current.origin));
    const load = startLoad(url, connections);
    for (let version = 1; version <= 10; version += 1) {
      await load.reached(version * 200);
      const next = await startNamed(`v${version}`);
      proxy.route(only(`v${version}`, next.origin));
      expect(await proxy.drained(`v${version - 1}`, 30_000)).toBe(0);
      current.die();
      current = next;
    }
    await load.reached(11 * 200);
    await load.stop();
    expect([...load.answers.keys()].sort()).toEqual([
      "v0",
      "v1",
      "v10",
      "v2",
      "v3",
      "v4",
      "v5",
      "v6",
      "v7",
      "v8",
      "v9",
    ]);
    expect(proxy.traffic().filter(({ failed, dropped }) => failed + dropped > 0)).toEqual([]);
  });

  test("three rolling updates drop no request", { tags: "long" }, async () => {
    const { proxy, url } = await startProxy([]);
    let instances = await Promise.all([1, 2, 3].map(() => startNamed("v0")));
    proxy.route(only("v0", ...instances.map(({ origin }) => origin)));
    const load = startLoad(url, connections);
    for (let version = 1; version <= 3; version += 1) {
      const [before, after] = [`v${version - 1}`, `v${version}`];
      const old = instances;
      instances = [];
      for (const [index, leaving] of old.entries()) {
        instances.push(await startNamed(after));
        const left = old.slice(index + 1);
        proxy.route([
          { release: before, origins: left.map(({ origin }) => origin), weight: left.length },
          { release: after, origins: instances.map(({ origin }) => origin), weight: instances.length },
        ]);
        expect(await proxy.drained(before, 30_000, leaving.origin)).toBe(0);
        leaving.die();
        await load.reached((version * 3 + index) * 100);
      }
    }
    await load.stop();
    expect([...load.answers.keys()].sort()).toEqual(["v0", "v1", "v2", "v3"]);
    expect(proxy.traffic().filter(({ failed, dropped }) => failed + dropped > 0)).toEqual([]);
  });
});

test("a request in flight finishes where it is, and its release is drained then", async () => {
  const arrived = Promise.withResolvers<() => void>();
  const old = await startProgram((_request, response) => arrived.resolve(() => response.end("old")));
  const { proxy, url } = await startProxy(only("old", old.origin));
  const answer = fetch(url);
  const finish = await arrived.promise;
  proxy.route(only("new", (await startNamed("new")).origin));
  let isDrained = false;
  const drained = proxy.drained("old", 30_000).finally(() => {
    isDrained = true;
  });
  expect(await (await fetch(url)).text()).toBe("new");
  expect([isDrained, proxy.traffic()[0]!.inFlight]).toEqual([false, 1]);
  finish();
  expect([await (await answer).text(), await drained]).toEqual(["old", 0]);
});

test("a release that does not finish is cut at the cap, and that is counted", async () => {
  const begun = Promise.withResolvers<void>();
  const old = await startProgram((request, response) => {
    if (request.url === "/begun") response.write("half");
    else begun.resolve();
  });
  const { proxy, url } = await startProxy(only("old", old.origin));
  const half = await fetch(`${url}/begun`);
  const silent = fetch(`${url}/silent`);
  await begun.promise;
  proxy.route(only("new", (await startNamed("new")).origin));
  expect(await proxy.drained("old", 1)).toBe(2);
  await expect(half.text()).rejects.toThrow("terminated");
  expect((await silent).status).toBe(503);
  expect(proxy.traffic()[0]).toMatchObject({ release: "old", requests: 2, dropped: 2, inFlight: 0 });
  expect(await proxy.drained("unknown", 1)).toBe(0);
});

test("one connection of a client lives through every switch", async () => {
  const { proxy, url } = await startProxy([]);
  const load = startLoad(url, 1);
  let accepted = 0;
  for (const name of ["a", "b", "c"]) {
    const program = await startNamed(name);
    program.server.on("connection", () => {
      accepted += 1;
    });
    proxy.route(only(name, program.origin));
    await load.reached(load.total() + 10);
  }
  await load.stop();
  expect(load.connections()).toBe(1);
  expect(accepted).toBe(3);
});
