import { describe, expect, test } from "vitest";
import { FakeService, problem, projectId } from "./fake-service.ts";
import { folderWith, slipway } from "./run-slipway.ts";

describe("slipway projects", () => {
  test("list shows a table, and as JSON what the API answers", async () => {
    const service = await new FakeService().listen();
    const checks = { passed: 2, failed: 1, not_checked: 1, waived: 0 };
    const page = { projects: [{ ...service.project, checks, waiting_for: "agent" }], next_cursor: "abc" };
    service.answer("GET /api/v1/projects", page);
    const { code, out, err } = await slipway(["projects", "list", "--search", "sh op", "--limit", "1"], {
      env: service.env,
    });
    expect(code).toBe(0);
    expect(
      out,
    ).toBe(`ID                         NAME  STATUS                 DONE  CHECKS                             PHASE          CREATED
${projectId}  Shop  specification (agent)  0 %   2 passed, 1 failed, 1 not checked  specification  2026-11-15T09:30:00.000Z
`);
    expect(err).toBe("More: slipway projects list --cursor abc\n");
    expect(service.asked[0]?.url).toBe("/api/v1/projects?q=sh+op&limit=1");
    expect(JSON.parse((await slipway(["projects", "list", "--json"], { env: service.env })).out)).toEqual(page);
  });

  test("acceptance shows every line's verdict, and ends with 1 if a line does not hold", async () => {
    const service = await new FakeService().listen();
    const by = { by: "service", id: null, name: null, kind: null };
    const line = {
      ...{ phase: null, duration_ms: null, evidence: [], tasks: [], previous: null },
      ...{ answered_by: by, measured: [] as object[] },
    };
    const lines = [
      {
        ...line,
        pointer: "/a",
        line: 7,
        title: "GET /a answers 200",
        verdict: "passed",
        reason: "It did.",
        measured: [
          { name: "response_time_p95", value: 12, unit: "ms", previous: 10, change: 0.2 },
          { name: "memory", value: 52_428_800, unit: "bytes", previous: null, change: null },
          { name: "duration", value: 3, unit: "ms", previous: 2, change: 0.5 },
        ],
      },
      {
        ...line,
        pointer: "/d",
        line: 8,
        title: "It is friendly",
        verdict: "passed",
        reason: "Agent kim: It greets.",
        answered_by: { by: "agent", id: "agent_1", name: "kim", kind: "acp" },
      },
      {
        ...line,
        pointer: "/b",
        line: 9,
        title: "GET /b answers 200",
        verdict: "failed",
        reason: "It answered 500.",
        previous: "passed",
      },
      {
        ...line,
        pointer: "/c",
        line: null,
        title: "It looks nice",
        verdict: "not_checked",
        reason: "Nobody here can check it.",
        answered_by: null,
      },
    ];
    const counts = { passed: 2, failed: 1, not_checked: 1, waived: 0 };
    const report = { project_id: projectId, commit: "0123456789abcdef", checked_at: null, counts, lines };
    service.answer("GET /acceptance", report);
    const { code, out } = await slipway(["projects", "acceptance", projectId], { env: service.env });
    expect(code).toBe(1);
    expect(out).toBe(`✔ passed       line 7  GET /a answers 200
    It did.
    response_time_p95 12 ms (before: 10 ms, +20 %), memory 50 MB
✔ passed       line 8  It is friendly
    Agent kim: It greets.
    answered by agent kim (acp)
✘ failed       line 9  GET /b answers 200 (before: passed)
    It answered 500.
? not checked  It looks nice
    Nobody here can check it.

2 passed, 1 failed, 1 not checked, of commit 0123456789ab
`);
    const json = await slipway(["projects", "acceptance", projectId, "--json"], { env: service.env });
    expect(JSON.parse(json.out)).toEqual(report);
  });

  test("show says what is live of it, how to use it and how to stop it", async () => {
    const service = await new FakeService().listen();
    for (const [name, list] of Object.entries({ phases: "phases", tasks: "tasks", checkpoints: "checkpoints" }))
      service.answer(`GET /${name}`, { [list]: [], next_cursor: null });
    service.answer("GET /approvals", { approvals: [], next_cursor: null });
    const url = "http://127.0.0.1:5000";
    const deployment = { deployment_id: "dep_1", environment: "default", version: "0a1b", url, usage: `curl ${url}` };
    service.change({ deployment: { ...deployment, status: "live" } });
    const { out } = await slipway(["projects", "show", projectId], { env: service.env });
    expect(out).toContain(`live in default, version 0a1b
use:  ${url}
stop: slipway apps stop app_1 --environment default
`);
    const packed = { ...deployment, url: null, usage: "npm i shop.tgz", status: "live" as const };
    service.change({ deployment: packed });
    const { out: other } = await slipway(["projects", "show", projectId], { env: service.env });
    expect(other).toContain("use:  npm i shop.tgz\n");
    expect(other).not.toContain("stop:");
  });

  test("deploy waits until the result is live in the environment, and says who must approve", async () => {
    const service = await new FakeService().listen();
    const url = "http://127.0.0.1:5001";
    const promotion = { project_id: projectId, environment: "production", version: "0a1b", url: null, error: null };
    const asked = { ...promotion, status: "waiting_for_approval" };
    let now: object = asked;
    service
      .answer("POST /deploy", () => ({ status: 202, body: asked }))
      .answer("GET /promotions", () => {
        const body = { promotions: [now] };
        now = { ...promotion, status: "live", url };
        // The next read of the project finds it changed.
        setImmediate(() => service.change({}));
        return { body };
      });
    const { code, out, err } = await slipway(["projects", "deploy", projectId, "production"], { env: service.env });
    expect([code, out]).toEqual([0, `${projectId} production is live at ${url} (version 0a1b)\n`]);
    expect(err).toContain(`A person must approve: slipway projects approve ${projectId}`);
    const error = { code: "approval_denied", message: "Not today." };
    service.answer("POST /deploy", { ...promotion, status: "failed", error });
    const failed = await slipway(["projects", "deploy", projectId, "production"], { env: service.env });
    expect([failed.code, failed.out]).toEqual([1, `${projectId} production failed: Not today.\n`]);
    expect((await slipway(["projects", "deploy", projectId], { env: service.env })).code).toBe(2);
  });

  test("show prints the project's status, and with --json the project", async () => {
    const service = await new FakeService().listen();
    service
      .change({ status: "failed", current_phase: "core", error: { code: "lost", message: "It was lost." } })
      .answer("GET /phases", { phases: [{ name: "core", status: "running", tasks_done: 1, tasks: 2 }] })
      .answer("GET /tasks", {
        tasks: [
          {
            task_id: "orders",
            title: "Take orders",
            status: "failed",
            role: "implementer",
            agent_id: "agent_1",
            attempts: [{}, {}],
            started_at: "2026-11-15T09:30:00.000Z",
            ended_at: "2026-11-15T09:31:05.000Z",
          },
        ],
        next_cursor: null,
      })
      .answer("GET /checkpoints", {
        checkpoints: [{ checkpoint_id: "ckpt_1", phase: "planning", created_at: "2026-11-15T09:30:00.000Z" }],
        next_cursor: null,
      })
      .answer("GET /approvals", { approvals: [], next_cursor: null });
    const { code, out } = await slipway(["projects", "show", projectId], { env: service.env });
    expect(code).toBe(0);
    expect(out).toBe(`Shop  (api)  ${projectId}
failed, 0 % done, in core
It was lost. [lost]

PHASE  STATUS   TASKS
core   running  1 of 2

TASK    TITLE        STATUS               AGENT    DURATION
orders  Take orders  failed (2 attempts)  agent_1  1 min 5 s

CHECKPOINT  AFTER     CREATED
ckpt_1      planning  2026-11-15T09:30:00.000Z
`);
    const json = await slipway(["projects", "show", "--project-id", projectId, "--json"], { env: service.env });
    expect(JSON.parse(json.out)).toMatchObject({
      ...service.project,
      ...{ phases: [{ name: "core" }], tasks: [{ task_id: "orders" }], approvals: [] },
      checkpoints: [{ checkpoint_id: "ckpt_1" }],
    });
  });

  test("watch follows it to the end, and its end is the command's", async () => {
    const service = await new FakeService().listen();
    const error = { code: "cancelled", message: "The project was cancelled.", phase: "core" };
    service.tell("project.failed", { error, phase: "core" }, { status: "failed", error });
    const { code, out } = await slipway(["projects", "watch", projectId], { env: service.env });
    expect(code).toBe(1);
    expect(out).toContain(`slipway projects restart ${projectId} --from-phase core`);
    // No whole number of milliseconds.
    const waiting = await new FakeService().listen();
    const late = await slipway(["projects", "watch", projectId, "--timeout", "0.01234567"], { env: waiting.env });
    expect(late.code).toBe(124);
  });

  test.for([
    [["cancel"], "POST /cancel", "", "is cancelled"],
    [["pause"], "POST /pause", "", "is paused"],
    [["resume"], "POST /resume", "", "is resumed"],
    [["restart", "--from-phase", "core"], "POST /restart", { from_phase: "core" }, "is restarted from core"],
    [["rollback", "--checkpoint", "ckpt_1"], "POST /rollback", { checkpoint: "ckpt_1" }, "is rolled back to ckpt_1"],
    [["retry", "--task-id", "a"], "POST /retry", { task_id: "a", downstream: false }, "retries a"],
    [["retry", "--downstream"], "POST /retry", { task_id: "orders", downstream: true }, "retries orders"],
  ] as const)("%o calls the service and prints what happened to the project", async ([args, request, body, said]) => {
    const service = await new FakeService().listen();
    service.change({ error: { code: "lost", message: "", task_id: "orders" }, current_phase: "core" });
    service.answer(request, service.project);
    const { code, out } = await slipway(["projects", ...args, "--project-id", projectId], { env: service.env });
    expect({ code, out }).toEqual({ code: 0, out: `${projectId} ${said} (specification, core)\n` });
    const sent = service.asked.find(({ method }) => method === "POST");
    expect(sent?.body).toBe(body === "" ? "" : JSON.stringify(body));
    const json = await slipway(["projects", ...args, projectId, "--json"], { env: service.env });
    expect(JSON.parse(json.out)).toEqual(service.project);
  });

  test("restart says where it goes on, if the phase cannot begin yet", async () => {
    const service = await new FakeService().listen();
    service.change({ status: "validation", current_phase: "validation" }).answer("POST /restart", service.project);
    const { out } = await slipway(["projects", "restart", projectId, "--from-phase", "deployment"], {
      env: service.env,
    });
    expect(out).toBe(`${projectId} goes on before deployment (validation, validation)\n`);
  });

  test("retry without a failed task is refused, and names the phase to restart from", async () => {
    const service = await new FakeService().listen();
    const error = { code: "cancelled", message: "The project was cancelled.", phase: "validation" };
    service.change({ status: "failed", error });
    const { code, err } = await slipway(["projects", "retry", projectId], { env: service.env });
    expect(code).toBe(3);
    expect(err).toContain(`slipway projects restart ${projectId} --from-phase validation'`);
  });

  test("reassign fills a role", async () => {
    const service = await new FakeService().listen();
    service.answer("PUT /agents/front%20end", { project_id: projectId, role: "front end", agent_id: "agent_2" });
    const args = ["projects", "reassign", "--project-id", projectId, "--role", "front end", "--agent-id", "agent_2"];
    const { code, out } = await slipway([...args, "--priority", "high"], { env: service.env });
    expect({ code, out }).toEqual({ code: 0, out: "front end: agent_2\n" });
    expect(service.asked[0]?.body).toBe('{"agent_id":"agent_2","priority":"high"}');
  });

  test("approve decides what the project waits for", async () => {
    const service = await new FakeService().listen();
    const line = { pointer: "/acceptance/tone", line: 7, title: "tone: friendly", reason: "", verdict: "not_checked" };
    const about = { approval_id: "appr_1", gate: "deployment", environment: "production" };
    const approval = { ...about, status: "pending", lines: [line] };
    const approvals = [{ ...approval, approval_id: "appr_0", status: "denied" }, approval];
    service
      .answer("GET /approvals", { approvals, next_cursor: null })
      .answer("POST /api/v1/approvals/appr_1", { ...approval, status: "denied", lines: [] });
    const { code, out } = await slipway(["projects", "approve", projectId, "--deny", "--comment", "no"], {
      env: service.env,
    });
    expect({ code, out }).toEqual({ code: 0, out: "deployment to production is denied (appr_1)\n" });
    expect(service.asked.at(-1)?.body).toBe('{"decision":"deny","comment":"no"}');
    const lines = [{ ...line, verdict: "passed" }];
    service.answer("POST /api/v1/approvals/appr_1", { ...approval, status: "approved", lines });
    const seen = await slipway(["projects", "approve", projectId, "--confirm", "7"], { env: service.env });
    expect(seen.out).toBe("deployment to production is approved (appr_1)\n  passed  line 7  tone: friendly\n");
    expect(service.asked.at(-1)?.body).toBe('{"decision":"approve","confirms":["/acceptance/tone"]}');
    const wrong = await slipway(["projects", "approve", projectId, "--confirm", "8"], { env: service.env });
    expect(wrong).toMatchObject({ code: 2, err: expect.stringContaining("8 is not the number of an unchecked line") });
    service.answer("GET /approvals", { approvals: [], next_cursor: null });
    const none = await slipway(["projects", "approve", projectId], { env: service.env });
    expect(none).toMatchObject({ code: 2, err: `slipway: ${projectId} is not waiting for an approval\n` });
  });

  test("delete deletes", async () => {
    const service = await new FakeService().listen();
    service.answer(`DELETE /api/v1/projects/${projectId}`, () => ({ status: 204, body: null }));
    const { code, out } = await slipway(["projects", "delete", projectId], { env: service.env });
    expect({ code, out }).toEqual({ code: 0, out: `${projectId} is deleted\n` });
  });
});

describe("a refusal of the service", () => {
  test("ends with 3 and its message, and prints the problem with --json", async () => {
    const service = await new FakeService().listen();
    const refusal = problem(409, "conflict", "The project is deployed; it cannot be paused.");
    service.answer("POST /pause", () => ({ status: 409, body: refusal }));
    const { code, out, err } = await slipway(["projects", "pause", projectId, "--json"], { env: service.env });
    const failure = { code: "conflict", message: refusal.detail, hint: null, next: [] };
    expect([code, JSON.parse(err)]).toEqual([3, failure]);
    expect(JSON.parse(out)).toEqual({ problem: refusal });
  });

  test("because the project does not exist ends with 4", async () => {
    const service = await new FakeService().listen();
    const { code, err } = await slipway(["projects", "show", "proj_no"], { env: service.env });
    expect({ code, err }).toEqual({ code: 4, err: "slipway: It is not_found.\n" });
  });

  test("that knows no such checkpoint points to where they are listed", async () => {
    const service = await new FakeService().listen();
    const instance = `/api/v1/projects/${projectId}/rollback`;
    const body = { ...problem(404, "not_found", "The project has no checkpoint ckpt_no."), instance };
    service.answer("POST /rollback", () => ({ status: 404, body }));
    const { code, err } = await slipway(["projects", "rollback", projectId, "--checkpoint", "ckpt_no"], {
      env: service.env,
    });
    expect(code).toBe(4);
    expect(err).toContain(`'slipway projects show ${projectId}' lists its checkpoints.`);
    expect(err).not.toContain("projects list");
  });
});

describe("a wrong call ends with 2 and says what is wrong", () => {
  test.for([
    [["show"], "give the project's id"],
    [["show", "proj_1", "--project-id", "proj_1"], "give [project-id] or --project-id <id>, not both"],
    [["show", ".."], "'..' is not a valid project_id."],
    [["restart", "proj_1"], "required option '--from-phase <phase>' not specified"],
    [["paus", "proj_1"], "unknown command 'paus'"],
  ] as const)("%o", async ([args, message]) => {
    const env = { SLIPWAY_URL: "http://slipway.invalid", SLIPWAY_TOKEN: "t" };
    const { code, out, err } = await slipway(["projects", ...args], { env });
    expect({ code, out }).toEqual({ code: 2, out: "" });
    expect(err).toContain(message);
    expect(err).not.toContain("    at ");
  });
});

describe("the service", () => {
  test("comes from --url and --token before the variables", async () => {
    const service = await new FakeService().listen();
    service.answer("GET /api/v1/projects", { projects: [], next_cursor: null });
    const env = { SLIPWAY_URL: "http://slipway.invalid", SLIPWAY_TOKEN: "no" };
    const args = ["--url", service.url, "--token", "the-token"];
    const { out } = await slipway(["projects", "list", "--json", ...args], { env });
    expect(JSON.parse(out)).toMatchObject({ projects: [] });
  });

  test("that never ran ends with 5, and creates nothing", async () => {
    const folder = await folderWith({});
    const env = { SLIPWAY_URL: "", SLIPWAY_TOKEN: "", SLIPWAY_DATA: "" };
    const { code, err } = await slipway(["projects", "list"], { cwd: folder, env });
    expect(code).toBe(5);
    expect(err).toContain("no service has run on .slipway yet. Start one with 'slipway serve'");
  });
});
