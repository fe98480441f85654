import { readdirSync, readFileSync } from "node:fs";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { defaultEnvironment, parseSpec, resolveSpec, type SpecDocument } from "../src/index.ts";

const required = `spec_version: "1.0.0"
id: shop
name: Shop
description: Sells things.
outcome_type: api
`;

function documentOf(extra: string): SpecDocument {
  const { document, diagnostics } = parseSpec(required + extra);
  expect(diagnostics.filter(({ severity }) => severity === "error")).toEqual([]);
  return document!;
}

const bare = documentOf("acceptance: {}\nstack: {}\n");

const folder = new URL("../../../examples/", import.meta.url);
const examples = readdirSync(folder)
  .filter((name) => name.endsWith(".yaml"))
  .map((name) => [name, parseSpec(readFileSync(new URL(name, folder), "utf8")).document!] as const);

describe("an environment", () => {
  const document = documentOf(`acceptance:
  http_endpoints: [{ path: /a }, { path: /b }]
  performance: { response_time_p95_ms: 200, error_rate: 0.01 }
stack: { language: javascript, database: { kind: sqlite, file: a.db }, tools: [a, b] }
guardrails: { min_test_coverage: 0.8, deployment: { rollback_timeout_minutes: 5, human_approval_required: [production] } }
secrets: { provider: vault, required: [A, B] }
house_rules: { tone: kind, limits: { words: 100 } }
environments:
  staging: { stack: { tools: [c] } }
  production:
    auto_deploy: false
    branch_trigger: release
    requires_approval: true
    approvers: [dana]
    stack: { database: { kind: postgres }, tools: [d], region: eu }
    guardrails: { deployment: { human_approval_required: true } }
    secrets: { required: [C] }
    acceptance: { http_endpoints: [{ path: /c }], performance: { response_time_p95_ms: 100 } }
    house_rules: { limits: { words: 50, lines: 5 } }
    on_call: dana
`);
  const production = resolveSpec(document, "production");

  test("overrides maps deeply", () => {
    expect(production.document.stack).toMatchObject({
      language: "javascript",
      database: { kind: "postgres", file: "a.db" },
      region: "eu",
    });
    expect(production.document.guardrails).toMatchObject({
      min_test_coverage: 0.8,
      deployment: { rollback_timeout_minutes: 5, human_approval_required: true },
    });
    expect(production.document.acceptance.performance).toEqual({ response_time_p95_ms: 100, error_rate: 0.01 });
  });

  test("replaces lists as a whole", () => {
    expect(production.document.stack["tools"]).toEqual(["d"]);
    expect(production.document.secrets).toMatchObject({ provider: "vault", required: ["C"] });
    expect(production.document.acceptance.http_endpoints).toMatchObject([{ path: "/c", method: "GET" }]);
  });

  test("overrides and adds keys that nobody knows", () => {
    expect(production.document).toMatchObject({
      house_rules: { tone: "kind", limits: { words: 50, lines: 5 } },
      on_call: "dana",
    });
  });

  test("keeps its switches to itself", () => {
    expect(production.environment).toEqual({
      name: "production",
      auto_deploy: false,
      branch_trigger: "release",
      requires_approval: true,
      approvers: ["dana"],
    });
    for (const key of ["auto_deploy", "branch_trigger", "requires_approval", "approvers"]) {
      expect(production.document).not.toHaveProperty(key);
    }
  });

  test("has its switches off if it does not say", () => {
    const { environment } = resolveSpec(document, "staging");
    expect(environment).toEqual({ name: "staging", auto_deploy: false, requires_approval: false, approvers: [] });
  });

  test("leaves the blocks of all environments as they are written", () => {
    expect(production.document.environments).toEqual(document.environments);
  });

  test("does not reach into another one", () => {
    expect(resolveSpec(document, "staging").document.stack).toMatchObject({
      tools: ["c"],
      database: { kind: "sqlite" },
    });
  });

  test("cannot change which document it is", () => {
    const changed = documentOf(`acceptance: {}
stack: {}
environments: { production: { id: other, name: Other, description: x, outcome_type: cli, spec_version: "1.5.0", plugins: [x] } }
`);
    expect(resolveSpec(changed, "production").document).toMatchObject({
      ...{ id: "shop", name: "Shop", description: "Sells things.", outcome_type: "api", spec_version: "1.0.0" },
    });
    expect(resolveSpec(changed, "production").document).not.toHaveProperty("plugins");
  });

  test("that does not exist cannot be resolved", () => {
    expect(() => resolveSpec(document, "prod")).toThrow("no environment 'prod'");
    expect(() => resolveSpec(document, "toString")).toThrow("no environment 'toString'");
    expect(() => resolveSpec(bare, "production")).toThrow("no environment 'production'");
  });
});

describe("without a name", () => {
  const withEnvironments = (blocks: string) => documentOf(`acceptance: {}\nstack: {}\nenvironments: ${blocks}\n`);

  test("it is the first environment that deploys by itself", () => {
    const document = withEnvironments(
      "{ a: {}, b: { auto_deploy: false }, c: { auto_deploy: true }, d: { auto_deploy: true } }",
    );
    expect(defaultEnvironment(document)).toBe("c");
    expect(resolveSpec(document).environment?.name).toBe("c");
  });

  test("it is the top level if none deploys by itself", () => {
    for (const document of [bare, withEnvironments("{}"), withEnvironments("{ a: {}, b: { auto_deploy: false } }")]) {
      expect(defaultEnvironment(document)).toBeUndefined();
      expect(resolveSpec(document)).not.toHaveProperty("environment");
    }
  });
});

describe("defaults", () => {
  test("are those of the reference where nothing is said", () => {
    expect(resolveSpec(bare).document).toMatchObject({
      timeouts: { implementation_minutes: 30, test_execution_minutes: 10 },
      resources: { memory_gb: 2, cpu_cores: 1, optimize_for: "speed" },
      performance: { parallel_tasks: 4, cache_dependencies: true, optimize_builds: false },
      network: {
        timeouts: { connect_seconds: 5, read_seconds: 30 },
        retries: { max_attempts: 3, backoff_factor: 2 },
      },
      debug: { level: "info", log_agent_actions: false, log_api_calls: false, save_intermediate_files: false },
      guardrails: {
        tests_required: false,
        performance_tests: false,
        security_tests: false,
        security_scan: "warn",
        deployment: {
          tests_required: false,
          security_scan_required: false,
          rollback_timeout_minutes: 10,
          health_check_retries: 3,
        },
      },
      secrets: { provider: "environment", required: [] },
      deployment: { strategy: "blue_green" },
    });
  });

  test("make no lines of acceptance, no phases, services, tasks or integrations", () => {
    const { document } = resolveSpec(bare);
    expect(document.acceptance).toEqual({});
    expect(document.stack).toEqual({});
    for (const key of [
      "phases",
      "services",
      "tasks",
      "environments",
      "scripts",
      "metadata",
      "requirements",
      "plugins",
    ]) {
      expect(document).not.toHaveProperty(key);
    }
  });

  test("complete what is only begun", () => {
    const { document } = resolveSpec(
      documentOf(`stack: {}
acceptance:
  tests: [{ file: a.js }]
  http_endpoints: [{ path: /a }, {}]
  service_health: [{}]
  integration_tests: [{ steps: [GET / → 200] }]
  commands: [./a → 1, { command: ./b }]
timeouts: { implementation_minutes: 5 }
network: { retries: { max_attempts: 1 } }
deployment: { health_checks: [{ service: a }] }
services: { a: {} }
phases: { build: { acceptance: { http_endpoints: [{}] } } }
tasks: [{ id: t }]
requirements: { agents: { reviewer: {} } }
metadata: { integrations: { slack: { notifications: { errors: false } }, jira: {} } }
`),
    );
    const endpoint = { path: "/", method: "GET", status: 200, timeout_seconds: 10, auth_required: false, debug: false };
    expect(document.acceptance).toEqual({
      tests: [{ file: "a.js", type: "unit" }],
      http_endpoints: [{ ...endpoint, path: "/a" }, endpoint],
      service_health: [{ endpoint: "/health", status: 200 }],
      integration_tests: [{ steps: ["GET / → 200"] }],
      commands: ["./a → 1", { command: "./b", exit_code: 0, timeout_seconds: 30 }],
    });
    expect(document.timeouts).toEqual({ implementation_minutes: 5, test_execution_minutes: 10 });
    expect(document.network.retries).toEqual({ max_attempts: 1, backoff_factor: 2 });
    expect(document.deployment.health_checks).toEqual([
      { service: "a", path: "/health", status: 200, interval_seconds: 5, timeout_seconds: 5 },
    ]);
    expect(document.services).toEqual({
      a: { ports: [], dependencies: [], events_published: [], events_consumed: [] },
    });
    expect(document.phases).toEqual({
      build: { priority: "medium", features: [], depends_on: [], acceptance: { http_endpoints: [endpoint] } },
    });
    expect(document.tasks).toEqual([{ id: "t", depends_on: [] }]);
    expect(document.requirements).toEqual({ agents: { reviewer: { capabilities: [], preferred: [] } } });
    expect(document.metadata).toEqual({
      integrations: {
        slack: {
          notifications: { project_started: false, phase_completed: false, deployment_successful: true, errors: false },
        },
        jira: { issue_type: "Task", create_tickets: false },
      },
    });
  });

  test("complete what an environment only begins", () => {
    const document = documentOf(
      "acceptance: {}\nstack: {}\nenvironments: { p: { timeouts: { implementation_minutes: 9 }, acceptance: { http_endpoints: [{}] } } }\n",
    );
    const resolved = resolveSpec(document, "p").document;
    expect(resolved.timeouts).toEqual({ implementation_minutes: 9, test_execution_minutes: 10 });
    expect(resolved.acceptance.http_endpoints).toMatchObject([{ method: "GET", status: 200 }]);
  });

  test("are reported each with its pointer", () => {
    const { defaults } = resolveSpec(
      documentOf("acceptance: { http_endpoints: [{ path: /a, method: PUT }] }\nstack: {}\nphases: { a/b: {} }\n"),
    );
    expect(defaults).toEqual(
      expect.arrayContaining([
        { pointer: "/timeouts/implementation_minutes", value: 30 },
        { pointer: "/resources/memory_gb", value: 2 },
        { pointer: "/guardrails/deployment/health_check_retries", value: 3 },
        { pointer: "/acceptance/http_endpoints/0/status", value: 200 },
        { pointer: "/phases/a~1b/priority", value: "medium" },
        { pointer: "/phases/a~1b/depends_on", value: [] },
      ]),
    );
    const pointers = defaults.map(({ pointer }) => pointer);
    expect(pointers).not.toContain("/acceptance/http_endpoints/0/method");
    expect(new Set(pointers).size).toBe(pointers.length);
  });
});

describe.for(examples)("%s", ([, document]) => {
  const environments = [undefined, ...Object.keys(document.environments ?? {})];

  test("keeps everything that its top level says", () => {
    const { environments: _, ...top } = document;
    const { document: resolved } = resolveSpec(top);
    for (const { pointer, value } of leavesOf(top)) expect([pointer, at(resolved, pointer)]).toEqual([pointer, value]);
  });

  test("keeps everything that an environment says", () => {
    for (const [name, block] of Object.entries(document.environments ?? {})) {
      const { auto_deploy, branch_trigger, requires_approval, approvers, ...overrides } = block;
      const { document: resolved, environment } = resolveSpec(document, name);
      expect(environment).toMatchObject(
        JSON.parse(JSON.stringify({ auto_deploy, branch_trigger, requires_approval, approvers })),
      );
      for (const { pointer, value } of leavesOf(overrides))
        expect([pointer, at(resolved, pointer)]).toEqual([pointer, value]);
    }
  });

  test("has each reported default at its pointer, and did not set it itself", () => {
    const { document: resolved, defaults } = resolveSpec(document);
    for (const { pointer, value } of defaults) {
      expect([pointer, at(resolved, pointer)]).toEqual([pointer, value]);
    }
    const written = new Set(leavesOf(document).map(({ pointer }) => pointer));
    expect(defaults.filter(({ pointer }) => written.has(pointer))).toEqual([]);
  });

  test("has nothing left open once it is resolved", () => {
    for (const environment of environments) {
      const once = resolveSpec(document, environment);
      const twice = resolveSpec(once.document as SpecDocument, environment);
      expect(twice.defaults).toEqual([]);
      expect(twice).toEqual({ ...once, defaults: [] });
    }
  });

  test("is not changed by being resolved", () => {
    const before = structuredClone(document);
    for (const environment of environments) resolveSpec(document, environment);
    expect(document).toEqual(before);
  });
});

test("changing one result does not change the next", () => {
  const first = resolveSpec(bare).document as unknown as { secrets: { required: string[] }; debug: { level: string } };
  first.secrets.required.push("X");
  first.debug.level = "off";
  expect(resolveSpec(bare).document).toMatchObject({ secrets: { required: [] }, debug: { level: "info" } });
});

describe("any environment", () => {
  const plain = fc
    .jsonValue({ maxDepth: 4 })
    .map((value) => JSON.parse(JSON.stringify(value).replaceAll("__proto__", "proto")) as unknown);
  const map = fc.dictionary(
    fc.string({ minLength: 1, maxLength: 3 }).filter((key) => key !== "__proto__"),
    plain,
    { maxKeys: 4 },
  );

  test("wins wherever it says something, and nowhere else", () => {
    fc.assert(
      fc.property(map, map, (base, over) => {
        const document = { ...bare, notes: base, environments: { p: { notes: over } } } as unknown as SpecDocument;
        const { notes } = resolveSpec(document, "p").document as unknown as { notes: unknown };
        expect(notes).toEqual(merged(base, over));
      }),
      { numRuns: 300 },
    );
  });

  test("changes neither itself nor what it overrides", () => {
    fc.assert(
      fc.property(map, map, (base, over) => {
        const document = { ...bare, notes: base, environments: { p: { notes: over } } } as unknown as SpecDocument;
        const before = structuredClone(document);
        resolveSpec(document, "p");
        expect(document).toEqual(before);
      }),
      { numRuns: 100 },
    );
  });

  function merged(base: unknown, over: unknown): unknown {
    if (!isMap(base) || !isMap(over)) return over;
    const keys = new Set([...Object.keys(base), ...Object.keys(over)]);
    return Object.fromEntries(
      [...keys].map((key) => [
        key,
        !(key in over) ? base[key] : key in base ? merged(base[key], over[key]) : over[key],
      ]),
    );
  }
});

function isMap(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Every value that holds no others, with its JSON Pointer. */
function leavesOf(value: unknown, pointer = ""): { pointer: string; value: unknown }[] {
  if (Array.isArray(value)) return value.flatMap((item, index) => leavesOf(item, `${pointer}/${index}`));
  if (!isMap(value)) return [{ pointer, value }];
  return Object.entries(value).flatMap(([key, item]) =>
    leavesOf(item, `${pointer}/${key.replaceAll("~", "~0").replaceAll("/", "~1")}`),
  );
}

function at(value: unknown, pointer: string): unknown {
  const keys = pointer.split("/").slice(1);
  return keys.reduce<unknown>((inner, key) => {
    return (inner as Record<string, unknown>)[key.replaceAll("~1", "/").replaceAll("~0", "~")];
  }, value);
}
