import { buffer } from "node:stream/consumers";
import { describe, expect, test } from "vitest";
import { ReverseProxy } from "../../../src/deployment/proxy/index.ts";
import { only, startNamed, startProgram, startProxy } from "../../support/proxy/stage.ts";

describe("a request", () => {
  test("reaches the program with its path, its headers and its body, and who sent it", async () => {
    const program = await startProgram(async (request, response) => {
      const { method, url, headers } = request;
      response.end(JSON.stringify({ method, url, headers, body: String(await buffer(request)) }));
    });
    const { url, port } = await startProxy(only("v1", program.origin));
    const answer = await fetch(`${url}/a%20b?c=d&c=%C3%A9`, {
      method: "POST",
      body: "hello",
      headers: { "x-own": "1" },
    });
    expect(await answer.json()).toEqual({
      method: "POST",
      url: "/a%20b?c=d&c=%C3%A9",
      body: "hello",
      headers: expect.objectContaining({
        host: `127.0.0.1:${port}`,
        "x-own": "1",
        "content-length": "5",
        "x-forwarded-for": "127.0.0.1",
        "x-forwarded-proto": "http",
        "x-forwarded-host": `127.0.0.1:${port}`,
      }),
    });
  });

  test("gets the program's status, headers and bytes", async () => {
    const bytes = Buffer.from(Array.from({ length: 70_000 }, (_, index) => index & 255));
    const program = await startProgram((_request, response) => {
      response.writeHead(418, "Short and Stout", {
        "x-two": ["a", "b"],
        "content-type": "x/y",
        "set-cookie": ["a=1", "b=2"],
      });
      response.end(bytes);
    });
    const { url } = await startProxy(only("v1", program.origin));
    const answer = await fetch(url);
    expect([answer.status, answer.statusText, answer.headers.get("x-two")]).toEqual([418, "Short and Stout", "a, b"]);
    expect(answer.headers.getSetCookie()).toEqual(["a=1", "b=2"]);
    expect(Buffer.from(await answer.arrayBuffer()).equals(bytes)).toBe(true);
  });

  test("without a program is told to come again", async () => {
    const { url, proxy } = await startProxy([]);
    const answer = await fetch(url);
    expect([answer.status, answer.headers.get("retry-after")]).toEqual([503, "1"]);
    expect(await answer.text()).toMatch(/^No version of this application is running/);
    expect(proxy.unserved).toBe(1);
  });
});

describe("routing", () => {
  test("sends every request to the release that was named last", async () => {
    const [blue, green] = [await startNamed("blue"), await startNamed("green")];
    const { url, proxy } = await startProxy(only("blue", blue.origin));
    expect(await (await fetch(url)).text()).toBe("blue");
    proxy.route(only("green", green.origin));
    expect(await (await fetch(url)).text()).toBe("green");
    expect(proxy.traffic()).toMatchObject([
      { release: "blue", requests: 1, failed: 0, dropped: 0, inFlight: 0 },
      { release: "green", requests: 1 },
    ]);
  });

  test("gives each release its share, and none without a weight", async () => {
    const names = ["a", "b", "c"];
    const programs = await Promise.all(names.map(startNamed));
    const draws = [0, 0.749, 0.75, 0.999];
    let turn = 0;
    const { url, proxy } = await startProxy([], { random: () => draws[turn++ % draws.length]! });
    proxy.route(
      names.map((release, index) => ({ release, origins: [programs[index]!.origin], weight: [3, 1, 0][index]! })),
    );
    const texts = [];
    for (const _ of draws) texts.push(await (await fetch(url)).text());
    expect(texts).toEqual(["a", "a", "b", "b"]);
  });

  test("spreads requests over the instances, and leaves out one that is taken out of rotation", async () => {
    const instances = await Promise.all(["1", "2", "3"].map(startNamed));
    const origins = instances.map(({ origin }) => origin);
    const { url, proxy } = await startProxy(only("v1", ...origins));
    const ask = async () => {
      const texts = [];
      for (const _ of Array(6)) texts.push(await (await fetch(url)).text());
      return texts.sort().join("");
    };
    expect(await ask()).toBe("112233");
    proxy.setOrigins("v1", origins.slice(1));
    expect(await ask()).toBe("222333");
    proxy.setOrigins("v1", origins);
    expect(await ask()).toBe("112233");
  });

  test("changes nothing when it is told nonsense", async () => {
    const { url, proxy } = await startProxy(only("v1", (await startNamed("v1")).origin));
    const canary = { release: "v2", maxErrorRate: 0, minRequests: 1, onBreach: () => undefined };
    expect(() => proxy.route(only("v1", "http://127.0.0.1:1"), canary)).toThrow("The canary v2 is not among");
    expect(() => proxy.route([{ release: "v1", origins: [], weight: Number.NaN }])).toThrow("The weight of v1 is NaN");
    expect(() => proxy.setOrigins("v2", [])).toThrow("route to it first");
    expect(await (await fetch(url)).text()).toBe("v1");
  });

  test("counts requests for which a release has no instance as its dropped ones", async () => {
    const { url, proxy } = await startProxy(only("v1"));
    expect((await fetch(url)).status).toBe(503);
    expect(proxy.traffic()).toMatchObject([{ release: "v1", requests: 1, dropped: 1 }]);
    expect(proxy.unserved).toBe(0);
  });

  test("forgets releases that are drained, but for the last few", async () => {
    const program = await startNamed("any");
    const { proxy, url } = await startProxy(only("v0", program.origin));
    for (let version = 1; version < 50; version += 1) {
      proxy.route(only(`v${version}`, program.origin));
      await (await fetch(url)).text();
      expect(await proxy.drained(`v${version - 1}`, 1_000)).toBe(0);
    }
    expect(proxy.traffic().map(({ release }) => release)).toEqual(["v44", "v45", "v46", "v47", "v48", "v49"]);
  });
});

test("a port that is taken is named", async () => {
  const { port } = await startProxy([]);
  const second = new ReverseProxy();
  await expect(second.listen({ host: "127.0.0.1", port })).rejects.toThrow(
    `Port ${port} on 127.0.0.1 is taken: stop what listens there, or choose another port.`,
  );
  await second.close();
});
