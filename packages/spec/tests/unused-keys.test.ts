import { describe, expect, test } from "vitest";
import { type JsonSchema, parseSpec } from "../src/index.ts";
import { sampleTypes } from "./support/sample-types.ts";

/** The vocabularies of the samples, as a plugin would declare them. */
const plugins = [
  {
    name: "samples",
    outcomeTypes: Object.entries<JsonSchema>(sampleTypes).map(([name, schema]) => ({ name: `my-${name}`, schema })),
  },
];
const head = (type: string) => `spec_version: "1.0.0"
id: till
name: Till
description: Sells things.
outcome_type: ${type}
plugins: [samples]
acceptance: {}
stack: {}
`;
const problems = (text: string) => parseSpec(text, { plugins }).diagnostics;

describe("in the keys of a type", () => {
  test("a misspelled key is reported in its line, with what was probably meant", () => {
    expect(problems(`${head("my-api")}data_modle: {}\n`)).toMatchObject([
      { code: "misspelled_key", line: 9, column: 1, suggestion: "Did you mean 'data_model'?" },
    ]);
  });

  test("so is a misspelled key below, and a misspelled word", () => {
    const text = `${head("my-api")}data_model:\n  issue:\n    fields:\n      state: { type: enmu, requird: true }\n`;
    expect(problems(text)).toMatchObject([
      { severity: "error", code: "not_allowed", line: 12, column: 22, suggestion: "Did you mean 'enum'?" },
      { severity: "warning", code: "misspelled_key", line: 12, column: 28, suggestion: "Did you mean 'required'?" },
    ]);
  });

  test("a key that nobody uses is a warning, in a map, in a list and in an environment", () => {
    const text = `${head("my-web-app")}pages:
  - { path: /, colour: red }
  - /about
data_model: { issue: { fields: { any_name: { type: string, tint: blue } } } }
mascot: otter
environments: { live: { mascot: seal, page: 1 } }
x-mine: { anything: 1 }
`;
    const found = problems(text);
    expect(found.map(({ code, pointer }) => [code, pointer])).toEqual([
      ["unused_key", "/pages/0/colour"],
      ["unused_key", "/data_model/issue/fields/any_name/tint"],
      ["unused_key", "/mascot"],
      ["unused_key", "/environments/live/mascot"],
      ["misspelled_key", "/environments/live/page"],
    ]);
    expect(found.every(({ severity }) => severity === "warning")).toBe(true);
  });

  test("a type that declares no keys says nothing about any", () => {
    const text = head("shop").replace("plugins: [samples]\n", "");
    expect(parseSpec(`${text}mascot: otter\n`, { outcomeTypes: ["shop"] }).diagnostics).toEqual([]);
  });
});

test("a key of other built-in types is told with their names", () => {
  const text = head("api").replace("plugins: [samples]\n", "");
  const found = parseSpec(
    `${text}gameplay: {}\npages: []\ndata_model: { a: { fields: { b: { type: enmu } } } }\n`,
  ).diagnostics;
  expect(found).toMatchObject([
    { code: "unused_key", line: 8, column: 1, message: "'gameplay' is a key of game, not of api." },
    { code: "unused_key", line: 9, column: 1, message: expect.stringMatching(/^'pages' is a key of .*web-app/) },
    { severity: "error", code: "not_allowed", line: 10, suggestion: "Did you mean 'enum'?" },
  ]);
});

describe("in the sections of every document", () => {
  test("a key that nobody uses is told, with its section, wherever that stands", () => {
    const text = `${head("api")
      .replace("plugins: [samples]\n", "")
      .replace("acceptance: {}", "acceptance: { my_check: 1, http_endpoints: [{ path: /, colour: red }] }")}deployment:
  tls: true
  regions: [eu]
  health_checks: [{ path: /health, verbose: true }]
environments:
  live:
    deployment: { regions: [us] }
    guardrails: { deployment: { moon_phase: full } }
phases: { first: { moon_phase: full } }
services: { web: { outcome_type: api, stack: { any: 1 }, moon_phase: full } }
requirements: { tools: [hammer] }
metadata: { mine: 1, integrations: { pager: {} } }
`;
    const found = parseSpec(text).diagnostics.filter(({ code }) => code === "unused_key");
    expect(found.map(({ pointer }) => pointer)).toEqual([
      "/deployment/tls",
      "/deployment/regions",
      "/deployment/health_checks/0/verbose",
      "/environments/live/deployment/regions",
      "/environments/live/guardrails/deployment/moon_phase",
      "/phases/first/moon_phase",
      "/services/web/moon_phase",
      "/requirements/tools",
      "/metadata/integrations/pager",
    ]);
    expect(found[0]).toMatchObject({
      line: 9,
      column: 3,
      message: "The key \"tls\" of 'deployment' is not used by anyone.",
      suggestion: "'slipway explain deployment' lists the keys that are. Name it 'x-…' if it is for you alone.",
    });
  });

  test("open sections, your own keys and a type that nobody knows are left alone", () => {
    const text = `${head("shop").replace("plugins: [samples]\n", "")}mascot: otter
deployment:
  x-mine: 1
  rollback: { gently: true }
  monitoring: { tool: mine }
  canary: { percent: 10 }
secrets: { config: { anything: 1 } }
dependency_overrides: { anything: "1.0.0" }
requirements: { agents: { sailor: { capabilities: [] } } }
`;
    expect(parseSpec(text, { outcomeTypes: ["shop"] }).diagnostics).toEqual([]);
  });
});
