import { once } from "node:events";
import { connect } from "node:net";
import { describe, expect, test } from "vitest";
import { CanaryJudge } from "../../../src/deployment/proxy/canary-judge.ts";
import type { CanaryLimits, ReleaseTraffic, ReverseProxy } from "../../../src/deployment/proxy/index.ts";
import { startLoad } from "../../support/proxy/load.ts";
import { type Program, startNamed, startProgram, startProxy } from "../../support/proxy/stage.ts";

describe("a canary under load", () => {
  test("of which half of the answers are errors loses its share at once", async () => {
    let turn = 0;
    const canary = await startProgram((_request, response) => {
      response.statusCode = turn++ % 2 === 0 ? 500 : 200;
      response.end("canary");
    });
    const { proxy, reason, answers } = await runCanary(canary, { maxErrorRate: 0.05, minRequests: 20 });
    expect(reason).toMatch(/^2 of the last \d+ requests failed, more than 5 %\.$/);
    // One is enough to break the limit; those that were in flight then still came back.
    expect(answers.get("status 500")).toBeLessThanOrEqual(2 + connections);
    expect(of(proxy, "canary").failed).toBe(answers.get("status 500"));
    expect(of(proxy, "stable")).toMatchObject({ failed: 0, dropped: 0 });
  });

  test("that cannot be reached loses its share, and no client notices", async () => {
    const canary = await startNamed("canary");
    canary.die();
    const { proxy, reason, answers } = await runCanary(canary, { maxErrorRate: 0.05, minRequests: 20 });
    expect(reason).toMatch(/requests failed/);
    expect([...answers.keys()]).toEqual(["stable"]);
    expect(of(proxy, "canary").dropped).toBe(0);
  });

  test("that is too slow loses its share", { tags: "long" }, async () => {
    const canary = await startProgram((_request, response) => {
      setTimeout(() => response.end("canary"), 30);
    });
    const { reason } = await runCanary(canary, { maxErrorRate: 1, maxP99Ms: 5, minRequests: 20 });
    expect(reason).toMatch(/took longer than 5 ms, more than 1 %\.$/);
  });

  test.for([
    ["took longer than 5 ms", { maxErrorRate: 1, maxP99Ms: 5 }],
    ["requests failed", { maxErrorRate: 0, maxWaitMs: 5 }],
  ] as const)("that never answers loses its share, although no request of it ends: %s", async ([why, limits]) => {
    const [stable, silent] = [await startNamed("stable"), await startProgram(() => undefined)];
    const { proxy, url } = await startProxy([], { random: () => 0.99 });
    const { promise: breached, resolve: onBreach } = Promise.withResolvers<string>();
    proxy.route(
      [
        { release: "stable", origins: [stable.origin], weight: 90 },
        { release: "canary", origins: [silent.origin], weight: 10 },
      ],
      { ...limits, release: "canary", minRequests: 20, onBreach },
    );
    const leaving = new AbortController();
    // One is enough: another might come only when the canary has lost its share.
    const waiting = fetch(url, { signal: leaving.signal }).catch(() => "left");
    expect(await breached).toContain(why);
    expect(await (await fetch(url)).text()).toBe("stable");
    leaving.abort();
    expect(await waiting).toBe("left");
  });

  test("is not blamed for clients that send or read slowly", async () => {
    let nowMs = 0;
    const begun = Promise.withResolvers<void>();
    const canary = await startProgram((request, response) => {
      request.once("data", () => begun.resolve()).on("end", () => response.end(Buffer.alloc(20_000_000)));
    });
    const { proxy, port } = await startProxy([], { nowMs: () => nowMs });
    const breaches: string[] = [];
    proxy.route([{ release: "canary", origins: [canary.origin], weight: 1 }], {
      release: "canary",
      maxErrorRate: 0,
      maxP99Ms: 1_000,
      minRequests: 1,
      onBreach: (reason) => breaches.push(reason),
    });
    const socket = connect(port, "127.0.0.1");
    socket.write("POST / HTTP/1.1\r\nhost: a\r\nconnection: close\r\ncontent-length: 2\r\n\r\n1");
    await begun.promise;
    nowMs += 60_000;
    socket.write("2");
    await once(socket, "readable");
    nowMs += 60_000;
    for await (const _ of socket);
    expect(of(proxy, "canary")).toMatchObject({ requests: 1, failed: 0, dropped: 0 });
    expect(of(proxy, "canary").p99Ms).toBeLessThan(1_000);
    expect(breaches).toEqual([]);
  });

  const connections = 10;

  /** Runs a canary at 10 % until it is given up and 500 requests more have been answered. */
  async function runCanary(canary: Program, limits: Omit<CanaryLimits, "release" | "onBreach">) {
    const stable = await startNamed("stable");
    const { proxy, url } = await startProxy([]);
    const { promise, resolve } = Promise.withResolvers<string>();
    let breaches = 0;
    proxy.route(
      [
        { release: "stable", origins: [stable.origin], weight: 90 },
        { release: "canary", origins: [canary.origin], weight: 10 },
      ],
      {
        ...limits,
        release: "canary",
        onBreach: (reason) => {
          breaches += 1;
          resolve(reason);
        },
      },
    );
    const load = startLoad(url, connections);
    const reason = await promise;
    await proxy.drained("canary", 10_000);
    const { requests } = of(proxy, "canary");
    await load.reached(load.total() + 500);
    await load.stop();
    expect([breaches, of(proxy, "canary").requests]).toEqual([1, requests]);
    return { proxy, reason, answers: load.answers };
  }
});

test("a canary is judged on when the instances change, and anew under other limits", async () => {
  const [stable, bad] = [
    await startNamed("stable"),
    await startProgram((_request, response) => response.writeHead(500).end()),
  ];
  const { proxy, url } = await startProxy([], { random: () => 0.99 });
  const breaches: string[] = [];
  const route = (minRequests: number, origins: readonly string[]) =>
    proxy.route(
      [
        { release: "stable", origins: [stable.origin], weight: 1 },
        { release: "canary", origins, weight: 1 },
      ],
      { release: "canary", maxErrorRate: 0.5, minRequests, onBreach: (reason) => breaches.push(reason) },
    );
  route(4, [bad.origin]);
  expect([(await fetch(url)).status, (await fetch(url)).status]).toEqual([500, 500]);
  route(4, []);
  expect((await fetch(url)).status).toBe(200);
  route(4, [bad.origin]);
  expect([(await fetch(url)).status, (await fetch(url)).status]).toEqual([500, 200]);
  route(4, [bad.origin]);
  expect((await fetch(url)).status).toBe(200);
  expect(breaches).toEqual(["3 of the last 3 requests failed, more than 50 %."]);
  route(2, [bad.origin]);
  expect((await fetch(url)).status).toBe(500);
});

describe("the judge", () => {
  test("judges the last requests only", () => {
    const { judge, breaches } = judgeOf({ maxErrorRate: 0.1, minRequests: 10 });
    // Ten percent of the first thousand, then none of many, then a tenth of the last thousand again.
    for (let index = 0; index < 1_000; index += 1) judge.add(index % 10 === 9, 1);
    for (let index = 0; index < 10_000; index += 1) judge.add(false, 1);
    for (let index = 0; index < 100; index += 1) judge.add(true, 1);
    expect(judge.isBreached).toBe(false);
    judge.add(true, 1);
    expect(judge.isBreached).toBe(true);
    expect(breaches).toEqual([]);
  });

  test("waits for enough requests, unless no further ones could save the canary", () => {
    const { judge } = judgeOf({ maxErrorRate: 0.5, minRequests: 10 });
    for (let index = 0; index < 5; index += 1) judge.add(true, 1);
    expect(judge.isBreached).toBe(false);
    judge.add(true, 1);
    expect(judge.isBreached).toBe(true);
  });

  test("tells it once, after the request that broke the limit", async () => {
    const { judge, breaches } = judgeOf({ maxErrorRate: 0, minRequests: 1 });
    judge.add(true, 1);
    judge.add(true, 1);
    await Promise.resolve();
    expect(breaches).toEqual(["1 of the last 1 requests failed, more than 0 %."]);
  });

  test("refuses limits that mean nothing", () => {
    expect(() => judgeOf({ maxErrorRate: 5, minRequests: 1 })).toThrow("give a share between 0 and 1");
    expect(() => judgeOf({ maxErrorRate: 0.5, minRequests: 0 })).toThrow("give at least 1");
  });

  function judgeOf(limits: Omit<CanaryLimits, "release" | "onBreach">) {
    const breaches: string[] = [];
    const judge = new CanaryJudge({ ...limits, release: "canary", onBreach: (reason) => breaches.push(reason) });
    return { judge, breaches };
  }
});

function of(proxy: ReverseProxy, release: string): ReleaseTraffic {
  return proxy.traffic().find((one) => one.release === release)!;
}
