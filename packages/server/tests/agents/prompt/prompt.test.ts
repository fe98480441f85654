import { planWork, readTaskBreakdown } from "@slipway/spec";
import { describe, expect, test } from "vitest";
import { maxPromptBytes, promptFor } from "../../../src/agents/prompt/prompt.ts";
import { document, firstPointer, plan, readDocument, taskNamed } from "../../support/agents/command-agent.ts";

test("a task is told with what it serves, what the project is and what the rules are", () => {
  const task = { ...taskNamed("list-notes"), serves: [firstPointer] };
  expect(promptFor({ document, task, plan, attempt: 1 })).toMatchInlineSnapshot(`
    "You are working as the implementer on a software project: Notes (api). Nobody is there to answer questions: decide sensibly and go on until the task below is done.

    ## The task
    List notes (id: list-notes)
    Phase: implementation, 2 of 4. Role: implementer.
    Already done before it: Store notes on disk.

    ## Rules
    - The current folder is the project. Read and write only in it; nothing outside of it is kept.
    - Do not commit, and leave '.git' and the files of version control alone: your changes are collected when you end.
    - There may be no network. Where there is some, use it for nothing but what the task needs, such as packages.
    - Put no secret, key or password into a file, an output or a command line. Read them from variables at run time.
    - Start nothing that goes on running when you have ended: servers for a try are stopped again.
    - Do this task and no other: other agents work on the rest, and changes to the same places collide.
    - Write tests for what you make, and run the project's scripts before you end, as far as they are there.
    - When you end, what counts is what you have changed: the difference is judged, the scripts are run and the acceptance is checked. To say that it is done without a change is a failure.

    ## Acceptance
    The project is accepted only if these hold, which this task serves:
    - GET /notes answers 200 within 10 s, and the answer contains "[]"

    ## The project
    Keeps short notes.
    Made with:
    - language: javascript
    - runtime: node
    Scripts, run in the project's folder:
    - test: npm test
    - start: node server.js
    "
  `);
});

test("a task that waits for thousands of others reads each of them once", () => {
  let reads = 0;
  const tasks = Array.from({ length: 2_000 }, (_, at) => ({
    ...plan.tasks[0]!,
    title: `Title ${at}`,
    get id() {
      reads += 1;
      return `t${at}`;
    },
  }));
  const task = { ...taskNamed("list-notes"), dependsOn: tasks.map((_, at) => `t${1_999 - at}`) };
  const prompt = promptFor({ document, task, plan: { ...plan, tasks }, attempt: 1 });
  expect(prompt).toContain("Already done before it: Title 1999; Title 1998;");
  expect(reads).toBeLessThan(10_000);
});

test("a second attempt is told why the first one failed", () => {
  const parts = { document, task: taskNamed("store"), plan };
  const prompt = promptFor({ ...parts, attempt: 2, lastError: "nothing_changed: it\n## Rules\nchanged nothing" });
  expect(prompt).toContain(
    "An attempt before this one failed and its changes were thrown away. The reason:\n> nothing_changed: it\n> - Rules\n> changed nothing\n",
  );
  expect(promptFor({ ...parts, attempt: 4, lastError: "x" })).toContain("Attempt 3 failed");
  expect(promptFor({ ...parts, attempt: 1 })).not.toContain("What went wrong");
});

describe("a planner", () => {
  const prompt = promptFor({ document, task: taskNamed("plan"), plan, attempt: 1 });

  test("is told how tasks.yaml must look, where it goes, and what it must serve", () => {
    expect(prompt).toContain("write them to '.slipway/tasks.yaml' in the current folder");
    expect(prompt).toContain("- phase: one of implementation, validation, deployment. Required.");
    expect(prompt).toContain("each must be there by its id: store, list-notes.");
    expect(prompt).toContain(`- ${firstPointer}: GET /notes answers 200`);
    expect(prompt).toContain("You are done when '.slipway/tasks.yaml' is written.");
    expect(prompt).not.toContain("To say that it is done without a change");
  });

  test("is shown a plan that would be taken as it is", () => {
    const shown = /^tasks:\n(?: .*\n)+/m.exec(prompt)?.[0];
    expect(readTaskBreakdown(shown!, document).plan).toBeDefined();
  });
});

test("what the author wrote in keys of their own is there, but not what looks like a secret", () => {
  const own = readDocument(`
spec_version: "1.0.0"
id: shop
name: Shop
description: Sells things.
outcome_type: api
stack: {}
acceptance: {}
data_model: { item: { price: number } }
smtp: { host: mail.example, password: hunter2, api_key: k-123456 }
secrets: { required: [STRIPE_KEY] }
`);
  const prompt = promptFor({ document: own, task: planWork(own).tasks[1]!, plan: planWork(own), attempt: 1 });
  expect(prompt).toContain('"price": "number"');
  expect(prompt).toContain("The software finds these variables set when it runs: STRIPE_KEY.");
  expect(prompt).toContain('"host": "mail.example"');
  expect(prompt).not.toMatch(/hunter2|k-123456/);
});

describe("every kind of acceptance is told in words", () => {
  const all = readDocument(`
spec_version: "1.0.0"
id: all
name: All
description: All of it.
outcome_type: api
stack: {}
acceptance:
  tests: [{ type: unit, file: "test/*.js", coverage_threshold: 0.8, framework: vitest }]
  http_endpoints: [{ path: /a, method: POST, status: 201, body: { a: 1 }, auth_required: true }]
  service_health: [{ endpoint: /health, status: 200 }]
  integration_tests: [{ name: Round trip, steps: ['POST /a {"b":1} → 201', "GET /a/{id}?x=1 → 2xx"] }]
  commands:
    - { command: app --help, exit_code: 0, stdout_contains: Usage }
    - { name: app list, output_format: json, performance: { max_execution_time_ms: 500 } }
  performance: { response_time_p95_ms: 150 }
  looks_good: true
`);
  const prompt = promptFor({ document: all, task: planWork(all).tasks[0]!, plan: planWork(all), attempt: 1 });
  test.for([
    "unit tests pass (test/*.js), written with vitest, and cover 80 % of the code",
    'POST /a with the body {"a":1} (with a token) answers 201 within',
    "The software is well: /health answers 200",
    'Round trip: POST /a {"b":1} → 201, then GET /a/{id}?x=1 → 2xx',
    'The command `app --help` ends with 0 within 30 s, prints "Usage"',
    "response_time_p95_ms is at most 150 ms",
    "max_execution_time_ms of the command `app list` is at most 500 ms",
    'commands[1].output_format of the command `app list`: "json"',
    "looks_good: true",
  ])("%s", (words) => expect(prompt).toContain(words));
});

test("a prompt is never too long, and says where it was cut", () => {
  const long = { ...document, description: "ä".repeat(200_000), data_model: { notes: "ö😀".repeat(100_000) } };
  const task = { ...taskNamed("store"), description: "# Rules\n".repeat(50_000), title: "x".repeat(10_000) };
  const prompt = promptFor({ document: long, task, plan, attempt: 2, lastError: "é".repeat(100_000) });
  expect(Buffer.byteLength(prompt)).toBeLessThanOrEqual(maxPromptBytes);
  expect(prompt).toMatch(/\n… \(the rest was left out\)\n/);
  expect(prompt).toMatch(/\n… \(the rest was left out: the prompt would be too long\)\n$/);
  expect(prompt.match(/^## Rules$/gm)).toHaveLength(1);
  expect(prompt.isWellFormed()).toBe(true);
  expect(promptFor({ document: long, task, plan, attempt: 2, lastError: "é".repeat(100_000) })).toBe(prompt);
});
