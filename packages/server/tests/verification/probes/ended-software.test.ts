// @module-tag soak
import { once } from "node:events";
import { createServer, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { acceptanceLines } from "@slipway/spec";
import { describe, expect, onTestFinished, test } from "vitest";
import { soakCases } from "../../../../../tools/soak-runs.ts";
import { judgeMeasured } from "../../../src/verification/probes/check-performance.ts";
import { checkSoftware } from "../../../src/verification/probes/check-software.ts";
import { measureLoad } from "../../../src/verification/probes/measure-load.ts";
import { startSoftware } from "../../../src/verification/probes/start-software.ts";
import { noBubblewrap } from "../../support/sandboxes.ts";
import { documentWith, sharedSandbox, writeProject } from "../../support/verification/test-project.ts";

const { signal } = new AbortController();
const openLog = () => ({ write: () => undefined, end: () => undefined });

type SoftwareSandbox = Parameters<typeof checkSoftware>[0];

interface Differently {
  readonly start?: string;
  readonly sandbox?: SoftwareSandbox;
  /** Of the document, beside its endpoints. */
  readonly more?: { readonly acceptance?: object; readonly services?: object };
  /** Beside its own. */
  readonly files?: Readonly<Record<string, string>>;
}

/** The verdicts on software that does something else once it gets its tenth request. */
async function verdictsOn(
  atTenth: string,
  paths: readonly string[],
  performanceTests: boolean,
  { start = `exec ${process.execPath} app.cjs`, sandbox, more = {}, files = {} }: Differently = {},
) {
  const code = `let asked = 0;
    require("http").createServer((request, response) => { if (++asked >= 10) { ${atTenth} } response.end("well"); })
      .listen(process.env.PORT, process.env.HOST, () => console.log("listens"));`;
  const scripts = { start };
  const http_endpoints = paths.map((path) => ({ path, method: "GET", status: 200 }));
  const guardrails = { performance_tests: performanceTests };
  const document = documentWith({
    scripts,
    guardrails,
    ...more,
    acceptance: { http_endpoints, ...more.acceptance },
  } as never);
  const { verdicts } = await checkSoftware(sandbox ?? (await sharedSandbox()), {
    ...{ document: { ...document, resources: { ...document.resources, memory_gb: 0.25 } }, scripts },
    ...{
      folder: writeProject({ "app.cjs": code, ...files }),
      lines: acceptanceLines(document),
      secrets: {},
      cache: undefined,
    },
    ...{ minuteMs: 60_000, loadMs: 200, signal, openLog },
  });
  return verdicts;
}

const paths = Array.from({ length: 20 }, (_, at) => `/${at}`);

describe("software that ends while it is checked", () => {
  test("by breaking a limit is told with the limit, not as a connection that was refused", {
    tags: "long",
  }, async () => {
    const verdicts = await verdictsOn("globalThis.kept = Buffer.alloc(1e9, 1);", paths, false);
    const failed = verdicts.filter(({ verdict }) => verdict === "failed");
    expect(failed.length).toBeGreaterThan(0);
    for (const { reason } of failed)
      expect(reason).toMatch(
        /Process killed due to memory limit exceeded\. scripts\.start used [\d.]+[MG]B, limit was 256MB\. Raise resources\.memory_gb, or let it use less\.$/,
      );
  });

  test("by itself is told with its exit code", { tags: "long" }, async () => {
    const verdicts = await verdictsOn("process.exit(3);", paths, false);
    expect(verdicts.at(-1)).toMatchObject({
      verdict: "failed",
      reason: expect.stringMatching(/scripts\.start ended with exit code 3 while it was checked\.$/),
    });
  });
});

test.for(
  soakCases([
    ["under load", [], true],
    ["by a later line", paths, false],
  ] as const),
)(
  "an answer that was wrong is told without the limit that software broke %s",
  { tags: "long" },
  async ([, later, load]) => {
    const wrong = { path: "/wrong", method: "GET", status: 404 };
    const http_endpoints = [wrong, ...later.map((path) => ({ path, method: "GET", status: 200 }))];
    const acceptance = { http_endpoints };
    const verdicts = await verdictsOn("globalThis.kept = Buffer.alloc(1e9, 1);", [], load, { more: { acceptance } });
    expect(verdicts[0]).toMatchObject({
      verdict: "failed",
      reason: expect.stringMatching(/expected 404, with: well\.$/),
    });
    expect(verdicts.at(-1)).toMatchObject({
      ...{ verdict: "failed", reason: expect.stringContaining("Process killed due to memory limit exceeded.") },
    });
  },
);

// Without a sandbox, who listens may have left the program that started it.
describe.skipIf(noBubblewrap !== undefined)(
  "where another program takes the port of software that ends while it is checked",
  () => {
    const app = `${process.execPath} app.cjs`;

    test.for(
      soakCases([
        ["and all of it has ended", `exec ${app}`, "scripts.start ended with exit code 3 while it was checked."],
        ["and what had started it waits", `${app}; sleep 600`, "Another program has taken the port of scripts.start."],
      ] as const),
    )("no line passes by its answers, %s", async ([, start, why]) => {
      const atTenth = `response.end("well"); response.on("close", () => process.exit(3)); return;`;
      // After two requests to see that it is ready, the tenth is the last of the first round; the second is the other's.
      const paths = Array.from({ length: 8 }, (_, at) => `/${at}`);
      const verdicts = await verdictsOn(atTenth, paths, true, { start, sandbox: await besideHeir() });
      expect(verdicts.map(({ verdict }) => verdict)).not.toContain("passed");
      for (const { reason } of verdicts) expect(reason).toContain(why);
    });
  },
);

test("a service that ends while it is checked fails no line of the software that goes on", {
  tags: "long",
}, async () => {
  const service = `require("http").createServer((request, response) => {
      if (request.url === "/end") process.exit(3);
      response.end("well");
    }).listen(process.env.PORT, process.env.HOST);`;
  const endsService = `return require("http").get(process.env.STOCK_URL + "/end").on("error", () => response.end("well"));`;
  const service_health = [{ service: "stock", endpoint: "/", status: 200 }];
  const verdicts = await verdictsOn(`if (asked === 10) ${endsService}`, paths.slice(0, 12), true, {
    more: { acceptance: { service_health }, services: { stock: {} } },
    files: {
      "services/stock/package.json": '{"scripts":{"start":"exec node app.cjs"}}',
      "services/stock/app.cjs": service,
    },
  });
  const failed = verdicts.filter(({ verdict }) => verdict === "failed");
  expect(failed).toEqual([]);
  expect(verdicts.filter(({ verdict }) => verdict === "passed")).toHaveLength(14);
});

test.for(
  soakCases([
    ["after", ["ends", "stays"]],
    ["before", ["stays", "ends"]],
  ] as const),
)(
  "a service that ends when it is asked fails no line of a service that is asked %s it",
  { tags: "long" },
  async ([, names]) => {
    const serve = (onThird: string) => `let asked = 0;
    require("http").createServer((request, response) => { if (++asked === 3) { ${onThird} } response.end("well"); })
      .listen(process.env.PORT, process.env.HOST);`;
    const filesOf = (name: string, code: string) => ({
      [`services/${name}/package.json`]: '{"scripts":{"start":"exec node app.cjs"}}',
      [`services/${name}/app.cjs`]: code,
    });
    const verdicts = await verdictsOn("", [], false, {
      more: {
        acceptance: {
          service_health: names.map((service) => ({ service, endpoint: "/", status: 200 })),
          http_endpoints: [{ path: "/wrong", method: "GET", status: 404 }],
        },
        services: { ends: {}, stays: {} },
      },
      files: { ...filesOf("ends", serve("process.exit(3);")), ...filesOf("stays", serve("")) },
    });
    const of = (name: string) => verdicts.filter(({ reason }) => reason.startsWith(`The service '${name}'`));
    expect(of("ends")).toMatchObject([
      { verdict: "failed", reason: expect.stringContaining("ended with exit code 3 while it was checked.") },
    ]);
    expect(of("stays")).toMatchObject([{ verdict: "passed", reason: "The service 'stays': GET / answered 200." }]);
  },
);

test("why software ended is told where nobody can see who listens, though it was asked before", async () => {
  const sandbox = await sharedSandbox();
  const startCommand: SoftwareSandbox["startCommand"] = (...asked) =>
    Object.assign(sandbox.startCommand(...asked), { listensAt: async () => undefined });
  // It listens no longer when the connection ends.
  const code = `const server = require("http").createServer((request, response) => {
      if (request.url !== "/end") return response.end("well");
      server.close();
      process.exit(3);
    }).listen(process.env.PORT, process.env.HOST);`;
  const software = await startSoftware(
    { startCommand },
    {
      ...{ document: documentWith({}), command: `exec ${process.execPath} app.cjs`, secrets: {}, signal, openLog },
      folder: writeProject({ "app.cjs": code }),
    },
  );
  if ("failure" in software) throw new Error(software.failure);
  expect(await software.whyEnded()).toBeUndefined();
  await expect(fetch(`${software.url}/end`)).rejects.toThrow();
  expect(await software.whyEnded()).toBe("scripts.start ended with exit code 3 while it was checked.");
  await software.stop();
});

/** The sandbox, with a program outside that listens where the software does as soon as that no longer does. */
async function besideHeir(): Promise<SoftwareSandbox> {
  const sandbox = await sharedSandbox();
  const startCommand: SoftwareSandbox["startCommand"] = (toRun, limits) => {
    const heir = createServer((_, response) => response.end("well"));
    let isOver = false;
    const listen = () => isOver || heir.listen(Number(toRun.env["PORT"]), "127.0.0.1");
    // Not before the software listens there: that would not get the port.
    const running = sandbox.startCommand({ ...toRun, onOutput: () => listen() }, limits);
    heir.on("error", () => setTimeout(listen, 1));
    onTestFinished(() => {
      isOver = true;
      heir.closeAllConnections();
      heir.close();
    });
    return running;
  };
  return Object.assign(Object.create(sandbox), { startCommand });
}

describe("performance_tests", () => {
  test.for(
    soakCases([
      ["ends", "process.exit(3);"],
      ["never answers", "return;"],
      ["answers with errors only", "response.statusCode = 500;"],
    ] as const),
  )("fail where the software %s under load: nothing was measured", { tags: "long" }, async ([, atTenth]) => {
    const verdicts = await verdictsOn(atTenth, ["/"], true);
    expect(verdicts.at(-1)).toMatchObject({
      ...{ pointer: "/guardrails/performance_tests", verdict: "failed" },
      reason: expect.stringContaining("Nothing was answered well, so there is no measurement."),
    });
  });

  test("pass where some requests fail, and tell how many: a share of errors is a limit's own matter", {
    tags: "long",
  }, async () => {
    const verdicts = await verdictsOn("if (asked % 5 === 0) response.statusCode = 429;", ["/"], true);
    expect(verdicts.at(-1)).toMatchObject({
      ...{ pointer: "/guardrails/performance_tests", verdict: "passed" },
      reason: expect.stringMatching(
        /^It was measured under load: \d+ requests to GET \/ over 10 connections, \d+ failed/,
      ),
    });
  });

  test("pass where answers take longer than the load", { tags: "long" }, async () => {
    const verdicts = await verdictsOn(`return void setTimeout(() => response.end("well"), 201);`, ["/"], true);
    expect(verdicts.at(-1)).toMatchObject({ pointer: "/guardrails/performance_tests", verdict: "passed" });
  });

  test("pass where more connections are refused than requests are answered well", { tags: "long" }, async () => {
    const waiting: ServerResponse[] = [];
    const server = createServer((_, response) => void waiting.push(response));
    server.maxConnections = 5;
    let dropped = 0;
    server.on("drop", () => {
      dropped += 1;
      if (dropped % 20 === 0) waiting.shift()?.end("well");
    });
    const load = await measureLoad({ ...(await listening(server)), durationMs: 1_000 }, signal);
    expect(load.errors).toBeGreaterThan(load.good);
    const document = documentWith({
      acceptance: { http_endpoints: [{ path: "/", method: "GET", status: 200 }], performance: { throughput: 1 } },
    } as never);
    const measured = { path: "/", connections: 10, load, readyMs: 1, peakMemoryBytes: 1 };
    const judged = judgeMeasured("/guardrails/performance_tests", acceptanceLines(document), measured);
    expect(judged).toMatchObject({
      verdict: "passed",
      reason: expect.stringContaining(`${load.good + load.errors} requests to GET /`),
    });
    const numberOf = (name: string) => judged.measured?.find((one) => one.name === name)?.value;
    expect(numberOf("throughput")).toBeCloseTo(load.good / load.seconds);
    expect(numberOf("error_rate")).toBeLessThan(1);
  });

  test("fail where every answer is an error of the software, and the document names nothing to read", {
    tags: "long",
  }, async () => {
    const verdicts = await verdictsOn("response.statusCode = 500;", [], true);
    expect(verdicts).toMatchObject([{ pointer: "/guardrails/performance_tests", verdict: "failed" }]);
  });

  test("pass where the document names nothing to read, and the software says so", { tags: "long" }, async () => {
    const verdicts = await verdictsOn("response.statusCode = 404;", [], true);
    expect(verdicts).toMatchObject([{ pointer: "/guardrails/performance_tests", verdict: "passed" }]);
  });
});

test("a load that cannot be ended blames the software, not its slowness", async () => {
  const lines = [
    { pointer: "/acceptance/performance/p95", check: { kind: "performance", metric: "response_time_p95" } },
  ] as never;
  const failure = "The load could not be ended within 12 seconds: the software never stops sending.";
  const nothing = { requests: 0, good: 0, refused: 0, errors: 0, unanswered: 0 };
  const load = { ...nothing, seconds: 1, averageMs: 0, percentilesMs: {}, failure };
  const measured = { path: "/", connections: 10, load, readyMs: 1, peakMemoryBytes: 1 };
  expect(judgeMeasured("/guardrails/performance_tests", lines, measured)).toMatchObject({
    ...{ verdict: "failed", reason: failure },
  });
});

test("a load whose answers take more memory than it may says so", { tags: "long" }, async () => {
  const load = await measureLoad({ ...(await endlessAnswers()), durationMs: 60_000 }, signal);
  expect(load).toMatchObject({
    requests: 0,
    failure: "The load was ended. Its answers took more than 256MB of memory. Let them be shorter.",
  });
});

/** What to send to a server whose answers have no end. */
function endlessAnswers() {
  const piece = Buffer.alloc(2 ** 20, "a");
  const server = createServer((_, response) => {
    const write = () => {
      while (response.write(piece));
    };
    response.on("drain", write);
    write();
  });
  return listening(server);
}

/** What to send to a server, which listens from now on until the test is over. */
async function listening(server: Server) {
  await once(server.listen(0, "127.0.0.1"), "listening");
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  return { url: `http://127.0.0.1:${port}`, headers: {}, connections: 10 };
}
