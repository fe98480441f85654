import { afterAll, expect, test } from "vitest";
import { startScriptedModel } from "../../support/agents/scripted-model.ts";
import { submit, untilEnded } from "../../support/engine/follow.ts";
import { createTestApp } from "../../support/test-app.ts";

process.env["RECORDS_TEST_KEY"] = "open-sesame/43";
afterAll(() => {
  delete process.env["RECORDS_TEST_KEY"];
});

const model = await startScriptedModel((_, index) =>
  index === 0 ? { calls: [{ name: "write", input: { path: "made.txt", content: "made" } }] } : undefined,
);
afterAll(() => model.close());

const app = await createTestApp({
  engine: { retryDelayMs: () => 0 },
  agents: {
    file: "slipway.yaml",
    declared: [
      {
        name: "thinks",
        kind: "llm",
        url: model.baseUrl,
        model: "tiny",
        key_env: "RECORDS_TEST_KEY",
        capabilities: ["thinks"],
        limits: { tokens: 5_000 },
      },
      { name: "types", kind: "command", command: "sh", args: ["-c", "echo $$ > made.txt"], capabilities: ["types"] },
      { name: "breaks", kind: "command", command: "sh", args: ["-c", "exit 3"], capabilities: ["breaks"] },
    ],
  },
});

async function runWith(capability: string) {
  const id = await submit(
    app,
    `
spec_version: "1.0.0"
id: ${capability}
name: ${capability}
description: "Says open-sesame/43."
outcome_type: library
stack: {}
acceptance: {}
timeouts: { implementation_minutes: 7 }
requirements: { agents: { implementer: { capabilities: [${capability}] } } }
`,
  );
  await untilEnded(app, id);
  const agent = app.db.selectFrom("agents").select("id").where("name", "=", capability);
  const query = app.db.selectFrom("agent_runs").selectAll().where("project_id", "=", id);
  return query.where("agent_id", "=", agent).orderBy("number").execute();
}

test("what an agent was given for an attempt is kept, and what it used", async () => {
  const [run, ...others] = await runWith("thinks");
  expect(others).toEqual([]);
  expect(run).toMatchObject({
    number: 1,
    node: expect.stringMatching(/^node_/),
    attempt_id: expect.stringMatching(/^\d+-1$/),
    base_commit: expect.stringMatching(/^[0-9a-f]{40}$/),
    limits: { minutes: 7, idle_minutes: 10, tokens: 5_000, cost_usd: null, memory_bytes: expect.any(Number) },
    handle: null,
    last_status: expect.any(String),
    input_tokens: 200,
    output_tokens: 20,
    cost_usd: null,
    started_at: expect.any(Date),
    ended_at: expect.any(Date),
    outcome: "completed",
  });
  expect(run?.prompt).toContain("working as the implementer");
});

test("no secret is kept, though the document names it", async () => {
  const [run] = await runWith("thinks");
  expect(run?.prompt).toContain("Says ********.");
  expect(JSON.stringify(run)).not.toContain("open-sesame");
});

test("what an agent does not tell of its use is unknown, and not nothing", { tags: "long" }, async () => {
  expect(await runWith("types")).toMatchObject([{ input_tokens: null, output_tokens: null, cost_usd: null }]);
});

test("each attempt has a record of its own", { tags: "long" }, async () => {
  const runs = await runWith("breaks");
  expect(runs.map(({ number, outcome }) => `${number} ${outcome}`)).toEqual(["1 failed", "2 failed", "3 failed"]);
  expect(runs[1]?.prompt).toContain("What went wrong before");
});
