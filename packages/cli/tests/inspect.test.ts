import { readFile, stat } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { FakeService, problem, projectId } from "./fake-service.ts";
import { folderWith, slipway } from "./run-slipway.ts";

const task = {
  ...{ task_id: "orders", title: "Take \u001b[2Jorders", phase: "core", role: "implementer", status: "queued" },
  ...{ agent_id: "agent_1", depends_on: ["plan"] },
  attempts: [{ number: 1, outcome: "failed", error: { code: "lost", message: "It was lost." } }],
};

describe("slipway debug", () => {
  test("carries out what comes from a pipe, goes on after a refusal, and ends the debugging", async () => {
    const service = await new FakeService().listen();
    for (const word of ["start", "step", "stop"]) service.answer(`POST /debug/${word}`, service.project);
    service.answer("POST /debug/continue", () => ({ status: 409, body: problem(409, "conflict", "It has ended.") }));
    service.answer("GET /tasks", { tasks: [task], next_cursor: null });
    service.answer("GET /logs", { lines: [{ task_id: "orders", text: "\u001b[31mred" }], next_cursor: "1" });
    service.answer("GET /api/v1/agents/agent_1/vision", { agent_id: "agent_1", diff: "-old\n+new" });
    const input = "st\ninspect\ninspect orders\nlogs 5\ndiff a.js\ndiff\ncontinue\nwhat\nquit\nstep\n";
    const { code, out, err } = await slipway(["debug", "--project-id", projectId], { input, env: service.env });
    expect(code).toBe(0);
    expect(out).toContain("specification, 0 % done");
    expect(out).toContain("orders  Take \ufffd[2Jorders: queued\nafter plan\nattempt 1: failed: It was lost.\n");
    expect(out).toContain("orders  red\n-old\n+new\n");
    expect(err).toContain("Name a file: diff src/server.js\nIt has ended.\n'what' is not a command here: step,");
    const posts = service.asked.filter(({ method }) => method === "POST").map(({ url }) => url.split("/").at(-1));
    expect(posts).toEqual(["start", "step", "continue", "stop"]);
    expect(service.asked.find(({ url }) => url.includes("/vision"))?.url).toContain(`file=a.js&project=${projectId}`);
  });
});

describe("slipway diagnose", () => {
  test("writes one file that only its owner reads, and overwrites none", async () => {
    const service = await new FakeService().listen();
    const generated_at = "2026-11-15T09:30:00.000Z";
    const found = { generated_at, project: service.project, document: "id: shop", tasks: [task], events: [], logs: [] };
    service.answer("GET /diagnostics", found);
    const cwd = await folderWith({});
    const diagnose = (...args: string[]) =>
      slipway(["diagnose", "--project-id", projectId, "--output", "report.json", ...args], { cwd, env: service.env });
    const { code, out } = await diagnose();
    expect([code, out]).toEqual([
      0,
      "Shop: specification\n  orders, attempt 1: It was lost.\nWrote report.json: 0 events, 1 task, 0 log lines.\n",
    ]);
    const file = join(cwd, "report.json");
    expect(JSON.parse(await readFile(file, "utf8"))).toMatchObject({
      ...found,
      command: { platform: process.platform },
    });
    expect((await stat(file)).mode & 0o777).toBe(0o600);
    expect(await diagnose()).toMatchObject({ code: 1, err: expect.stringContaining("give --force to overwrite it") });
    expect(await diagnose("--force")).toMatchObject({ code: 0 });
  });
});

describe("slipway health-check", () => {
  const one = { application_id: "app_1", name: "Shop", updated_at: "2026-11-15T09:30:00.000Z" };
  const well = { ...one, project_id: "proj_1", status: "deployed", health: "well", reason: null };
  const failed = { ...one, project_id: "proj_2", status: "failed", health: "failed", reason: "It was lost." };
  test.for([
    [[well], [], 0, "The service is ready; 1 application, all well."],
    [[well, failed], [], 1, "1 of 2 applications unwell."],
    [[well, failed], ["--project-id", "proj_1"], 0, "1 application, all well."],
    [[well, failed], ["--project-id", "proj_3"], 4, "proj_3 is not the latest run"],
  ] as const)("of %o with %o exits with %i", async ([projects, args, expected, text]) => {
    const service = await new FakeService().listen();
    service.answer("GET /api/v1/health/projects", { projects, next_cursor: null });
    const { code, out, err } = await slipway(["health-check", ...args], { env: service.env });
    expect([code, out + err]).toEqual([expected, expect.stringContaining(text)]);
  });
});
