// @module-tag soak
import { spawn } from "node:child_process";
import { once } from "node:events";
import { describe, expect, test, vi } from "vitest";
import { soakCases } from "../../../tools/soak-runs.ts";
import { FakeService, problem, projectId } from "./fake-service.ts";
import { folderWith, launcher, slipway, slipwayProcess } from "./run-slipway.ts";

const shop = `spec_version: "1.0.0"
id: shop
name: Shop
description: Sells things.
outcome_type: api
stack: {}
acceptance: {}
`;

const task = { phase: "implementation", role: "implementer", agent_id: "agent_1", duration_ms: 2540 };

/** A project that fails at a task once and is live in the end. */
async function deployedShop(): Promise<FakeService> {
  const service = await new FakeService().listen();
  return service
    .answer("GET /tasks", { tasks: [{ task_id: "orders", title: "Take orders" }], next_cursor: null })
    .tell("project.created", { name: "Shop", status: "specification", spec_url: "/spec" })
    .tell("project.started", { phase: "planning" })
    .tell("project.phase_completed", {
      phase: "planning",
      next_phase: "implementation",
      artifacts: [{ type: "task_breakdown", url: "/artifacts" }],
    })
    .tell("agent.task_failed", { ...task, task_id: "orders", error: { code: "lost", message: "It was\nlost." } })
    .tell("agent.task_completed", { ...task, task_id: "orders" })
    .tell("security.issue_detected", {
      rule_id: "no-eval",
      severity: "high",
      path: "a.js",
      line: 3,
      message: "eval",
      remedy: "Do not.",
    })
    .tell(
      "project.deployed",
      { environment: "", version: "0a1b", url: "http://127.0.0.1:5000" },
      {
        status: "deployed",
        progress: 1,
        checks: { passed: 3, failed: 0, not_checked: 0, waived: 0 },
        updated_at: "2026-11-15T09:33:20.000Z",
      },
    );
}

describe("a project that is deployed", () => {
  test("is printed line by line, with its result at the end, and ends with 0", async () => {
    const service = await deployedShop();
    const { code, out, err } = await slipway(["run", "-"], { input: shop, env: service.env });
    expect({ code, err }).toEqual({
      code: 0,
      err: `Using the service at ${service.url}\nWatch it at ${service.url}/projects/${projectId}\n`,
    });
    expect(out).toBe(`09:30:01  ● Shop was created
09:30:02  ● Work started: planning
09:30:03  ✓ Phase planning completed  artifacts: task_breakdown · next: implementation
09:30:04  ✗ Take orders: It was
            lost.  implementation · implementer · agent_1 · 2.5 s
09:30:05  ✓ Take orders  implementation · implementer · agent_1 · 2.5 s
09:30:06  ! a.js:3: eval  high · no-eval · Do not.
09:30:07  ✓ Deployed  version 0a1b · http://127.0.0.1:5000

✔ Shop is deployed after 3 min 20 s.
  Checks:  3 passed (slipway projects acceptance ${projectId})
  Result:  http://127.0.0.1:5000
  Stop:    slipway apps stop app_1
  Files:   slipway source get ${projectId} DIR
  Project: slipway projects show ${projectId}
`);
  });

  test("is followed to the environments that it goes to by itself; one that it does not reach fails --strict", async () => {
    const service = await deployedShop();
    const promotion = { project_id: projectId, version: "0a1b", url: null, error: null };
    const error = { code: "deployment_failed", message: "It is full." };
    const staging = { ...promotion, environment: "staging" };
    const answers = [
      [{ ...staging, status: "deploying" }],
      [
        { ...staging, status: "live", url: "http://127.0.0.1:5001" },
        { ...promotion, environment: "preview", status: "failed", error },
        { ...promotion, environment: "production", status: "waiting_for_approval" },
      ],
    ];
    const live = { deployment_id: "dpl_1", environment: "staging", version: "0a1b", url: "" };
    let asked = 0;
    service.answer("GET /promotions", () => {
      const promotions = answers[Math.min(1, asked++)];
      // Told after the answer: what changes is not asked for again before.
      setImmediate(() => service.tell("deployment.completed", live));
      return { body: { promotions } };
    });
    const { code, out } = await slipway(["run", "-", "--strict"], { input: shop, env: service.env });
    expect(code).toBe(1);
    expect(out).toContain(`
✔ staging: 0a1b is live at http://127.0.0.1:5001
✖ preview: It is full.
… production waits for an approval: slipway projects approve ${projectId}
`);
  });

  test("shows how to use what has no address, and no way to stop it", async () => {
    const service = await deployedShop();
    service.tell("project.deployed", { environment: "", version: "0a1b", url: "", usage: "npm i shop.tgz" });
    const { out } = await slipway(["run", "-"], { input: shop, env: service.env });
    expect(out).toContain("  Result:  npm i shop.tgz\n  Files: ");
  });

  test("is annotated for GitHub at the lines of its document, and no other output is taken for a command", async () => {
    const service = await deployedShop();
    const error = { code: "lost", message: "It was\n  ::stop-commands::x\nlost ##[error]y" };
    service.tell("agent.task_failed", { ...task, task_id: "orders", error });
    const line = { pointer: "/acceptance", phase: null, tasks: [], evidence: [], previous: null, measured: [] };
    service.answer("GET /acceptance", {
      project_id: projectId,
      counts: { passed: 1, failed: 1, not_checked: 1, waived: 0 },
      lines: [
        { ...line, line: 7, title: "GET /a: 200", verdict: "failed", reason: "It said 500,\n100 % wrong." },
        { ...line, line: null, title: "p95", verdict: "not_checked", reason: "" },
        { ...line, line: 9, title: "b", verdict: "passed", reason: "" },
      ],
      unmet: [{ pointer: "/pages/0", line: 8, reason: "Nothing uses it." }],
    });
    const folder = await folderWith({ "a,b.yaml": shop });
    const { out, err } = await slipway(["run", "a,b.yaml", "--annotate", "github"], { cwd: folder, env: service.env });
    expect((out + err).split("\n").filter((text) => text.trimStart().startsWith("::"))).toEqual([
      "::error file=a%2Cb.yaml,line=7,title=failed%3A GET /a%3A 200::It said 500,%0A100 %25 wrong.",
      "::warning file=a%2Cb.yaml,line=1,title=not checked%3A p95::p95",
      "::warning file=a%2Cb.yaml,line=8,title=not built%3A /pages/0::Nothing uses it.",
    ]);
    expect(out).toContain(": :stop-commands::x");
    expect(out).not.toContain("##[");
  });

  test("as JSON is its events as the API shows them, then the project", async () => {
    const service = await deployedShop();
    const { code, out } = await slipway(["run", "-", "--json"], { input: shop, env: service.env });
    expect(code).toBe(0);
    const lines = out.trimEnd().split("\n");
    expect(lines.map((line) => JSON.parse(line) as unknown)).toEqual([...service.events, { project: service.project }]);
  });

  test("was submitted as it was written, for the environment that was asked for", async () => {
    const service = await deployedShop();
    const document = `${shop}environments: { staging: {} }\n`;
    await slipway(["run", "-", "-e", "staging"], { input: document, env: service.env });
    const posted = service.asked.filter(({ method }) => method === "POST");
    expect(posted[0]).toMatchObject({ url: "/api/v1/projects?dry_run=true&environment=staging", body: document });
    expect(posted.slice(1, 2)).toMatchObject([
      {
        url: "/api/v1/projects?environment=staging",
        body: document,
        headers: { "content-type": "application/yaml", "idempotency-key": expect.any(String) },
      },
    ]);
  });

  test("lists unsupported requests before it starts and in its summary, which is a warning then", async () => {
    const service = await deployedShop();
    const unmet = [{ pointer: "/stack/language", line: 7, reason: "COBOL is not written by rule." }];
    service.plan = { unmet, secrets: [], roles: [{ role: "implementer", agent_id: "agent_1" }] };
    service.answer("GET /api/v1/agents/agent_1", { agent_id: "agent_1", kind: "blueprint" });
    const { code, out, err } = await slipway(["run", "-"], { input: shop, env: service.env });
    expect(code).toBe(0);
    expect(err).toContain("  - line 7: /stack/language: COBOL is not written by rule.\n");
    expect(out).toContain("! Shop is deployed after 3 min 20 s, but lacks parts of what the document asks for.\n");
    expect(out).toContain(
      "  Missing: 1 item, not used or not built:\n    - line 7: /stack/language: COBOL is not written by rule.\n",
    );
    expect(out).not.toContain("✔");
    const strict = await slipway(["run", "-", "--strict", "--json"], { input: shop, env: service.env });
    expect(strict.code).toBe(1);
    expect(JSON.parse(strict.out.trim().split("\n").at(-1)!)).toMatchObject({ project: { status: "deployed" }, unmet });
    service.answer("GET /api/v1/agents/agent_1", { agent_id: "agent_1", kind: "llm" });
    expect((await slipway(["run", "-"], { input: shop, env: service.env })).out, "others may").toContain("✔ Shop");
  });

  test("says which requests other agents finish, which are not missing then", async () => {
    const service = await deployedShop();
    const unmet = [
      { pointer: "/rules/0", line: 9, reason: "No rule.", task_id: "finish-rules", agent_id: "agent_2" },
      { pointer: "/rules/1", line: 10, reason: "No rule.", task_id: "finish-rules", agent_id: "agent_2" },
    ];
    service.plan = { unmet, secrets: [], roles: [{ role: "implementer", agent_id: "agent_1" }] };
    service.answer("GET /api/v1/agents/agent_1", { agent_id: "agent_1", kind: "blueprint" });
    service.answer("GET /api/v1/agents/agent_2", { agent_id: "agent_2", name: "codex", kind: "command" });
    const { out, err } = await slipway(["run", "-"], { input: shop, env: service.env });
    expect(err).toContain(
      "  - line 9: /rules/0 → codex (finish-rules)\n  - line 10: /rules/1 → codex (finish-rules)\n",
    );
    expect(out).toContain("✔ Shop");
  });

  test("says what stands in the way before it starts; with --strict it does not start what must fail", async () => {
    const service = await deployedShop();
    const obstacle = { kind: "agent", is_blocking: true, pointer: "/requirements/agents/painter", line: 9 };
    const preflight = [{ ...obstacle, message: "No agent here fills the role 'painter'.", remedy: "Run 'slipway x'." }];
    service.plan = { unmet: [], secrets: [], roles: [], preflight };
    const { code, err } = await slipway(["run", "-"], { input: shop, env: service.env });
    expect([code, err]).toEqual([0, expect.stringContaining("Before it starts:\n  ✘ line 9: No agent here fills")]);
    expect(err).toContain("    = Run 'slipway x'.\n");
    const posts = service.asked.length;
    const strict = await slipway(["run", "-", "--strict"], { input: shop, env: service.env });
    expect([strict.code, strict.err]).toEqual([1, expect.stringContaining("slipway: nothing was started:\nNo agent")]);
    expect(service.asked.slice(posts).filter(({ url }) => url === "/api/v1/projects")).toEqual([]);
  });

  test("with lines that nobody checked is no green tick, and with --strict ends with 1", async () => {
    const service = await deployedShop();
    service.change({ checks: { passed: 3, failed: 0, not_checked: 2, waived: 0 } });
    const { code, out } = await slipway(["run", "-"], { input: shop, env: service.env });
    expect(code).toBe(0);
    expect(out).toContain("! Shop is deployed after 3 min 20 s.\n  Checks:  3 passed, 2 not checked (slipway projects");
    expect(out).toContain("  Nobody checked 2 lines of the document.\n");
    expect((await slipway(["run", "-", "--strict"], { input: shop, env: service.env })).code).toBe(1);
  });

  test("colours are used when asked for", async () => {
    const service = await deployedShop();
    const env = { ...service.env, NO_COLOR: "", FORCE_COLOR: "1" };
    expect((await slipwayProcess(["run", "-"], { input: shop, env })).out).toContain("\x1b[32m✓");
  });
});

test("texts of a service cannot control the terminal", async () => {
  const service = await new FakeService().listen();
  service.tell("project.created", { name: "\x1b]0;owned\x07\u202e\u061c", status: "", spec_url: "" });
  service.tell("agent.task_completed", { ...task, task_id: "\x1b[2J" });
  const error = { code: "\x1b[2J", message: "\x1b[2J\r\x07" };
  service.tell("project.failed", { error, phase: "\x1b[2J" }, { status: "failed", name: "\x1b[2J", error });
  const { code, out } = await slipway(["run", "-"], { input: shop, env: service.env });
  expect(code).toBe(1);
  expect(out).not.toMatch(/[\x00-\x09\x0b-\x1f\x7f\u061c\u202e]/);
});

describe("a project that fails", () => {
  test.for([
    [{ code: "no_agents_available", message: "No agents available with capabilities: [api]", phase: "implementation" }],
    [{ code: "timed_out", message: "Agent agent_1 timed out.", phase: "core", task_id: "it's" }],
    [{ code: "approval_denied", message: "No.", phase: "deployment" }],
  ] as const)("%o: ends with 1, says why and what to try next", async ([error]) => {
    const service = await new FakeService().listen();
    service.tell("project.failed", { error, phase: error.phase }, { status: "failed", error });
    const { code, out } = await slipway(["run", "-"], { input: shop, env: service.env });
    expect(code).toBe(1);
    expect(out).toContain(`✗ Failed in ${error.phase}: ${error.message}\n`);
    expect(out).toContain(`✘ Shop failed: ${error.message} [${error.code}]\n`);
    const remedy = {
      no_agents_available: `slipway projects restart ${projectId} --from-phase implementation`,
      timed_out: `slipway projects retry ${projectId} --task-id 'it'\\''s'`,
      approval_denied: "Fix what was objected to",
    }[error.code];
    expect(out).toContain(remedy);
  });
});

test("an invalid document is reported as validate does, and is not submitted", async () => {
  const service = await new FakeService().listen();
  const wrong = shop.replace("outcome_type: api", "outcome_type: apy");
  const run = await slipway(["run", "-"], { input: wrong, env: service.env });
  expect(run).toEqual(await slipway(["validate", "-"], { input: wrong }));
  expect(run.code).toBe(1);
  expect(service.asked).toEqual([]);
});

describe("a wait", () => {
  test.for(
    soakCases([
      ["approval", `slipway projects approve ${projectId}`],
      ["paused", `slipway projects resume ${projectId}`],
      ["agent", "It continues when one is free."],
      ["debug", `slipway debug ${projectId}`],
    ] as const),
  )("for %s is explained once, with how to continue", async ([waiting_for, remedy]) => {
    const service = await new FakeService().listen();
    service.change({ waiting_for, status: "implementation" });
    const running = slipway(["run", "-"], { input: shop, env: service.env });
    const reads = () => service.asked.filter(({ headers }) => headers.prefer !== undefined).length;
    await vi.waitUntil(() => reads() === 1, { timeout: 240_000 });
    service.change({ progress: 0.5 });
    await vi.waitUntil(() => reads() === 2, { timeout: 240_000 });
    service.tell(
      "project.deployed",
      { environment: "", version: "", url: "" },
      { status: "deployed", waiting_for: null },
    );
    const { code, err } = await running;
    expect(code).toBe(0);
    expect(err.split(remedy)).toHaveLength(waiting_for === "approval" ? 3 : 2);
  });
});

test("a stream that is cut off resumes where it ended", async () => {
  const service = await new FakeService().listen();
  service.tell("project.started", { phase: "planning" });
  const running = slipway(["run", "-"], { input: shop, env: service.env });
  await vi.waitUntil(() => service.asked.some(({ url }) => url.includes("/events")), { timeout: 240_000 });
  service.cutStreams();
  service.tell("project.deployed", { environment: "", version: "", url: "" }, { status: "deployed" });
  const { code, out } = await running;
  expect(code).toBe(0);
  expect(out.match(/Work started/g)).toHaveLength(1);
});

describe("it ends", () => {
  test("with 3 when the service refuses, with every reason", async () => {
    const service = await new FakeService().listen();
    const refusal = {
      ...problem(422, "invalid_document", "The document is not valid."),
      errors: [{ code: "x", message: "No such thing.", pointer: "/stack", line: 6, column: 1 }],
    };
    service.answer("POST /api/v1/projects", () => ({ status: 422, body: refusal }));
    expect(await slipway(["run", "-"], { input: shop, env: service.env })).toMatchObject({
      code: 3,
      out: "",
      err: expect.stringContaining("slipway: The document is not valid.\n  6:1: No such thing.\n"),
    });
    const json = await slipway(["run", "-", "--json"], { input: shop, env: service.env });
    expect(JSON.parse(json.out)).toEqual({ problem: refusal });
  });

  test("with 3 when the token is wrong", async () => {
    const service = await new FakeService().listen();
    const { code, err } = await slipway(["run", "-"], { input: shop, env: { ...service.env, SLIPWAY_TOKEN: "no" } });
    expect(code).toBe(3);
    expect(err).toContain("Check the token");
  });

  test("with 5 when there is no connection", async () => {
    const env = { SLIPWAY_URL: "http://slipway.invalid", SLIPWAY_TOKEN: "t" };
    const { code, err } = await slipway(["run", "-"], { input: shop, env });
    expect(code).toBe(5);
    expect(err).toContain("slipway: Cannot reach http://slipway.invalid: ");
  });

  test("with 124 when the time is up; the project continues", { tags: "long" }, async () => {
    const service = await new FakeService().listen();
    const { code, err } = await slipway(["run", "-", "--timeout", "0.03"], { input: shop, env: service.env });
    expect(code).toBe(124);
    expect(err).toContain(`The project continues. To watch it: slipway projects watch ${projectId}\n`);
  });

  test.for(
    soakCases([
      ["SIGINT", 130],
      ["SIGTERM", 143],
    ] as const),
  )("by %s with %i; the project continues", async ([signal, expected]) => {
    const service = await new FakeService().listen();
    const folder = await folderWith({ "shop.yaml": shop });
    const child = spawn(process.execPath, [launcher, "run", "shop.yaml"], {
      cwd: folder,
      env: { ...process.env, ...service.env },
      stdio: ["ignore", "ignore", "pipe"],
    });
    let err = "";
    child.stderr.setEncoding("utf8").on("data", (text: string) => {
      err += text;
    });
    await vi.waitUntil(() => service.asked.some(({ url }) => url.includes("/events")), { timeout: 240_000 });
    child.kill(signal);
    const [code] = (await once(child, "close")) as [number | null];
    expect(code).toBe(expected);
    expect(err).toContain("slipway: interrupted\nThe project continues. To watch it: ");
  });

  test.for([
    [["--timeout", "soon"], {}, "--timeout must be a number of minutes"],
    [[], { SLIPWAY_URL: "somewhere", SLIPWAY_TOKEN: "t" }, "'somewhere' is not a service address"],
    [
      [],
      { SLIPWAY_URL: "http://127.0.0.1:9", SLIPWAY_TOKEN: "" },
      "which SLIPWAY_URL names, requires a token: set SLIPWAY_TOKEN",
    ],
  ] as const)("with 2 when the call is wrong: %o %o", async ([args, env, message]) => {
    const { code, err } = await slipway(["run", "-", ...args], { input: shop, env });
    expect(code).toBe(2);
    expect(err).toContain(message);
  });
});

test("a terminal shows the project as a tree that changes in place, with its end as the last word", async () => {
  const service = await new FakeService().listen();
  service.change({ status: "implementation", current_phase: "core", progress: 0.4 });
  service.answer("GET /phases", { phases: [{ name: "core", status: "running", tasks_done: 0, tasks: 1 }] });
  const tasks = [{ task_id: "a", title: "Do \u001b[2Jit", phase: "core", role: "r", status: "running", attempts: [] }];
  service.answer("GET /tasks", { tasks: tasks.map((task) => ({ ...task, agent_id: "agent_1" })), next_cursor: null });
  service.answer("GET /api/v1/agents", { agents: [{ agent_id: "agent_1", name: "builder" }], next_cursor: null });
  const folder = await folderWith({ "shop.yaml": shop });
  // script(1) gives the command a terminal.
  const child = spawn("sh", ["-c", `exec script -qec "'${process.execPath}' '${launcher}' run shop.yaml" /dev/null`], {
    cwd: folder,
    env: { ...process.env, ...service.env, TERM: "xterm", CI: "", NO_COLOR: "1" },
    stdio: ["ignore", "pipe", "inherit"],
  });
  let out = "";
  child.stdout.setEncoding("utf8").on("data", (text: string) => {
    out += text;
  });
  await vi.waitUntil(() => /[⠋-⠿] Do \ufffd\[2Jit {2}builder/.test(out), { timeout: 240_000 });
  service.tell("project.deployed", { environment: "", version: "", url: "" }, { status: "deployed" });
  await once(child, "close");
  expect(out).toMatch(/Shop +40 % · /);
  expect(out).toContain("\x1b[0J");
  expect(out.slice(out.lastIndexOf("\x1b[0J"))).toMatch(
    /Shop is deployed after .*Project: slipway projects show proj_/s,
  );
});

test("an approval is asked for in place, and what is typed decides", async () => {
  const service = await new FakeService().listen();
  service.change({ status: "deployment", waiting_for: "approval" });
  const approval = { approval_id: "appr_1", gate: "deployment", environment: "production", status: "pending" };
  const lines = [{ pointer: "/acceptance/tone", line: 9, title: "It is friendly", reason: "", verdict: "not_checked" }];
  service.answer("GET /approvals", { approvals: [{ ...approval, deadline: "soon", lines }], next_cursor: null });
  service.answer("POST /api/v1/approvals/appr_1", () => {
    service.tell(
      "project.deployed",
      { environment: "", version: "", url: "" },
      { status: "deployed", waiting_for: null },
    );
    return { body: { ...approval, status: "approved" } };
  });
  const { code, err } = await slipway(["run", "-"], { input: shop, env: service.env, answers: ["what?", "y"] });
  expect(code).toBe(0);
  expect(err).toContain("A person must decide: deployment to production (until soon)\n  not checked: line 9  It is fr");
  expect(service.asked.find(({ url }) => url.endsWith("appr_1"))?.body).toBe('{"decision":"approve"}');
});
