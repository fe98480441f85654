import { readdirSync, readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { parseSpec, resolveSpec, type SpecDocument, secretProvider } from "../src/index.ts";

/** Its type declares no keys, so that it may have any. */
const required = `spec_version: "1.0.0"
id: shop
name: Shop
description: Sells things.
outcome_type: shop
`;
const parse = (source: string | Uint8Array) => parseSpec(source, { outcomeTypes: ["shop"] });
const valid = (extra = "") => `${required}acceptance: {}\nstack: {}\n${extra}`;

/** The document, which must have no diagnostics. */
function read(source: string): SpecDocument & Readonly<Record<string, unknown>> {
  const { document, diagnostics } = parse(source);
  expect(diagnostics).toEqual([]);
  return document as SpecDocument & Record<string, unknown>;
}

const problems = (source: string) =>
  parse(source).diagnostics.map(({ severity, code, pointer }) => [severity, code, pointer]);

describe("the examples", () => {
  const folder = new URL("../../../examples/", import.meta.url);
  const names = readdirSync(folder).filter((name) => name.endsWith(".yaml"));

  test("are there", () => {
    expect(names.length).toBeGreaterThanOrEqual(12);
  });

  test.for(names)("%s has nothing to complain of", (name) => {
    const bytes = readFileSync(new URL(name, folder));
    expect(parseSpec(bytes).diagnostics).toEqual([]);
    expect(parseSpec(bytes.toString("utf8").replaceAll("\n", "\r\n")).document).toEqual(parseSpec(bytes).document);
  });
});

describe("guardrails.security_scan", () => {
  test.for([
    ["true", "error"],
    ["false", "off"],
    ["off", "off"],
    ["warn", "warn"],
    ["error", "error"],
    ["block", "block"],
  ])("%s means %s", ([written, meant]) => {
    expect(read(valid(`guardrails: { security_scan: ${written} }\n`)).guardrails?.security_scan).toBe(meant);
    const environments = `environments: { p: { guardrails: { security_scan: ${written} } } }\n`;
    expect(resolveSpec(read(valid(environments)), "p").document.guardrails.security_scan).toBe(meant);
  });

  test.for(["yes", "1", "'true'", "strict", "[]"])("%s is refused", (written) => {
    expect(problems(valid(`guardrails: { security_scan: ${written} }\n`))).toMatchObject([
      ["error", expect.stringMatching(/^(not_allowed|wrong_type)$/), "/guardrails/security_scan"],
    ]);
  });
});

describe("two spellings of one key", () => {
  const places = [
    [
      "acceptance.http_endpoints",
      "status",
      "expected_status",
      (entry: string) => `${required}stack: {}\nacceptance: { http_endpoints: [${entry}] }\n`,
    ],
    [
      "acceptance.service_health",
      "status",
      "expected_status",
      (entry: string) => `${required}stack: {}\nacceptance: { service_health: [${entry}] }\n`,
    ],
    [
      "deployment.health_checks",
      "status",
      "expected_status",
      (entry: string) => valid(`deployment: { health_checks: [${entry}] }\n`),
    ],
  ] as const;

  test.for(places)("of %s give one: %s", ([, one, other, write]) => {
    const [first, second] = [read(write(`{ ${one}: 201 }`)), read(write(`{ ${other}: 201 }`))];
    expect(second).toEqual(first);
    expect(JSON.stringify(second)).not.toContain(other);
  });

  test.for(places)("of %s may stand side by side if they agree", ([, one, other, write]) => {
    expect(read(write(`{ ${one}: 201, ${other}: 201 }`))).toEqual(read(write(`{ ${one}: 201 }`)));
    expect(read(write(`{ ${other}: 201, ${one}: 201 }`))).toEqual(read(write(`{ ${one}: 201 }`)));
  });

  test.for(places)("of %s must not differ", ([, one, other, write]) => {
    for (const entry of [`{ ${one}: 200, ${other}: 201 }`, `{ ${other}: 201, ${one}: 200 }`])
      expect(problems(write(entry)).map(([, code]) => code)).toEqual(["conflicting_keys"]);
  });

  test("stand for what a command prints and ends with, and where a health check looks", () => {
    const command = "{ command: a, output_contains: x, expected_exit_code: 2 }";
    expect(read(`${required}stack: {}\nacceptance: { commands: [${command}] }\n`).acceptance.commands).toEqual([
      { command: "a", stdout_contains: "x", exit_code: 2 },
    ]);
    expect(read(valid("deployment: { health_checks: { endpoint: /ok } }\n")).deployment?.health_checks).toEqual({
      path: "/ok",
    });
  });

  test("are left alone where they mean nothing to us", () => {
    const document = read(valid("notes: { expected_status: 1, status: 2 }\n"));
    expect(document["notes"]).toEqual({ expected_status: 1, status: 2 });
  });

  test("are left alone in what an alias took them from", () => {
    const source = `${required}stack: {}\nnotes: &check { path: /a, expected_status: 201 }\nacceptance: { http_endpoints: [*check, *check] }\n`;
    const document = read(source);
    expect(document["notes"]).toEqual({ path: "/a", expected_status: 201 });
    expect(document.acceptance.http_endpoints).toEqual(Array(2).fill({ path: "/a", status: 201 }));
  });
});

describe("secrets.provider", () => {
  test.for([
    ["environment", { name: "environment" }],
    ["env", { name: "environment" }],
    ["env://local", { name: "environment", path: "local" }],
    ["vault", { name: "vault" }],
    ["vault://teams/shop", { name: "vault", path: "teams/shop" }],
    ["vercel://env", { name: "vercel", path: "env" }],
    ["aws-secrets-manager://", { name: "aws-secrets-manager" }],
    ["my provider", { name: "my provider" }],
    ["//odd", { name: "//odd" }],
  ] as const)("%s is read", ([written, provider]) => {
    expect(secretProvider(read(valid(`secrets: { provider: "${written}" }\n`)).secrets!.provider!)).toEqual(provider);
  });
});

describe("stack", () => {
  test("takes values of any kind", () => {
    const stack = {
      text: "a",
      number: 1.5,
      switch: true,
      nothing: null,
      list: [1, ["b", {}]],
      map: { deep: { er: [] } },
    };
    expect(read(`${required}acceptance: {}\nstack: ${JSON.stringify(stack)}\n`).stack).toEqual(stack);
  });

  test("is a map all the same", () => {
    for (const stack of ["", "node", "[node]", "1"])
      expect(problems(`${required}acceptance: {}\nstack: ${stack}\n`)).toEqual([["error", "wrong_type", "/stack"]]);
  });
});

describe("keys that nobody knows", () => {
  test("are kept at every depth", () => {
    const { document, diagnostics } = parse(`${required}
stack: {}
own_words: [1, { a: b }]
acceptance:
  own_check: { at_least: 3 }
  http_endpoints: [{ path: /a, owner: dana }]
guardrails: { own_rule: true, deployment: { own_rule: [1] } }
services: { api: { forwards: { /a: b } } }
environments: { production: { own_words: [2] } }
tasks: [{ id: a, colour: red }]
metadata: { team: a, integrations: { teams: { url: x }, slack: { emoji: ":ship:" } } }
`);
    expect(document).toMatchObject({
      own_words: [1, { a: "b" }],
      acceptance: { own_check: { at_least: 3 }, http_endpoints: [{ path: "/a", owner: "dana" }] },
      guardrails: { own_rule: true, deployment: { own_rule: [1] } },
      services: { api: { forwards: { "/a": "b" } } },
      environments: { production: { own_words: [2] } },
      tasks: [{ id: "a", colour: "red" }],
      metadata: { team: "a", integrations: { teams: { url: "x" }, slack: { emoji: ":ship:" } } },
    });
    expect(diagnostics.every(({ severity, code }) => severity === "warning" && code === "unused_key")).toBe(true);
  });

  test.for([
    ["guardrail: {}", "/guardrail", "guardrails"],
    ["guardrails: { min_coverage: 0.5 }", "/guardrails/min_coverage", "min_test_coverage"],
    ["phases: { a: { dependsOn: [] } }", "/phases/a/dependsOn", "depends_on"],
    ["deployment: { Health-Checks: true }", "/deployment/Health-Checks", "health_checks"],
    ["timeouts: { implementaton_minutes: 5 }", "/timeouts/implementaton_minutes", "implementation_minutes"],
    ["enviroments: {}", "/enviroments", "environments"],
    ["resources: { memroy_gb: 3 }", "/resources/memroy_gb", "memory_gb"],
  ] as const)("%s is kept, with a warning that tells what was probably meant", ([extra, pointer, meant]) => {
    const { document, diagnostics } = parse(valid(`${extra}\n`));
    expect(document).toBeDefined();
    expect(diagnostics).toMatchObject([
      { severity: "warning", code: "misspelled_key", pointer, suggestion: `Did you mean '${meant}'?` },
    ]);
  });

  test("do not worry anyone if they are near to none", () => {
    expect(problems(valid("theme: {}\npages: []\npwa: {}\nauth: {}\ndata_model: {}\nx: 1\n"))).toEqual([]);
  });
});

describe("anchors", () => {
  test("repeat a value, whole", () => {
    const document = read(valid("a: &a { x: [1] }\nb: *a\nc: [*a, *a]\n"));
    expect(document).toMatchObject({ a: { x: [1] }, b: { x: [1] }, c: [{ x: [1] }, { x: [1] }] });
  });

  test("are merged below what is written", () => {
    const document = read(
      valid(
        "base: &base { a: 1, b: { c: 2 } }\nother: &other { a: 9, d: 4 }\nx: { a: 0, <<: [*base, *other], e: 5 }\n",
      ),
    );
    expect(document["x"]).toEqual({ a: 0, e: 5, b: { c: 2 }, d: 4 });
  });

  test("may be used anew, and mean what they meant last", () => {
    expect(read(valid("x: [&a 1, *a, &a 2, *a]\n"))["x"]).toEqual([1, 1, 2, 2]);
  });

  test("hold values that are checked where they are used, and reported once", () => {
    const source = valid(
      "base: &base { implementation_minutes: soon }\ntimeouts: *base\nenvironments: { p: { timeouts: *base } }\n",
    );
    const found = parse(source).diagnostics;
    expect(found).toMatchObject([{ code: "wrong_type", line: 8 }]);
  });

  test("hold phases, services and steps like any other value", () => {
    const document = read(`${required}stack: {}
acceptance:
  integration_tests:
    - { name: a, steps: &steps [GET /a → 200, "POST /a -> 201"] }
    - { name: b, steps: *steps }
phases:
  a: &phase { priority: high, features: [x] }
  b: { <<: *phase, depends_on: [a] }
`);
    expect(document.phases).toEqual({
      a: { priority: "high", features: ["x"] },
      b: { priority: "high", features: ["x"], depends_on: ["a"] },
    });
    expect(document.acceptance.integration_tests?.[1]?.steps).toEqual(["GET /a → 200", "POST /a -> 201"]);
  });
});

test("a newer minor version is read, with a warning; another major is not", () => {
  const of = (version: string) => problems(valid().replace("1.0.0", version));
  expect(of("1.0.7")).toEqual([]);
  expect(of("1.4.0")).toEqual([["warning", "newer_version", "/spec_version"]]);
  expect(of("2.0.0")).toEqual([["error", "unsupported_version", "/spec_version"]]);
  expect(of("0.9.0")).toEqual([["error", "unsupported_version", "/spec_version"]]);
});

test("only the rows that the reference marks are required", () => {
  expect(problems(valid())).toEqual([]);
  const [found] = parse("{}").diagnostics;
  expect(found).toMatchObject({ code: "missing_fields", severity: "error", pointer: "" });
  for (const field of ["spec_version", "id", "name", "description", "outcome_type", "acceptance", "stack"])
    expect(found?.message).toContain(field);
});

test("JSON is YAML", () => {
  const document = { ...read(valid()), notes: { a: [1, "ä", null, true] } };
  expect(read(JSON.stringify(document))).toEqual(document);
  expect(read(JSON.stringify(document, null, "\t"))).toEqual(document);
});
