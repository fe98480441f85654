// @module-tag soak
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, expect, test } from "vitest";
import { soakCases } from "../../../../../tools/soak-runs.ts";
import type { AcpScript } from "../../support/agents/scripted-acp-agent.ts";
import { startScriptedModel } from "../../support/agents/scripted-model.ts";
import { approvalsOf, decide, submit, untilEnded } from "../../support/engine/follow.ts";
import { createTestApp } from "../../support/test-app.ts";
import { until } from "../../support/until.ts";

// What an agent reports of itself is input from a stranger, like any file it makes.

const key = "open-sesame/43";
process.env["REPORTS_TEST_KEY"] = key;
afterAll(() => {
  delete process.env["REPORTS_TEST_KEY"];
  rmSync(folder, { recursive: true, force: true });
});

const acpProgram = fileURLToPath(new URL("../../support/agents/scripted-acp-agent.ts", import.meta.url));
const folder = mkdtempSync(join(tmpdir(), "slipway-reports-"));
chmodSync(folder, 0o755);

/** A program that reports these lines, as Claude Code would, and changes a file. */
function declare(name: string, lines: readonly object[]) {
  const command = join(folder, name);
  const said = lines.map((line) => JSON.stringify(line).replaceAll("KEY", "'$REPORTS_TEST_KEY'"));
  const program = [
    'test "$1" = --version && echo 1 && exit',
    ...said.map((line) => `echo '${line}'`),
    "echo $$ > made.txt",
  ];
  writeFileSync(command, `#!/bin/sh\n${program.join("\n")}\n`, { mode: 0o755 });
  return { name, kind: "command", profile: "claude-code", command, env: ["REPORTS_TEST_KEY"], capabilities: [name] };
}

const uses = (name: string, input: object) => ({
  type: "assistant",
  message: { id: "1", content: [{ type: "tool_use", id: "1", name, input }] },
});

/** An agent by the Agent Client Protocol that follows a script. */
function declareAcp(name: string, script: AcpScript) {
  return {
    name,
    kind: "acp",
    command: process.execPath,
    args: [acpProgram, JSON.stringify(script)],
    capabilities: [name],
  };
}

/** More than a number holds, where it is added up. */
const outdone = [
  { type: "assistant", message: { id: "1", usage: { input_tokens: 1.7e308, cache_read_input_tokens: 1.7e308 } } },
];

const zero = "a\u0000b\ud83d";

const model = await startScriptedModel((_, index) =>
  index % 2 === 0
    ? {
        calls: [{ name: "write", input: { path: "made.txt", content: String(index) } }],
        usage: { input: 0.5, output: 1.25 },
      }
    : { text: "Done.", usage: { input: 1e-7, output: 1e300 } },
);
afterAll(() => model.close());

const app = await createTestApp({
  engine: { retryDelayMs: () => 0 },
  agents: {
    file: "slipway.yaml",
    declared: [
      declare("tells", [uses("mcp__KEY", {}), uses("Write", { file_path: "KEY.txt" })]),
      declare("boasts", [{ type: "result", usage: { input_tokens: 1e300, output_tokens: 1e300 } }]),
      declare("outdoes", [...outdone, ...outdone]),
      declare("costs", [{ type: "result", total_cost_usd: 1.7e308 }]),
      declareAcp("mumbles", {
        steps: [
          { write: "made.txt", text: "made" },
          { update: { sessionUpdate: "notice", title: zero } },
          { update: { sessionUpdate: "tool_call", toolCallId: "1", title: zero, name: zero, kind: "edit" } },
        ],
      }),
      { name: "divides", kind: "llm", url: model.baseUrl, model: "scripted", capabilities: ["divides"] },
      declareAcp("rambles", { stopReason: "it goes on and on; ", stopTimes: 50_000 }),
      declareAcp("refuses", { steps: [{ refuse: { code: -32_603, message: zero } }] }),
      {
        ...declareAcp("asks", {
          steps: [
            { ask: zero, kinds: ["allow_once", "reject_once"] },
            { write: "made.txt", text: "made" },
          ],
        }),
        permissions: "ask",
      },
    ],
  },
});

const documentFor = (capability: string) => `
spec_version: "1.0.0"
id: ${capability}
name: ${capability}
description: Reports.
outcome_type: library
stack: {}
acceptance: {}
debug: { level: debug, log_agent_actions: true }
requirements: { agents: { implementer: { capabilities: [${capability}] } } }
`;

async function runWith(capability: string) {
  const id = await submit(app, documentFor(capability));
  await untilEnded(app, id);
  const runs = await app.db.selectFrom("agent_runs").selectAll().where("project_id", "=", id).execute();
  const { lines } = (await app.call({ url: `/api/v1/projects/${id}/logs` })).json<{ lines: object[] }>();
  const error = (await app.call({ url: `/api/v1/projects/${id}` })).body;
  return { runs, log: JSON.stringify(lines), error };
}

test("a secret in the name of a tool or of a file is masked in the log and in the record", {
  tags: "long",
}, async () => {
  const { runs, log } = await runWith("tells");
  expect(log).toContain("→ mcp__********");
  expect(log).toContain("→ written ********.txt");
  expect(log + JSON.stringify(runs)).not.toContain(key);
});

test("an agent that reports absurd numbers of tokens does not fail for that", async () => {
  const { runs } = await runWith("boasts");
  expect(new Set(runs.map(({ outcome }) => outcome))).toEqual(new Set(["completed"]));
  expect(runs.find(({ input_tokens }) => input_tokens !== null)?.input_tokens).toBeLessThan(1e15);
});

test.for(soakCases(["outdoes", "divides"]))(
  "nor does one whose numbers are none, or are no whole ones (%s)",
  { tags: "long" },
  async (name) => {
    const { runs, error } = await runWith(name);
    expect(error).not.toContain("internal_error");
    expect(new Set(runs.map(({ outcome }) => outcome))).toEqual(new Set(["completed"]));
    for (const { input_tokens } of runs) expect(Number.isInteger(input_tokens ?? 0)).toBe(true);
  },
);

test("agents can be listed, whatever one of them says that it cost", { tags: "long" }, async () => {
  for (const _ of [1, 2]) await runWith("costs");
  const answer = await app.call({ url: "/api/v1/agents" });
  expect(answer.statusCode).toBe(200);
});

test("zero bytes and halves of characters in what an agent says do not fail its run", async () => {
  const { runs } = await runWith("mumbles");
  expect(runs.map(({ outcome }) => outcome)).toEqual(runs.map(() => "completed"));
  expect(runs.some(({ last_status }) => last_status?.includes("a b"))).toBe(true);
});

test("nor do they hide why it failed", { tags: "long" }, async () => {
  const { runs, error } = await runWith("refuses");
  expect(runs.some(({ outcome }) => outcome === "failed")).toBe(true);
  expect(error).toContain("answered with an error");
});

test("nor do they keep it from asking", { tags: "long" }, async () => {
  const id = await submit(app, documentFor("asks"));
  const approval = await until(async () => (await approvalsOf(app, id))[0]);
  expect(approval.question).toBe("a\ufffdb\ufffd");
  await decide(app, approval, { decision: "deny" });
  await untilEnded(app, id);
});

test("an agent that ends with a long reason fills neither its project nor the lists it stands in", {
  tags: "long",
}, async () => {
  const { error } = await runWith("rambles");
  expect(error).toContain("unknown reason: it goes on and on");
  expect(error.length).toBeLessThan(25_000);
});
