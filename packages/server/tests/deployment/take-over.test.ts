// @module-tag soak
import { describe, expect, onTestFinished, test } from "vitest";
import { soakCases } from "../../../../tools/soak-runs.ts";
import { Supervisor } from "../../src/deployment/supervisor/supervisor.ts";
import { type Strategy, type TakeOver, takeOver } from "../../src/deployment/take-over.ts";
import { ask, noContainers, programFolder } from "../support/deployment/programs.ts";
import { sandboxFor } from "../support/sandboxes.ts";
import { until } from "../support/until.ts";

const deploymentId = "dep_1";
const address = { host: "127.0.0.1", port: 0 };

/** An application of which the version `one` is live, in two copies. */
async function application(replicas = 2) {
  const aborted = Promise.withResolvers<string>();
  const { sandbox } = sandboxFor("plain");
  const supervision = new Supervisor({
    ...{ sandbox, containers: noContainers },
    onEvent: (event) => void (event.is === "canary_aborted" && aborted.resolve(event.reason)),
  });
  onTestFinished(() => supervision.close());
  const { plan } = programFolder();
  const release = (releaseId: string, command?: string) => ({
    releaseId,
    plan: plan(releaseId, { replicas, ...(command !== undefined && { command }) }),
    secrets: {},
  });
  const steps: string[] = [];
  const change = (strategy: Strategy, next: ReturnType<typeof release>, more: Partial<TakeOver> = {}) =>
    takeOver({
      ...{ supervision, deploymentId, address, next, strategy, warmMs: 60_000, minuteMs: 1_000 },
      previous: release("one"),
      canary: { percent: 50, minutes: 0.2, maxErrorRate: 0.05, minRequests: 5 },
      signal: new AbortController().signal,
      whyUnhealthy: async () => undefined,
      canaryAborted: aborted.promise,
      onStep: (what) => void steps.push(what),
      ...more,
    });
  const one = release("one");
  await supervision.prepare({ ...one, deploymentId });
  const { port } = await supervision.route({ deploymentId, address, shares: [{ releaseId: "one", weight: 1 }] });
  const names = async () => {
    const answers = await Promise.all(Array.from({ length: 12 }, () => ask(port)));
    return [...new Set(answers.map(({ name }) => name))].toSorted();
  };
  const running = async () => (await supervision.list())[0]!.releases.map(({ releaseId }) => releaseId);
  return { change, release, names, running, port, steps, supervision };
}

const isIll = (url: string) =>
  `${process.execPath} -e "require('http').createServer((q,s)=>s.writeHead(q.url==='${url}'?200:500).end('{}')).listen(process.env.PORT)"`;

const strategies = ["blue_green", "rolling", "recreate", "canary"] as const;

test.each(soakCases(strategies))("%s brings the new version live at the same address", async (strategy) => {
  const { change, release, names, port } = await application();
  expect(await change(strategy, release("two"))).toEqual({ port });
  expect(await names()).toEqual(["two"]);
});

describe.each(soakCases(strategies))("%s", (strategy) => {
  test("leaves the version before as it was, when the new one does not start", { tags: "long" }, async () => {
    const { change, release, names, running, port } = await application();
    const failure = "scripts.start ended with exit code 4 before it was ready. Last output: no config";
    expect(await change(strategy, release("two", "echo no config; exit 4"))).toEqual({ failure });
    expect(await names()).toEqual(["one"]);
    expect(await running()).toEqual(["one"]);
    expect((await ask(port)).name).toBe("one");
  });

  test("leaves the version before as it was, when the document's own health check says no", async () => {
    const { change, release, names, running } = await application(1);
    const result = await change(strategy, release("two"), { whyUnhealthy: async () => "scripts.health_check failed." });
    expect(result).toEqual({ failure: "scripts.health_check failed." });
    expect(await names()).toEqual(["one"]);
    expect(await running()).toEqual(["one"]);
  });
});

/** Starts once, and never again. */
const startsOnce = `mkdir $SLIPWAY_DATA_DIR/once || exit 5; exec ${process.execPath} server.cjs`;

test.each(soakCases(strategies))(
  "%s leaves the version before as it was, when the new one ends after its health check",
  { tags: "long" },
  async (strategy) => {
    const { change, release, names, running, supervision } = await application(1);
    const isUnwell = async () =>
      (await supervision.list())[0]!.releases
        .filter(({ releaseId }) => releaseId === "two")
        .some(({ programs }) => programs.some(({ reason }) => reason !== null));
    const whyUnhealthy = async (origin: string) => {
      await fetch(`${origin}/exit`).catch(() => undefined);
      await until(isUnwell);
      return undefined;
    };
    const result = await change(strategy, release("two", startsOnce), { whyUnhealthy });
    expect(result).toEqual({ failure: expect.stringMatching(/^scripts.start ended with exit code [35]/) });
    expect(await names()).toEqual(["one"]);
    expect(await running()).toEqual(["one"]);
  },
);

test("a canary that ends is taken back, also if it got no request", { tags: "long" }, async () => {
  const { change, release, names, running, steps, supervision } = await application(1);
  const changing = change("canary", release("two", startsOnce), {
    canary: { percent: 0.1, minutes: 60, maxErrorRate: 0.05, minRequests: 5 },
  });
  await until(() => steps.some((step) => step.startsWith("sent")));
  const two = (await supervision.list())[0]!.releases.find(({ releaseId }) => releaseId === "two")!;
  await fetch(`${two.programs[0]!.origin}/exit`).catch(() => undefined);
  const failure = "The canary was taken back: scripts.start ended with exit code 3.";
  expect(await changing).toEqual({ failure });
  expect(await names()).toEqual(["one"]);
  expect(await running()).toEqual(["one"]);
});

test.each(soakCases(strategies))(
  "%s leaves the version before as it was, when requests cannot be sent to the new one",
  { tags: "long" },
  async (strategy) => {
    const { change, release, names, running, supervision } = await application(1);
    const route = supervision.route.bind(supervision);
    supervision.route = async (request) => {
      if (request.shares.some(({ releaseId }) => releaseId === "two")) throw new Error("no port");
      return route(request);
    };
    await expect(change(strategy, release("two"))).rejects.toThrow("no port");
    expect(await names()).toEqual(["one"]);
    expect(await running()).toEqual(["one"]);
  },
);

test("a first version whose address is taken does not run on", { tags: "long" }, async () => {
  const { change, release, port, supervision } = await application(1);
  const elsewhere = { deploymentId: "dep_2", address: { ...address, port }, previous: undefined };
  await expect(change("blue_green", release("two"), elsewhere)).rejects.toThrow("is taken");
  const { releases } = (await supervision.list()).find(({ deploymentId: id }) => id === "dep_2")!;
  expect(releases).toEqual([]);
});

test.each(soakCases(["blue_green", "rolling"] as const))(
  "no request goes wrong while %s switches",
  async (strategy) => {
    const { change, release, port, supervision } = await application();
    let isOver = false;
    let answered = 0;
    const client = async () => {
      for (; !isOver; answered += 1) await ask(port);
    };
    const clients = Promise.all(Array.from({ length: 8 }, client));
    await change(strategy, release("two"));
    const before = answered;
    await until(() => answered > before + 50);
    isOver = true;
    await clients;
    for (const { failed, dropped } of (await supervision.list())[0]!.traffic)
      expect({ failed, dropped }).toEqual({ failed: 0, dropped: 0 });
  },
);

test("a request that takes long is answered by the copy that is replaced meanwhile", { tags: "long" }, async () => {
  const { change, release, port, names } = await application();
  const slow = Promise.all(Array.from({ length: 8 }, () => ask(port, "/slow")));
  await change("rolling", release("two"));
  expect(await names()).toEqual(["two"]);
  expect(new Set((await slow).map(({ name }) => name))).toEqual(new Set(["one"]));
});

test("the version before stays warm: going back is one switch", async () => {
  const { change, release, running, names, supervision } = await application();
  await change("blue_green", release("two"));
  expect(await running()).toEqual(["one", "two"]);
  await supervision.route({ deploymentId, address, shares: [{ releaseId: "one", weight: 1 }] });
  expect(await names()).toEqual(["one"]);
});

test("a canary that fails is taken back, and the version before has all requests", async () => {
  const { change, release, port, names, running } = await application(1);
  const changing = change("canary", release("two", isIll("/health")), {
    canary: { percent: 50, minutes: 60, maxErrorRate: 0.05, minRequests: 5 },
  });
  let result: unknown;
  void changing.then((end) => {
    result = end;
  });
  await until(async () => {
    await ask(port);
    return result !== undefined;
  });
  expect(result).toEqual({ failure: expect.stringMatching(/^The canary was taken back: /) });
  expect(await names()).toEqual(["one"]);
  expect(await running()).toEqual(["one"]);
});

test("a canary shares the requests with the version before", async () => {
  const { change, release, names, steps } = await application(1);
  const isOver = new AbortController();
  const changing = change("canary", release("two"), {
    canary: { percent: 50, minutes: 60, maxErrorRate: 0.05, minRequests: 5 },
    signal: isOver.signal,
  });
  await until(() => steps.some((step) => step.startsWith("sent")));
  await until(async () => (await names()).length === 2);
  isOver.abort();
  await expect(changing).rejects.toThrow();
  expect(await names()).toEqual(["one"]);
});

describe("when it is given up meanwhile,", () => {
  /** A plan whose programs may take an hour to get ready. */
  const patient = <Release extends { plan: { programs: readonly { health: object }[] } }>(
    release: Release,
  ): Release => {
    const programs = release.plan.programs.map((one) => ({
      ...one,
      health: { ...one.health, readyWithinMs: 3_600_000 },
    }));
    return { ...release, plan: { ...release.plan, programs } };
  };

  test("recreate does not wait for a version before that does not start a second time", async () => {
    const { change, release, running, steps } = await application(1);
    const given = new AbortController();
    const [two, one] = [patient(release("two", "sleep 3600")), patient(release("one", "sleep 3600"))];
    const changed = change("recreate", two, { signal: given.signal, previous: one });
    await until(async () => steps.length > 0 && (await running()).includes("two"));
    given.abort();
    await expect(changed).rejects.toThrow();
    expect(await running()).toEqual([]);
  });

  test("rolling does not wait for a copy that does not start", { tags: "long" }, async () => {
    const { change, release, names, running, steps } = await application(2);
    const given = new AbortController();
    const once = `mkdir $SLIPWAY_DATA_DIR/once || sleep 3600; exec ${process.execPath} server.cjs`;
    const changed = change("rolling", patient(release("two", once)), { signal: given.signal });
    await until(() => steps.includes("replaced 1 of 2"));
    given.abort();
    await expect(changed).rejects.toThrow();
    expect(await running()).toEqual(["one"]);
    expect(await names()).toEqual(["one"]);
  });
});
