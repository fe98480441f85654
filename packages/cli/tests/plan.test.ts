import { describe, expect, test } from "vitest";
import { FakeService } from "./fake-service.ts";
import { folderWith, slipway, slipwayProcess } from "./run-slipway.ts";

const shop = `spec_version: "1.0.0"
id: shop
name: Shop
description: Sells things.
outcome_type: web-app
stack: {}
acceptance:
  http_endpoints: [{ path: /orders }, { path: /health }]
phases:
  core: { priority: high, features: [Orders, Payment], acceptance: { commands: [shop pay] } }
  polish: { depends_on: [core], features: [Colours] }
tasks:
  - { id: store, phase: core, estimated_hours: 2.5, role: architect }
  - { id: orders, title: Take orders, phase: core, depends_on: [store] }
environments:
  small: { resources: { optimize_for: memory } }
`;

describe("for people", () => {
  test("the plan is a tree of phases and tasks, with the longest chain and what it adds up to", async () => {
    const { code, out, err } = await slipway(["plan", "-"], { input: shop });
    expect({ code, err }).toEqual({ code: 0, err: "" });
    const [tree, unmet] = out.split("\nThe built-in agent, which uses no model, does not use or cannot build:\n");
    expect(tree).toBe(`Shop  (web-app)

planning
└─ ● plan  Plan the work  planner
core  high, after planning
├─ ● store  architect · serves 1 check
├─ ● orders  Take orders  implementer · after store · serves 2 checks
└─ ○ payment  Payment  implementer · serves 1 check
polish  after core
└─ ● colours  Colours  implementer · serves 1 check
validation  after polish
└─ ● validate  Validate the result  reviewer
deployment  after validation
└─ ● deploy  Deploy the result  deployer

7 tasks in 5 phases, 4 at a time.
No service runs here that could say how long earlier runs took.
● The longest chain: plan → store → orders → colours → validate → deploy.
`);
    expect(unmet).toMatch(/^- line 10: \/phases\/core\/features\/0: This feature is written in words/m);
  });

  test("how long it takes is what earlier runs took, as the service that runs says", { tags: "long" }, async () => {
    const service = await new FakeService().listen();
    const estimated = async (estimate: object) => {
      service.plan = { ...service.plan, estimate };
      const { code, out } = await slipway(["plan", "-"], { input: shop, env: service.env });
      expect(code).toBe(0);
      return out;
    };
    const role = (name: string, median_ms: number) => ({
      role: name,
      agent_id: "agent_1",
      finished_tasks: 2,
      median_ms,
    });
    const roles = [role("planner", 80), role("implementer", 5_000)];
    const known = await estimated({ roles, duration_ms: 14_200 });
    expect(known).toContain("It takes about 14.2 s from start to end, if tasks take what 4 tasks here took before.\n");
    expect(known).toContain("payment  Payment  implementer · about 5 s · serves 1 check");
    expect(await estimated({ roles, duration_ms: null })).toContain("Some of its agents have done no such task here");
    const none = await estimated({ roles: [], duration_ms: null });
    expect(none).toContain("No run of this outcome type has ended here: there is no estimate yet.\n");
  });

  test("an agent of the config file gets what no rule builds, line by line, as tasks after the builder's", {
    tags: "long",
  }, async () => {
    const agents = (capabilities: string) => `agents:
  - { name: codex, kind: command, command: codex, capabilities: ${capabilities} }
`;
    const folder = await folderWith({ "able.yaml": agents("[web-app]"), "unable.yaml": agents("[cli]") });
    const plan = (config: string) =>
      slipway(["plan", "-"], { input: shop, env: { SLIPWAY_CONFIG: `${folder}/${config}` } });
    const { out } = await plan("able.yaml");
    expect(out).toContain("finish-features-of-core  Finish features of core  finisher · after store, orders, payment");
    expect(out).toContain("- line 10: /phases/core/features/0 → codex (finish-features-of-core)");
    expect(out).not.toContain("cannot build");
    expect((await plan("unable.yaml")).out).not.toContain("codex");
  });

  test("roles that no agent of the config file fills are told, with what mends it", { tags: "long" }, async () => {
    const wanting = `${shop}requirements: { agents: { architect: { capabilities: [figma] } } }\n`;
    const { out } = await slipway(["plan", "-"], { input: wanting });
    expect(out).toContain("store  architect · serves");
    expect(out).toMatch(
      /^! line 17: No agent of the config file fills the role 'architect' and has figma; 'slipway agents list' shows/m,
    );
    expect(out).toContain("= Declare one in slipway.yaml, or run 'slipway agents add --name NAME --kind worker --cap");
    const agents = "agents: [{ name: mira, kind: command, command: mira, capabilities: [figma] }]\n";
    const folder = await folderWith({ "slipway.yaml": agents });
    const filled = await slipway(["plan", "-"], { input: wanting, env: { SLIPWAY_CONFIG: `${folder}/slipway.yaml` } });
    expect(filled.out).not.toContain("No agent");
  });

  test("--strict ends with 1 for what the built-in agent would not use or cannot build", async () => {
    expect((await slipway(["plan", "-", "--strict"], { input: shop })).code).toBe(1);
    const validated = await slipway(["validate", "-", "--strict"], { input: shop });
    expect(validated.code).toBe(1);
    expect(validated.err).toContain(
      "slipway: <stdin>: the built-in agent does not use or cannot build:\n  - line 10: ",
    );
    expect((await slipway(["validate", "-"], { input: shop })).code).toBe(0);
  });

  test("--strict judges by who implements the document, as a service does", async () => {
    const typed = shop.replace("stack: {}", "stack: { language: typescript }").replace(", role: architect", "");
    const wanting = `${typed}guardrails: { type_check: true }
requirements: { agents: { implementer: { capabilities: [team] } } }\n`;
    const agents = "agents: [{ name: mira, kind: command, command: mira, capabilities: [team] }]\n";
    const env = { SLIPWAY_CONFIG: `${await folderWith({ "slipway.yaml": agents })}/slipway.yaml` };
    const planned = await slipway(["plan", "-", "--strict"], { input: wanting, env });
    expect(planned.out).not.toMatch(/cannot build|Nobody here/);
    expect(planned.code).toBe(0);
    expect(await slipway(["validate", "-", "--strict"], { input: wanting, env })).toMatchObject({ code: 0, err: "" });
    // Nobody is known to implement it: that is what is in the way.
    const alone = await slipway(["plan", "-", "--strict"], { input: wanting });
    expect(alone).toMatchObject({ code: 1, out: expect.stringContaining("fills the role 'implementer' and has team") });
    expect(alone.out).not.toContain("cannot build");
  });

  test("a program that this machine lacks, and a line that nobody can check, are told with what mends them", {
    tags: "long",
  }, async () => {
    const wanting = `${shop.replace("acceptance:", "acceptance:\n  looks_lovely: true")}scripts: { start: cobolc && mvn run }\n`;
    const { out } = await slipway(["plan", "-"], { input: wanting, env: { PATH: "/nowhere" } });
    expect(out).toContain("Before it runs here:\n");
    expect(out).toMatch(/^! line \d+: Nobody here can check this line: .*lovely/m);
  });

  test("unsupported requests that only a running service knows are not guessed", { tags: "long" }, async () => {
    const fleet = shop.replace("web-app", "fleet");
    const { code, out } = await slipway(["plan", "-", "--outcome-type", "fleet"], { input: fleet });
    expect(code).toBe(0);
    expect(out).toContain("A plugin defines this outcome type, so only the service can list what it does not support");
    const json = await slipway(["plan", "-", "--outcome-type", "fleet", "--json"], { input: fleet });
    expect(JSON.parse(json.out)).toMatchObject({ unmet: null });
  });

  test("--verbose lists the acceptance lines that each task contributes to", { tags: "long" }, async () => {
    const { out } = await slipway(["plan", "-", "--verbose"], { input: shop });
    expect(out).toContain(`serves 2 checks
│     /acceptance/http_endpoints/0
│     /phases/core/acceptance/commands/0
`);
    expect(out).toContain("└─ ● colours  Colours  implementer · serves 1 check\n      /acceptance/http_endpoints/1\n");
  });

  test("--environment plans the document as it holds there", async () => {
    const { out } = await slipway(["plan", "-", "--environment", "small"], { input: shop });
    expect(out).toContain("Shop  (web-app, small)\n");
    expect(out).toContain("7 tasks in 5 phases, one at a time.");
  });

  test("colours are used when asked for, and NO_COLOR turns them off", { tags: "long" }, async () => {
    const colored = await slipwayProcess(["plan", "-"], { input: shop, env: { NO_COLOR: "", FORCE_COLOR: "1" } });
    expect(colored.out).toContain("\x1b[33m●");
    expect((await slipwayProcess(["plan", "-"], { input: shop })).out).not.toContain("\x1b");
  });

  test("a document cannot write to the terminal", async () => {
    const hostile = shop.replace("Payment", '"\\e]0;owned\\a\\r\\u202e"').replace("name: Shop", 'name: "a\\nb"');
    const { code, out } = await slipway(["plan", "-", "--verbose"], { input: hostile });
    expect(code).toBe(0);
    expect(out).not.toMatch(/[\x00-\x09\x0b-\x1f\x7f\u202e]/);
  });
});

test("--json gives the plan in the names of the API", async () => {
  const { code, out } = await slipway(["plan", "-", "--json"], { input: shop });
  expect(code).toBe(0);
  const plan = JSON.parse(out) as { tasks: { id: string }[]; phases: unknown[]; unmet: unknown };
  expect(plan).toMatchObject({
    id: "shop",
    name: "Shop",
    outcome_type: "web-app",
    environment: null,
    summary: {
      total_hours: 8.5,
      critical_path: { tasks: ["plan", "store", "orders", "colours", "validate", "deploy"], hours: 7.5 },
      parallel_tasks: 4,
      duration_hours: 7.5,
    },
  });
  expect(plan.unmet).toContainEqual({
    pointer: "/phases/core/features/0",
    line: 10,
    reason: "This feature is written in words, which cannot be built by rule.",
  });
  expect(plan.phases[1]).toEqual({
    name: "core",
    kind: "work",
    depends_on: ["planning"],
    priority: "high",
    has_acceptance: true,
  });
  expect(plan.tasks[2]).toEqual({
    id: "orders",
    title: "Take orders",
    phase: "core",
    role: "implementer",
    depends_on: ["store"],
    estimated_hours: 1,
    serves: ["/acceptance/http_endpoints/0", "/phases/core/acceptance/commands/0"],
  });
});

describe("what is wrong with the document", () => {
  const wrong = shop.replace("web-app", "webapp");

  test("is printed as validate prints it, and ends with 1", async () => {
    const [planned, validated] = await Promise.all(
      ["plan", "validate"].map((name) => slipway([name, "-"], { input: wrong })),
    );
    expect(planned).toEqual(validated);
    expect(planned?.code).toBe(1);
    const json = await slipway(["plan", "-", "--json"], { input: wrong });
    expect(json).toEqual(await slipway(["validate", "-", "--json"], { input: wrong }));
  });

  test("but does not stop it is printed beside the plan", async () => {
    const { code, out, err } = await slipway(["plan", "-"], { input: `guardrail: {}\n${shop}` });
    expect(code).toBe(0);
    expect(err).toContain('<stdin>:1:1: warning: Unknown key "guardrail".');
    expect(out).toMatch(/^Shop {2}\(web-app\)\n/);
  });
});

test("what cannot be read, or is not one document, ends with 2", async () => {
  const folder = await folderWith({ "a.yaml": shop, "b.yaml": shop });
  const missing = await slipway(["plan", "c.yaml"], { cwd: folder });
  expect(missing).toMatchObject({ code: 2, out: "", err: "slipway: there is no file 'c.yaml'\n" });
  const several = await slipway(["plan", "*.yaml"], { cwd: folder });
  expect(several).toMatchObject({
    code: 2,
    out: "",
    err: "slipway: '*.yaml' matches 2 documents; 'slipway plan' takes one\n",
  });
});

test("slipway --help lists it", async () => {
  expect((await slipway(["--help"])).out).toMatch(/^ {2}Write documents .*\bplan\b/m);
});
