// @module-tag soak
import { readdirSync } from "node:fs";
import { createServer, type RequestListener } from "node:http";
import type { AddressInfo } from "node:net";
import { dirname } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { soakCases } from "../../../../../tools/soak-runs.ts";
import { ServiceCalls } from "../../../src/app/worker/service-calls.ts";
import { newFolder } from "../../support/agents/plain-host.ts";
import { Run } from "../../support/run-service.ts";
import { until } from "../../support/until.ts";

const hostile = "\u001b]0;title\u0007\u001b[2J\u202eabc\u009b31m\u061c\r\nslipway: forged";
const printed = /^[^\p{Cc}\u061c\u202e]*\n$/u;

async function listen(answer: RequestListener): Promise<{ url: string }> {
  const server = createServer(answer).listen(0, "127.0.0.1");
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  await new Promise((resolve) => server.once("listening", resolve));
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` };
}

/** A worker that works on one task of a service which answers like this. */
async function workFor(answer: RequestListener) {
  const { url } = await listen(answer);
  const folder = await newFolder();
  const env = {
    SLIPWAY_URL: url,
    SLIPWAY_TOKEN: "spec_sk_worker",
    SLIPWAY_SANDBOX: "none",
  };
  const args = ["worker", "--name", "careful", "--command", "true", "--folder", folder, "--once"];
  return { folder, end: await new Run(args, { env, cwd: folder }).ended };
}

test("what a service says when it refuses is one line for a terminal", { tags: "long" }, async () => {
  const { end } = await workFor((_, response) => {
    response.writeHead(403, { "content-type": "application/problem+json" });
    response.end(JSON.stringify({ detail: hostile }));
  });
  expect(end.code).toBe(1);
  expect(end.err).toMatch(printed);
});

const document = {
  timeouts: { implementation_minutes: 1 },
  resources: { memory_gb: 1, cpu_cores: 1 },
  debug: { level: "info", log_agent_actions: false },
};
const task = {
  ...{ fence: 1, agent_id: "agent_1", attempt: 1, prompt: "", document, limits: { minutes: 1 } },
  ...{ lease_id: "lease_01m7nmzk11q0a27vtdr8", project_id: "proj_01m7nmzk11q0a27vtdr8" },
  ...{ source_url: "/source", heartbeat_seconds: 1 },
  task: {
    ...{ id: "a", title: hostile, role: "implementer", depends_on: [], estimated_hours: 1 },
    ...{ description: null, phase: "build", serves: [] },
  },
};
const known = { agents: [{ name: "careful", kind: "worker", agent_id: "agent_1" }], next_cursor: null };

test.each(
  soakCases([
    { lease_id: "../../../../x", project_id: "proj_01m7nmzk11q0a27vtdr8" },
    { lease_id: "lease_01m7nmzk11q0a27vtdr8", project_id: "../../../x" },
  ]),
)("a task whose ids lead out of the worker's folder, %o, fails and writes nothing there", async (ids) => {
  const reports: string[] = [];
  const { end, folder } = await workFor((request, response) => {
    const chunks: Buffer[] = [];
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    request.on("end", () => {
      if (request.url?.endsWith("/complete")) reports.push(Buffer.concat(chunks).toString());
      const answer = request.url?.includes("/claim") ? { ...task, ...ids } : { ...known, is_cancelled: false };
      response.setHeader("content-type", "application/json");
      response.end(JSON.stringify(answer));
    });
  });
  expect(end.code).toBe(1);
  expect(reports.join() + end.err).toMatch(/is not the id of|\/lease_id must match/);
  for (const line of end.out.trimEnd().split("\n")) expect(`${line}\n`).toMatch(printed);
  expect(end.out).not.toMatch(/^slipway: forged/m);
  expect(readdirSync(folder)).toEqual([]);
  expect(readdirSync(dirname(folder))).not.toContain("x");
});

const misunderstood: readonly [string, agents: string | undefined, task: string | undefined][] = [
  ["nothing", "", undefined],
  ["a task that is none", undefined, "{}"],
  ["no agents", "{}", undefined],
  ["agents that are none", '{"agents":[null],"next_cursor":null}', undefined],
  ["a task without an end", undefined, '{"lease_id":'],
  ["a task with an agent's text for a number", undefined, '{"fence":"1"}'],
  ["a task whose document lacks what an agent is run by", undefined, JSON.stringify({ ...task, document: {} })],
  [
    "a task that no timer could end",
    undefined,
    JSON.stringify({ ...task, document: { ...document, timeouts: { implementation_minutes: 1e308 } } }),
  ],
];

test.each(soakCases(misunderstood, 2))("%s in the place of an answer is told in one line", async (_, agents, task) => {
  const { end } = await workFor((request, response) => {
    response.setHeader("content-type", "application/json");
    response.end(request.url?.includes("/claim") ? task : (agents ?? JSON.stringify(known)));
  });
  expect(end.code).toBe(1);
  expect(end.err).toMatch(/^slipway: The answer to \/api\/v1\/agents\S* is not understood, because .*\n$/);
});

test("a reason that is no text is left out", async () => {
  const { end } = await workFor((_, response) => {
    response.writeHead(403, { "content-type": "application/problem+json" });
    response.end(JSON.stringify({ detail: { toString: 1 } }));
  });
  expect([end.code, end.err]).toEqual([1, "slipway: The service answers 403.\n"]);
});

test("a service that has no task, and does not wait for one, is asked once a second", { tags: "long" }, async () => {
  const askedAtMs: number[] = [];
  await workFor((request, response) => {
    response.setHeader("content-type", "application/json");
    if (!request.url?.includes("/claim")) return response.end(JSON.stringify(known));
    askedAtMs.push(performance.now());
    return response.writeHead(askedAtMs.length === 1 ? 204 : 403).end();
  });
  const [first, second] = askedAtMs;
  expect(second! - first!).toBeGreaterThan(900);
});

test("a list of agents without end is not read for ever", { tags: "long" }, async () => {
  const { end } = await workFor((_, response) => {
    response.setHeader("content-type", "application/json");
    response.end(JSON.stringify({ agents: [], next_cursor: "x" }));
  });
  expect([end.code, end.err]).toEqual([1, "slipway: The service lists agents without end.\n"]);
});

test("an answer without end does not fill the worker's memory", { tags: "long" }, async () => {
  let sent = 0;
  const { end } = await workFor((_, response) => {
    response.writeHead(200, { "content-type": "application/json" });
    const more = () => {
      // A worker that takes whatever comes would get so much, and go on.
      for (; sent < 256 * 2 ** 20; sent += 2 ** 20) if (!response.write(Buffer.alloc(2 ** 20, " "))) return;
      response.end(JSON.stringify({ agents: [], next_cursor: null }));
    };
    response.on("drain", more);
    more();
  });
  expect(end.code).toBe(1);
  expect(end.err).toMatch(/^slipway: The service sends more than \d+ bytes\.\n$/);
});

test("a service cannot send the worker to other addresses of its network", { tags: "long" }, async () => {
  const asked: string[] = [];
  const inside = createServer((request, response) => {
    asked.push(request.url!);
    response.writeHead(403).end(JSON.stringify({ detail: "what only this network may know" }));
  }).listen(0, "127.0.0.1");
  onTestFinished(() => void inside.close());
  await new Promise((resolve) => inside.once("listening", resolve));
  const { port } = inside.address() as AddressInfo;
  const { end } = await workFor((_, response) => {
    response.writeHead(307, { location: `http://127.0.0.1:${port}/redirected` }).end();
  });
  expect(end.code).toBe(1);
  expect(end.err).toBe("slipway: The service answers 307 and names another address. Give that one with --url.\n");
  const calls = new ServiceCalls("http://127.0.0.1", "token", () => undefined);
  for (const path of [`:${port}/appended`, `@127.0.0.1:${port}/appended`, ".example/appended"])
    await expect(calls.files(path)).rejects.toThrow("is not an address of the service");
  expect(asked).toEqual([]);
});

test.each(["events", "complete"])(
  "a service that never answers %s does not keep a worker that is asked to end",
  {
    tags: "long",
  },
  async (report) => {
    let reports = 0;
    const { url } = await listen((request, response) => {
      response.setHeader("content-type", "application/json");
      if (request.url === "/source") return response.end(Buffer.alloc(1024));
      if (request.url!.endsWith(`/${report}`)) {
        reports += 1;
        return undefined;
      }
      const answer = request.url!.includes("/claim") ? task : { ...known, is_cancelled: false };
      return response.end(JSON.stringify(answer));
    });
    const folder = await newFolder();
    const worker = new Run(["worker", "--name", "careful", "--command", "echo said", "--folder", folder], {
      env: { SLIPWAY_URL: url, SLIPWAY_TOKEN: "spec_sk_worker", SLIPWAY_SANDBOX: "none" },
      cwd: folder,
    });
    await until(() => reports > 0);
    worker.child.kill("SIGTERM");
    expect(await worker.ended).toMatchObject({ code: 0, signal: null, err: "" });
    expect(readdirSync(folder)).toEqual([]);
  },
);
