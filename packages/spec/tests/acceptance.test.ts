// @module-tag soak
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { soakRuns } from "../../../tools/soak-runs.ts";
import {
  type AcceptanceCheck,
  acceptanceChecks,
  acceptanceLines,
  describeCheck,
  describeStatusMatch,
  type IntegrationStep,
  isStepProblem,
  matchesStatus,
  parsePerformanceLimit,
  parseSpec,
  parseStatusMatch,
  parseStep,
  resolveSpec,
  type StatusMatch,
} from "../src/index.ts";

const sound = (acceptance: string) => `spec_version: "1.0.0"
id: a
name: A
description: d
outcome_type: api
stack: {}
acceptance:
${acceptance}`;

/** The checks of an acceptance block, written as YAML. */
function checksOf(acceptance: string): readonly AcceptanceCheck[] {
  const { document, diagnostics } = parseSpec(sound(acceptance));
  expect(diagnostics.filter(({ severity }) => severity === "error")).toEqual([]);
  return acceptanceChecks(resolveSpec(document!).document.acceptance);
}

describe("the checks of an acceptance block", () => {
  test("are none of an empty one", () => {
    expect(acceptanceChecks({})).toEqual([]);
  });

  test("hold test suites, each with what it says", () => {
    expect(
      checksOf("  tests: [{ file: a.test.js }, { type: e2e, coverage_threshold: 0.5, framework: vitest }]\n"),
    ).toEqual([
      { id: "tests[0]", kind: "tests", type: "unit", file: "a.test.js" },
      { id: "tests[1]", kind: "tests", type: "e2e", coverageThreshold: 0.5, framework: "vitest" },
    ]);
  });

  test("hold endpoints, completed", () => {
    expect(checksOf("  http_endpoints: [{ path: /health }]\n")).toEqual([
      {
        id: "http_endpoints[0]",
        kind: "http_endpoint",
        method: "GET",
        path: "/health",
        status: { exactly: 200 },
        timeoutSeconds: 10,
        isAuthRequired: false,
        keepsEvidence: false,
        responseContains: [],
        headers: {},
      },
    ]);
  });

  test("hold endpoints with everything that can be said of them", () => {
    const [check] = checksOf(`  http_endpoints:
    - path: /items
      method: POST
      expected_status: 201
      timeout_seconds: 3
      auth_required: true
      debug: true
      response_contains: created
      headers: { X-A: b }
      body: { title: a }
`);
    expect(check).toEqual({
      id: "http_endpoints[0]",
      kind: "http_endpoint",
      method: "POST",
      path: "/items",
      status: { exactly: 201 },
      timeoutSeconds: 3,
      isAuthRequired: true,
      keepsEvidence: true,
      responseContains: ["created"],
      headers: { "X-A": "b" },
      body: { title: "a" },
    });
  });

  test("tell an endpoint with an empty body from one that says none", () => {
    const checks = checksOf("  http_endpoints: [{ body: null }, { body: [] }, {}]\n");
    expect(checks.map((check) => ("body" in check ? check.body : "none"))).toEqual([null, [], "none"]);
  });

  test("hold the health of services, or of the project itself", () => {
    expect(checksOf("  service_health: [{ endpoint: /ok, expected_status: 204 }, {}]\n")).toEqual([
      { id: "service_health[0]", kind: "service_health", endpoint: "/ok", status: { exactly: 204 } },
      { id: "service_health[1]", kind: "service_health", endpoint: "/health", status: { exactly: 200 } },
    ]);
    const { document } = parseSpec(`${sound("  service_health: [{ service: api }]\n")}services: { api: {} }\n`);
    expect(acceptanceChecks(resolveSpec(document!).document.acceptance)).toMatchObject([{ service: "api" }]);
  });

  test("hold integration tests, with a name even if they have none", () => {
    expect(
      checksOf("  integration_tests: [{ name: ab, steps: [GET /a → 200] }, { steps: [GET /b -> 2xx] }]\n"),
    ).toEqual([
      {
        id: "integration_tests[0]",
        kind: "integration_test",
        name: "ab",
        steps: [{ method: "GET", path: "/a", parameters: [], query: [], status: { exactly: 200 } }],
      },
      {
        id: "integration_tests[1]",
        kind: "integration_test",
        name: "integration test 2",
        steps: [{ method: "GET", path: "/b", parameters: [], query: [], status: { class: 2 } }],
      },
    ]);
  });

  test("hold steps written as a map, and those who take them", () => {
    const [check] = checksOf(`  actors:
    ada: { login: { request: POST /login, body: { name: ada }, expect: { status: 200 } }, token: /token }
    key: { headers: { X-Key: k } }
    nobody: {}
  integration_tests:
    - name: ab
      steps:
        - POST /a → 201
        - request: "PUT /a/{id}?by={who}"
          headers: { X-A: "{who}" }
          body: { owner: "{who}" }
          as: ada
          expect: { status: 2xx, contains: x, schema: { type: object }, json: { /owner/name: ada, "": { a: 1 } } }
          keep: { owner: /owner/id }
        - { request: GET /a, as: key }
`);
    expect(check).toEqual({
      id: "integration_tests[0]",
      kind: "integration_test",
      name: "ab",
      steps: [
        { method: "POST", path: "/a", parameters: [], query: [], status: { exactly: 201 } },
        {
          method: "PUT",
          path: "/a/{id}",
          parameters: ["id"],
          query: [["by", "{who}"]],
          headers: { "X-A": "{who}" },
          body: { owner: "{who}" },
          as: "ada",
          status: { class: 2 },
          contains: ["x"],
          schema: { type: "object" },
          json: [
            ["/owner/name", "ada"],
            ["", { a: 1 }],
          ],
          keep: [["owner", "/owner/id"]],
        },
        { method: "GET", path: "/a", parameters: [], query: [], as: "key", status: { class: 2 } },
      ],
      actors: {
        ada: {
          login: {
            method: "POST",
            path: "/login",
            parameters: [],
            query: [],
            body: { name: "ada" },
            status: { exactly: 200 },
          },
          token: "/token",
          headers: {},
        },
        key: { headers: { "X-Key": "k" } },
      },
    });
    expect(describeCheck(check!)).toBe(
      'ab: POST /a → 201, then PUT /a/{id}?by={who} {"owner":"{who}"} as ada with the headers {"X-A":"{who}"} → 2xx' +
        ` containing "x" with "ada" at '/owner/name' with {"a":1} at '' matching the schema {"type":"object"},` +
        " keeping '/owner/id' as {owner}, then GET /a as key → 2xx; ada logs in by POST /login" +
        ` {"name":"ada"} → 200, whose token is at '/token'; key sends the headers {"X-Key":"k"}`,
    );
  });

  test("are none of those who take steps; a phase may name those of the document", () => {
    const { document } = parseSpec(`${sound("  actors: { ada: { headers: { X-Key: k } } }\n")}phases:
  a: { acceptance: { integration_tests: [{ name: n, steps: [{ request: GET /a, as: ada }] }] } }
`);
    expect(acceptanceLines(resolveSpec(document!).document)).toMatchObject([
      { phase: "a", check: { actors: { ada: { headers: { "X-Key": "k" } } } } },
    ]);
  });

  test("hold the schema of an answer", () => {
    const schema = `{ type: [object, "null"], properties: { a: { $ref: "#/$defs/b" } }, $defs: { b: { pattern: "^a+$" } } }`;
    const [check] = checksOf(`  http_endpoints: [{ response_schema: ${schema} }]\n`);
    expect(check).toMatchObject({ responseSchema: { properties: { a: { $ref: "#/$defs/b" } } } });
    expect(describeCheck(check!)).toContain('and the answer matches the schema {"type":["object","null"]');
  });

  test("name flows in words", () => {
    const flow = "{ name: it is added, steps: [open /, { fill: { Title: Milk } }, see Milk] }";
    const [first, second] = checksOf(`  ux_flows: [${flow}, "open / → see Milk"]\n`).map(describeCheck);
    expect(first).toBe("ux_flows: it is added (open / → fill Title Milk → see Milk)");
    expect(second).toBe("ux_flows: open / → see Milk");
  });

  test("hold commands written as a line", () => {
    const commandOf = (line: string) => {
      const [check] = checksOf(`  commands: [${JSON.stringify(line)}]\n`);
      return check?.kind === "command" ? [check.command, check.exitCode] : undefined;
    };
    expect(commandOf("todo add milk → 0")).toEqual(["todo add milk", 0]);
    expect(commandOf("todo remove 99 -> 1")).toEqual(["todo remove 99", 1]);
    expect(commandOf("todo bad => 255")).toEqual(["todo bad", 255]);
    expect(commandOf("todo list")).toEqual(["todo list", 0]);
    expect(commandOf("echo a -> b")).toEqual(["echo a -> b", 0]);
    expect(commandOf("echo a -> b → 3")).toEqual(["echo a -> b", 3]);
    expect(commandOf("false → 255")).toEqual(["false", 255]);
    for (const line of ["false → 256", "false -> 1000", "false => -1"]) expect(commandOf(line)).toEqual([line, 0]);
    expect(commandOf("  spaced   →   2  ")).toEqual(["spaced", 2]);
  });

  test("hold commands written as a map", () => {
    expect(
      checksOf(`  commands:
    - { command: a, name: A is there }
    - { command: b, expected_exit_code: 2, output_contains: x, stderr_contains: [y, z], stdin: in, timeout_seconds: 5 }
`),
    ).toEqual([
      {
        id: "commands[0]",
        kind: "command",
        name: "A is there",
        command: "a",
        exitCode: 0,
        stdoutContains: [],
        stderrContains: [],
        timeoutSeconds: 30,
      },
      {
        id: "commands[1]",
        kind: "command",
        command: "b",
        exitCode: 2,
        stdoutContains: ["x"],
        stderrContains: ["y", "z"],
        stdin: "in",
        timeoutSeconds: 5,
      },
    ]);
  });

  test("hold limits of measurements, and those that cannot be read as checks by name", () => {
    expect(checksOf("  performance: { response_time_p95_ms: 200, speed: quick }\n")).toEqual([
      {
        id: "performance.response_time_p95_ms",
        kind: "performance",
        metric: "response_time_p95_ms",
        limit: { comparison: "at_most", value: 200, unit: "ms" },
      },
      { id: "performance.speed", kind: "named", name: "performance.speed", value: "quick" },
    ]);
  });

  test("hold whatever a section of limits says, as checks by name", () => {
    const check = (name: string, value: unknown) => ({ id: name, kind: "named", name, value });
    expect(
      checksOf(
        '  performance: { offline_functionality: true, battery_usage_rating: "acceptable", p: { a: 1 }, l: [1], n: }\n',
      ),
    ).toEqual([
      check("performance.offline_functionality", true),
      check("performance.battery_usage_rating", "acceptable"),
      check("performance.p", { a: 1 }),
      check("performance.l", [1]),
      check("performance.n", null),
    ]);
    expect(checksOf("  performance: as fast as it can be\n")).toEqual([check("performance", "as fast as it can be")]);
    expect(checksOf("  performance: [fast]\n")).toEqual([check("performance", ["fast"])]);
  });

  test("hold commands called by their name, and what else is said of them as lines of their own", () => {
    const document = parseSpec(
      sound(`  commands:
    - { name: weather today, exit_code: 0, output_contains: "°C", output_format: json, performance: { max_execution_time_ms: 500, memory: low } }
    - { name: A label, command: weather help, performance: quick }
`),
    ).document!;
    const lines = acceptanceLines(resolveSpec(document).document);
    expect(lines.map(({ pointer, check: { id, ...check } }) => [pointer, id, check])).toMatchObject([
      ["/acceptance/commands/0", "commands[0]", { command: "weather today", stdoutContains: ["°C"] }],
      ["/acceptance/commands/1", "commands[1]", { command: "weather help" }],
      [
        "/acceptance/commands/0/output_format",
        "commands[0].output_format",
        { kind: "named", name: "commands[0].output_format", command: "weather today", value: "json" },
      ],
      [
        "/acceptance/commands/0/performance/max_execution_time_ms",
        "commands[0].performance.max_execution_time_ms",
        { kind: "performance", command: "weather today", limit: { comparison: "at_most", value: 500, unit: "ms" } },
      ],
      [
        "/acceptance/commands/0/performance/memory",
        "commands[0].performance.memory",
        { kind: "named", name: "commands[0].performance.memory", command: "weather today", value: "low" },
      ],
      ["/acceptance/commands/1/performance", "commands[1].performance", { kind: "named", value: "quick" }],
    ]);
    expect(resolveSpec(document).document.acceptance.commands).toMatchObject([
      { command: "weather today", exit_code: 0 },
      { command: "weather help", name: "A label" },
    ]);
    expect(resolveSpec(document).document.acceptance.commands![0]).not.toHaveProperty("name");
  });

  test("hold every other key as a check by its name, whatever its value is", () => {
    expect(
      checksOf(
        "  deployment_time_max_minutes: 5\n  health_check_timeout_seconds: 30\n  accessible: { wcag: AA }\n  a list: [1]\n  nothing:\n",
      ),
    ).toEqual([
      { id: "deployment_time_max_minutes", kind: "named", name: "deployment_time_max_minutes", value: 5 },
      { id: "health_check_timeout_seconds", kind: "named", name: "health_check_timeout_seconds", value: 30 },
      { id: "accessible", kind: "named", name: "accessible", value: { wcag: "AA" } },
      { id: "a list", kind: "named", name: "a list", value: [1] },
      { id: "nothing", kind: "named", name: "nothing", value: null },
    ]);
  });

  test("hold keys that a line does not have as checks by name, wherever they are", () => {
    const checks = checksOf(`  http_endpoints:
    - { path: /notes, response_not_contains: One, x-ours: 1 }
  tests:
    - { min_tests: 5000 }
  service_health:
    - { body_contains: fine }
  integration_tests:
    - { expect: two notes, steps: [{ request: GET /notes, expect: { body_contains: Zebra } }] }
  commands:
    - { command: "true", stdout_equals: bye }`);
    expect(checks.filter(({ kind }) => kind === "named")).toEqual(
      [
        ["tests[0].min_tests", 5000],
        ["http_endpoints[0].response_not_contains", "One"],
        ["service_health[0].body_contains", "fine"],
        ["integration_tests[0].expect", "two notes"],
        ["integration_tests[0].steps[0].expect.body_contains", "Zebra"],
        ["commands[0].stdout_equals", "bye"],
      ].map(([name, value]) => ({ id: name, kind: "named", name, value })),
    );
  });

  test("hold each flow as a check of its own, in a list or a map", () => {
    const check = (id: string, value: unknown) => ({ id, kind: "named", name: id.split(/[.[]/)[0], value });
    expect(checksOf("  ux_flows: [[open /], x]\n  user_flows: { buying: [open /] }\n")).toEqual([
      check("ux_flows[0]", ["open /"]),
      check("ux_flows[1]", "x"),
      check("user_flows.buying", ["open /"]),
    ]);
    expect(checksOf("  ux_flows: x\n  user_flows: []\n")).toEqual([check("ux_flows", "x")]);
  });

  test("are as many as there are lines, each with an id of its own", () => {
    const checks = checksOf(`  tests: [{}, {}]
  http_endpoints: [{}, {}]
  service_health: [{}]
  integration_tests: [{ steps: [GET / → 200] }]
  commands: [a, b, c]
  performance: { a: 1, b: 2 }
  c: 1
`);
    expect(new Set(checks.map(({ id }) => id)).size).toBe(12);
  });
});

describe("a step", () => {
  const stepOf = (text: string) => {
    const step = parseStep(text);
    if (isStepProblem(step)) throw new Error(step.problem);
    return step;
  };
  const problemOf = (text: string) => {
    const step = parseStep(text);
    return isStepProblem(step) ? step : undefined;
  };

  test.for(["→", "->", "=>"])("may be written with %s", (arrow) => {
    const step = { method: "GET", path: "/a", parameters: [], query: [], status: { exactly: 200 } };
    expect(parseStep(`GET /a ${arrow} 200`)).toEqual(step);
    expect(parseStep(`GET /a${arrow}200`)).toEqual(step);
    expect(parseStep(`  GET   /a  ${arrow}  200 `)).toEqual(step);
  });

  test("names its method in any case", () => {
    expect(["get", "Post", "dElEtE", "OPTIONS"].map((method) => stepOf(`${method} / → 200`).method)).toEqual([
      ...["GET", "POST", "DELETE", "OPTIONS"],
    ]);
  });

  test("has its query apart from its path", () => {
    expect(stepOf("GET /a?b=c&d=e%20f&b=&g → 200")).toMatchObject({
      path: "/a",
      query: [
        ["b", "c"],
        ["d", "e f"],
        ["b", ""],
        ["g", ""],
      ],
    });
  });

  test("has parameters in braces and after colons", () => {
    expect(stepOf("GET /a/{id}/b/:name/{other-id} → 200").parameters).toEqual(["id", "name", "other-id"]);
    expect(stepOf("GET /time/12:30/{a}-{b} → 200").parameters).toEqual(["a", "b"]);
    expect(stepOf("GET /{}/: → 200").parameters).toEqual([]);
  });

  test("has a body, also with arrows and spaces in it", () => {
    expect(stepOf('POST /a {"a": "b -> c → d => e"} → 201')).toMatchObject({
      path: "/a",
      body: { a: "b -> c → d => e" },
      status: { exactly: 201 },
    });
    expect(stepOf("PUT /a [1, 2] -> 200").body).toEqual([1, 2]);
    expect(stepOf("PUT /a null -> 200")).toHaveProperty("body", null);
    expect(stepOf("GET /a -> 200")).not.toHaveProperty("body");
  });

  test("may ask for a class of statuses", () => {
    expect([stepOf("GET / → 2xx").status, stepOf("GET / → 5XX").status]).toEqual([{ class: 2 }, { class: 5 }]);
  });

  test.for([
    ["GET /a", "no arrow", "→ 200"],
    ["", "no arrow", "→ 200"],
    ["→", "not an HTTP status", "201"],
    ["GET /a →", "not an HTTP status", "201"],
    ["GET /a → 99", "not an HTTP status", "201"],
    ["GET /a → 600", "not an HTTP status", "201"],
    ["GET /a → ok", "not an HTTP status", "201"],
    ["GET → 200", "no method and path", "GET /path"],
    ["→ 200", "no method and path", "GET /path"],
    ["GTE /a → 200", "not an HTTP method", "'GET'"],
    ["FETCH /a → 200", "not an HTTP method", "GET, HEAD"],
    ["GET a → 200", "does not start with '/'", "root"],
    ["GET https://a.example/b → 200", "does not start with '/'", "root"],
    ["POST /a {title: b} → 200", "not valid JSON", "JSON body"],
  ] as const)("%j is refused with the reason", ([text, problem, suggestion]) => {
    expect(problemOf(text)?.problem).toContain(problem);
    expect(problemOf(text)?.suggestion).toContain(suggestion);
  });

  test("of any text is read or told what is wrong with it", () => {
    const parts = [
      "GET",
      "post",
      " ",
      "/a",
      "{id}",
      "?",
      "=",
      "→",
      "->",
      "=>",
      "200",
      "2xx",
      "{",
      "}",
      '"',
      "[1]",
      "\n",
      "\ud800",
    ];
    const mixed = fc.array(fc.constantFrom(...parts), { maxLength: 12 }).map((some) => some.join(""));
    fc.assert(
      fc.property(fc.oneof(mixed, fc.string({ unit: "binary" })), (text) => {
        const step = parseStep(text);
        if (isStepProblem(step)) expect([step.problem, step.suggestion]).not.toContain("");
        else expect(step.path.startsWith("/")).toBe(true);
      }),
      { numRuns: soakRuns(300) },
    );
  });

  test("that is printed is read as the same", () => {
    fc.assert(
      fc.property(anyStep, fc.constantFrom("→", "->", "=>"), (step, arrow) => {
        expect(parseStep(print(step, arrow))).toEqual(step);
      }),
      { numRuns: soakRuns(300) },
    );
  });

  const name = fc.stringMatching(/^[a-z][a-z0-9_]{0,5}$/);
  const segment = fc.oneof(
    fc.stringMatching(/^[a-zA-Z0-9._~-]{1,6}$/).map((text) => ({ text, parameter: undefined })),
    name.map((parameter) => ({ text: `{${parameter}}`, parameter })),
    name.map((parameter) => ({ text: `:${parameter}`, parameter })),
  );
  const body = fc.option(fc.jsonValue(), { nil: undefined });
  const anyStep: fc.Arbitrary<IntegrationStep> = fc
    .record({
      method: fc.constantFrom("GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"),
      segments: fc.array(segment, { maxLength: 4 }),
      query: fc.array(fc.tuple(name, fc.string({ unit: "grapheme", maxLength: 6 })), { maxLength: 3 }),
      body,
      status: fc.oneof(
        fc.integer({ min: 100, max: 599 }).map((exactly): StatusMatch => ({ exactly })),
        fc.constantFrom(1, 2, 3, 4, 5).map((hundreds): StatusMatch => ({ class: hundreds })),
      ),
    })
    .map(({ method, segments, query, body: sent, status }) => ({
      method,
      path: `/${segments.map(({ text }) => text).join("/")}`,
      parameters: segments.flatMap(({ parameter }) => parameter ?? []),
      query,
      ...(sent !== undefined && { body: JSON.parse(JSON.stringify(sent)) as unknown }),
      status,
    }));

  function print({ method, path, query, status, ...rest }: IntegrationStep, arrow: string): string {
    const search = query.length === 0 ? "" : `?${new URLSearchParams(query.map(([key, value]) => [key, value]))}`;
    const sent = "body" in rest ? ` ${JSON.stringify(rest.body)}` : "";
    return `${method} ${path}${search}${sent} ${arrow} ${describeStatusMatch(status)}`;
  }
});

describe("a status", () => {
  test("is one, or a class", () => {
    expect(["200", "599", "100", "2xx", "4XX"].map(parseStatusMatch)).toEqual([
      { exactly: 200 },
      { exactly: 599 },
      { exactly: 100 },
      { class: 2 },
      { class: 4 },
    ]);
    for (const text of ["", "0", "99", "600", "6xx", "20x", "2xxx", "2000", " 200", "200 "])
      expect(parseStatusMatch(text)).toBeUndefined();
  });

  test("matches itself, and a class all of its hundred", () => {
    expect([matchesStatus({ exactly: 201 }, 201), matchesStatus({ exactly: 201 }, 200)]).toEqual([true, false]);
    expect([199, 200, 299, 300].map((status) => matchesStatus({ class: 2 }, status))).toEqual([
      false,
      true,
      true,
      false,
    ]);
  });

  test("that is described is read as the same", () => {
    fc.assert(
      fc.property(fc.integer({ min: 100, max: 599 }), fc.boolean(), (status, isClass) => {
        const match = parseStatusMatch(isClass ? `${Math.floor(status / 100)}xx` : String(status))!;
        expect(parseStatusMatch(describeStatusMatch(match))).toEqual(match);
        expect(matchesStatus(match, status)).toBe(true);
      }),
    );
  });
});

describe("a limit of a measurement", () => {
  test.for([
    ["response_time_p95_ms", 200, { comparison: "at_most", value: 200, unit: "ms" }],
    ["startup_seconds", 3, { comparison: "at_most", value: 3, unit: "seconds" }],
    ["bundle_size_kb", 250, { comparison: "at_most", value: 250, unit: "kb" }],
    ["error_rate", 0.01, { comparison: "at_most", value: 0.01 }],
    ["requests_per_second", 300, { comparison: "at_least", value: 300, unit: "per second" }],
    ["rps", 300, { comparison: "at_least", value: 300, unit: "per second" }],
    ["lighthouse_score", 90, { comparison: "at_least", value: 90 }],
    ["uptime_percent", 99.9, { comparison: "at_least", value: 99.9, unit: "percent" }],
    ["concurrent_users", 50, { comparison: "at_least", value: 50 }],
    ["min_fps", 30, { comparison: "at_least", value: 30 }],
    ["accuracy", 0.8, { comparison: "at_least", value: 0.8 }],
    ["roc_auc", 0.8, { comparison: "at_least", value: 0.8 }],
    ["log_loss", 0.3, { comparison: "at_most", value: 0.3 }],
  ] as const)("%s: %s is a number whose name tells direction and unit", ([metric, limit, expected]) => {
    expect(parsePerformanceLimit(metric, limit)).toEqual(expected);
  });

  test.for([
    ["response_time", "< 200 ms", { comparison: "at_most", value: 200, unit: "ms" }],
    ["response_time", "<=200ms", { comparison: "at_most", value: 200, unit: "ms" }],
    ["response_time", "≤ 1.5 s", { comparison: "at_most", value: 1.5, unit: "s" }],
    ["response_time", " 200 ", { comparison: "at_most", value: 200 }],
    ["response_time_ms", "200", { comparison: "at_most", value: 200, unit: "ms" }],
    ["throughput", ">= 300 rps", { comparison: "at_least", value: 300, unit: "rps" }],
    ["throughput", "≥300 req/s", { comparison: "at_least", value: 300, unit: "req/s" }],
    ["throughput", "300", { comparison: "at_least", value: 300 }],
    ["cpu", "> 5 %", { comparison: "at_least", value: 5, unit: "%" }],
    ["throughput", "< 5", { comparison: "at_most", value: 5 }],
  ] as const)("%s: %j is a text that tells them itself", ([metric, limit, expected]) => {
    expect(parsePerformanceLimit(metric, limit)).toEqual(expected);
  });

  test.for(["", "fast", "< ", "200 ms or so", "-5", "1e3", "1,000", "== 5"])("%j is none", (text) => {
    expect(parsePerformanceLimit("a", text)).toBeUndefined();
  });

  test("of any text is read or is none", () => {
    fc.assert(
      fc.property(fc.string(), fc.oneof(fc.string({ unit: "binary" }), fc.double()), (metric, limit) => {
        const parsed = parsePerformanceLimit(metric, limit);
        if (parsed !== undefined) expect(["at_most", "at_least"]).toContain(parsed.comparison);
      }),
    );
  });
});
