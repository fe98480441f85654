import { readdirSync, readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import {
  type PlannedTask,
  parseSpec,
  planWork,
  readTaskBreakdown,
  resolveSpec,
  summarisePlan,
  type WorkPlan,
  writeTaskBreakdown,
} from "../src/index.ts";

const head = `spec_version: "1.0.0"
id: till
name: Till
description: Sells things.
outcome_type: api
stack: {}
`;

describe("the phases", () => {
  test("without any in the document are the built-in ones, in order", () => {
    expect(plan("").phases.map(({ name, kind, dependsOn }) => [name, kind, dependsOn])).toEqual([
      ["planning", "planning", []],
      ["implementation", "work", ["planning"]],
      ["validation", "validation", ["implementation"]],
      ["deployment", "deployment", ["validation"]],
    ]);
  });

  test("of the document take the place of implementation, in the order of what they wait for, then by priority", () => {
    const { phases } = plan(`phases:
  polish: { depends_on: [core] }
  docs: { priority: low }
  core: { priority: critical, acceptance: { commands: [a] } }
`);
    expect(phases.map(({ name, dependsOn }) => [name, dependsOn])).toEqual([
      ["planning", []],
      ["core", ["planning"]],
      ["polish", ["core"]],
      ["docs", ["planning"]],
      ["validation", ["polish", "docs"]],
      ["deployment", ["validation"]],
    ]);
    expect(phases.filter(({ hasAcceptance }) => hasAcceptance).map(({ name }) => name)).toEqual(["core"]);
    expect(phases.find(({ name }) => name === "core")?.priority).toBe("critical");
  });
});

describe("the tasks", () => {
  test("of a document that names none are one to build it, between those that are built in", () => {
    expect(plan("").tasks).toMatchObject([
      { id: "plan", phase: "planning", role: "planner", dependsOn: [], estimatedHours: 1 },
      { id: "build-till", title: "Build Till", description: "Sells things.", role: "implementer" },
      { id: "validate", phase: "validation", role: "reviewer" },
      { id: "deploy", phase: "deployment", role: "deployer" },
    ]);
  });

  test("are those of the document, as it says", () => {
    const { tasks } = plan(`phases: { core: {} }
tasks:
  - { id: scan, title: Scan items, description: All of them., phase: core, role: designer, estimated_hours: 3 }
  - { title: Take the money, phase: core, depends_on: [scan] }
`);
    expect(own(tasks)).toEqual([
      {
        id: "scan",
        title: "Scan items",
        description: "All of them.",
        phase: "core",
        role: "designer",
        dependsOn: [],
        estimatedHours: 3,
        serves: [],
      },
      {
        id: "take-the-money",
        title: "Take the money",
        phase: "core",
        role: "implementer",
        dependsOn: ["scan"],
        estimatedHours: 1,
        serves: [],
      },
    ]);
  });

  test("have ids that nobody else has, whatever the document calls them", () => {
    const { tasks } = plan(`phases: { core: { features: [Scan, scan!, validate, 登录, 注册] } }
tasks: [{ title: Plan }, { id: plan, depends_on: [plan-2] }, { id: plan-2 }, { title: Scan, phase: validation }, {}]
`);
    expect(tasks.map(({ id }) => id)).toEqual([
      ...["plan", "plan-3", "plan-2", "plan-4", "task-5", "scan-2", "validate-2", "x", "x-2"],
      ...["scan", "validate", "deploy"],
    ]);
    expect(taskOf(tasks, "plan-4").dependsOn).toEqual(["plan-2"]);
  });

  test("are made of the features of a phase, unless a task of that phase has the name", () => {
    const { tasks } = plan(`phases:
  core: { features: [Login form, Sign out, login_form] }
  more: { features: [Login form], depends_on: [core] }
tasks: [{ id: login-form, phase: core }]
`);
    expect(own(tasks).map(({ id, title, phase }) => [id, title, phase])).toEqual([
      ["login-form", "login-form", "core"],
      ["sign-out", "Sign out", "core"],
      ["login-form-2", "Login form", "more"],
    ]);
  });

  test("are made of services, in the first phase and after those they depend on, unless something has the name", () => {
    const { tasks } = plan(`phases: { core: {}, later: { depends_on: [core], features: [Web] } }
services:
  web: { dependencies: [orders] }
  gateway: { dependencies: [orders, stock, web], description: The door. }
  orders: { dependencies: [stock] }
  stock: {}
tasks: [{ title: Stock, phase: core }]
`);
    expect(own(tasks).map(({ id, phase, dependsOn }) => [id, phase, dependsOn])).toEqual([
      ["stock", "core", []],
      ["orders", "core", ["stock"]],
      ["gateway", "core", ["orders", "stock"]],
      ["web", "later", []],
    ]);
    expect(taskOf(tasks, "gateway")).toMatchObject({ title: "Build the service gateway", description: "The door." });
  });

  test("of a phase in which there is nothing else are one", () => {
    const { tasks } = plan("phases: { core: { description: The heart., acceptance: { commands: [a] } } }\n");
    expect(own(tasks)).toMatchObject([{ id: "build-core", title: "Build core", description: "The heart." }]);
  });

  test("may be of the built-in phases, and come before what is done there at the end", () => {
    const { tasks } = plan(`tasks:
  - { id: audit, phase: validation, depends_on: [survey] }
  - { id: announce, phase: deployment, role: writer }
  - { id: survey, phase: planning }
`);
    expect(tasks.map(({ id, phase, role, dependsOn }) => [id, phase, role, dependsOn])).toEqual([
      ["plan", "planning", "planner", []],
      ["survey", "implementation", "implementer", []],
      ["audit", "validation", "reviewer", ["survey"]],
      ["validate", "validation", "reviewer", ["audit"]],
      ["announce", "deployment", "writer", []],
      ["deploy", "deployment", "deployer", ["announce"]],
    ]);
  });

  test("without a phase are where a feature has their name, else as early as what they wait for allows", () => {
    const { tasks } = plan(`phases:
  first: {}
  side: {}
  second: { depends_on: [first], features: [Refunds] }
  join: { depends_on: [second, side] }
tasks:
  - { id: refunds }
  - { id: free }
  - { id: after-refunds, depends_on: [refunds] }
  - { id: after-all, depends_on: [after-refunds, of-side] }
  - { id: of-side, phase: side, depends_on: [for-side] }
  - { id: for-side }
  - { id: old, phase: implementation }
`);
    expect(Object.fromEntries(own(tasks).map(({ id, phase }) => [id, phase]))).toEqual({
      refunds: "second",
      free: "first",
      "after-refunds": "second",
      "after-all": "join",
      "of-side": "side",
      "for-side": "side",
      old: "first",
    });
  });

  test("with the same title never wait for each other in a circle", () => {
    const { tasks } = plan("tasks: [{ title: a, depends_on: [b] }, { id: b, depends_on: [a] }, { title: a }]\n");
    expect(own(tasks).map(({ id, dependsOn }) => [id, dependsOn])).toEqual([
      ["a", []],
      ["b", ["a"]],
      ["a-2", []],
    ]);
  });
});

describe("the hours", () => {
  test("are the task's, else a share of what its phase has left, else one", () => {
    const { tasks } = plan(`phases:
  core: { estimated_hours: 10, features: [a, b, c] }
  spent: { estimated_hours: 2, features: [d] }
  open: { features: [e] }
tasks: [{ id: big, phase: core, estimated_hours: 4 }, { id: all, phase: spent, estimated_hours: 5 }]
`);
    const hours = Object.fromEntries(own(tasks).map(({ id, estimatedHours }) => [id, estimatedHours]));
    expect(hours).toEqual({ big: 4, a: 2, b: 2, c: 2, all: 5, d: 1, e: 1 });
  });
});

describe("a line of acceptance", () => {
  test("of a phase is served by those of its tasks that have most words in common with it", () => {
    const { tasks } = plan(`phases:
  core:
    features: [Orders, Refund of orders, Health check]
    acceptance:
      http_endpoints: [{ path: "/api/orders/{id}" }, { path: "/orders/{id}/refund?x=health" }, { path: /health }, { path: / }]
  other: { features: [Orders by mail] }
`);
    const at = (index: number) => `/phases/core/acceptance/http_endpoints/${index}`;
    expect(servesOf(tasks)).toEqual({
      orders: [at(0), at(3)],
      "refund-of-orders": [at(0), at(1), at(3)],
      "health-check": [at(2), at(3)],
    });
  });

  test("of the document is served by the work of any phase that has its words, else by that of the last phases", () => {
    const document = `phases:
  "a/b~": { features: [Orders] }
  b: { depends_on: [a/b~], features: [Mail, Search] }
acceptance:
  integration_tests: [{ name: An order is kept, steps: [GET / → 200] }]
  performance: { response_time_p95_ms: 200 }
  deployment_time_max_minutes: 5
  works_offline: true
`;
    expect(servesOf(planOf(document).tasks)).toEqual({
      orders: ["/acceptance/integration_tests/0"],
      mail: ["/acceptance/performance/response_time_p95_ms", "/acceptance/works_offline"],
      search: ["/acceptance/performance/response_time_p95_ms", "/acceptance/works_offline"],
      deploy: ["/acceptance/deployment_time_max_minutes"],
    });
  });

  test("is served by few tasks where there are very many lines", () => {
    const features = Array.from({ length: 1000 }, (_, index) => `f${index}`).join(",");
    const commands = Array.from({ length: 10_000 }, () => "a").join(",");
    const { tasks } = planOf(
      `phases: { core: { features: [${features}] } }\nacceptance: { commands: [${commands}] }\n`,
    );
    expect(tasks.reduce((sum, { serves }) => sum + serves.length, 0)).toBe(20_000);
  });
});

test("the largest plan, of phases that all wait for each other, is made and read in one go", { tags: "long" }, () => {
  const names = Array.from({ length: 300 }, (_, index) => `p${index}`);
  const phases = names.map((name, index) => `  ${name}: { depends_on: [${names.slice(0, index).join(",")}] }\n`);
  const tasks = Array.from(
    { length: 1700 },
    (_, index) => `  - { id: t${index}, depends_on: [${index > 0 ? `t${index - 1}` : ""}] }\n`,
  );
  const text = `${head}acceptance: {}\nphases:\n${phases.join("")}tasks:\n${tasks.join("")}`;
  const { document } = resolveSpec(parseSpec(text).document!);
  const largest = planWork(document);
  expect(largest.tasks.length).toBe(1700 + 299 + 3);
  expect(readTaskBreakdown(writeTaskBreakdown(largest), document)).toEqual({ plan: largest, diagnostics: [] });
  expect(summarisePlan(largest, 4).durationHours).toBe(largest.tasks.length);
});

describe("the tasks that an outcome type offers", () => {
  const offered = [
    { id: "screens", title: "Screens", depends_on: ["store", "nobody"], estimated_hours: 3 },
    { id: "store", title: "Store", description: "Keeps it." },
  ];

  test("are the work of a document that names none, and their tasks.yaml is a plan", () => {
    const tasks = own(planOf("acceptance: {}\n", offered).tasks);
    expect(tasks.map(({ id, dependsOn, estimatedHours }) => [id, dependsOn, estimatedHours])).toEqual([
      ["store", [], 1],
      ["screens", ["store"], 3],
    ]);
    const { document } = parseSpec(`${head}acceptance: {}\n`);
    const written = writeTaskBreakdown(planOf("acceptance: {}\n", offered));
    expect(own(readTaskBreakdown(written, resolveSpec(document!).document).plan!.tasks)).toEqual(tasks);
  });

  test.for(["tasks: [{ id: a, title: A }]", "phases: { one: {} }", "services: { shop: {} }"])(
    "give way to what the document names: %s",
    (extra) => {
      expect(planOf(`acceptance: {}\n${extra}\n`, offered)).toEqual(plan(`${extra}\n`));
    },
  );
});

const examples = new URL("../../../examples/", import.meta.url);
const files = readdirSync(examples).filter((name) => name.endsWith(".yaml"));

test.for(files)("the example %s has a plan", (file) => {
  const { document } = parseSpec(readFileSync(new URL(file, examples)));
  const { tasks } = planWork(resolveSpec(document!).document);
  expect(own(tasks).length).toBeGreaterThan(0);
});

function plan(extra: string): WorkPlan {
  return planOf(`acceptance: {}\n${extra}`);
}

function planOf(extra: string, offered?: Parameters<typeof planWork>[1]): WorkPlan {
  const { document, diagnostics } = parseSpec(head + extra);
  expect(diagnostics.filter(({ severity }) => severity === "error")).toEqual([]);
  return planWork(resolveSpec(document!).document, offered);
}

function own(tasks: readonly PlannedTask[]): readonly PlannedTask[] {
  return tasks.filter(({ id }) => !["plan", "validate", "deploy"].includes(id));
}

function taskOf(tasks: readonly PlannedTask[], id: string): PlannedTask {
  return tasks.find((task) => task.id === id)!;
}

function servesOf(tasks: readonly PlannedTask[]): Record<string, readonly string[]> {
  return Object.fromEntries(tasks.filter(({ serves }) => serves.length > 0).map(({ id, serves }) => [id, serves]));
}
