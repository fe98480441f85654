import { execFileSync } from "node:child_process";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { homedir } from "node:os";
import { join } from "node:path";
import type { Agent, LogPage, Project } from "@slipway/contract";
import { sql } from "kysely";
import { afterAll, describe, expect, test } from "vitest";
import { startScriptedModel } from "../support/agents/scripted-model.ts";
import { submit, untilEnded } from "../support/engine/follow.ts";
import { createTestApp } from "../support/test-app.ts";
import { type Behaviour, behaving } from "./behaviours.ts";
import { installAgents } from "./install-agents.ts";

const programs = installAgents();
const model = await startScriptedModel(behaving);
afterAll(() => model.close());

// Not among temporary files: there it would not put its helpers.
await mkdir(join(homedir(), ".cache"), { recursive: true });
const codexHome = await mkdtemp(join(homedir(), ".cache", "slipway-codex-"));
afterAll(() => rm(codexHome, { recursive: true, force: true }));
await writeFile(
  join(codexHome, "config.toml"),
  `model = "scripted"
model_provider = "mock"
[model_providers.mock]
name = "mock"
base_url = "${model.baseUrl}"
wire_api = "responses"
env_key = "MOCK_LOGIN"
`,
);
const secret = "open-sesame/44";
Object.assign(process.env, { CODEX_HOME: codexHome, MOCK_LOGIN: secret });
afterAll(() => {
  delete process.env["CODEX_HOME"];
  delete process.env["MOCK_LOGIN"];
});

const minuteMs = 1_000;
const idle = { idle_minutes: 8 };
const declared = [
  {
    name: "command",
    kind: "command",
    profile: "codex",
    command: join(programs, "codex"),
    env: ["MOCK_LOGIN"],
    limits: idle,
  },
  {
    name: "acp",
    kind: "acp",
    command: join(programs, "codex-acp"),
    env: ["MOCK_LOGIN", "CODEX_HOME"],
    mode: "agent-full-access",
    limits: idle,
  },
  {
    name: "llm",
    kind: "llm",
    url: model.baseUrl,
    model: "scripted",
    key_env: "MOCK_LOGIN",
    limits: { ...idle, tokens: 3_000 },
  },
].map((agent) => ({ ...agent, capabilities: [agent.name], slots: 2 }));

const app = await createTestApp({
  engine: { retryDelayMs: () => 0, minuteMs },
  agents: { file: "slipway.yaml", declared },
});

async function runWith(agent: string, behaviour: Behaviour, more = ""): Promise<Project> {
  const id = await submit(
    app,
    `
spec_version: "1.0.0"
id: ${agent}-${behaviour}
name: a project that ${behaviour}
description: Work for a real agent.
outcome_type: library
stack: {}
acceptance: {}
network: { timeouts: { read_seconds: 2 }, retries: { max_attempts: 1 } }
requirements: { agents: { implementer: { capabilities: [${agent}] } } }
${more}`,
  );
  return untilEnded(app, id);
}

async function agentId(name: string): Promise<string> {
  const { agents } = (await app.call({ url: "/api/v1/agents?limit=100" })).json<{ agents: Agent[] }>();
  return agents.find((agent) => agent.name === name)!.agent_id;
}

/** Everything that is kept of a project, as text. */
async function keptOf(id: string): Promise<string> {
  const tables = ["events", "logs", "agent_runs", "attempts", "artifacts"] as const;
  const rows = await Promise.all(
    tables.map(async (table) => {
      const found = await sql`select * from ${sql.table(table)} where project_id = ${id}`.execute(app.db);
      return JSON.stringify(found.rows);
    }),
  );
  const logs = (await app.call({ url: `/api/v1/projects/${id}/logs?tail=10000` })).json<LogPage>();
  return [...rows, ...logs.lines.map(({ text }) => text)].join("\n");
}

const usedTokens =
  /^Agent agent_\w+ used \d+ tokens, limit was 3000\. Raise limits\.tokens of the agent, or give it less to do\.$/;
const timedOut = /^Agent agent_\w+ timed out after 6 minutes\. Last status: .+/;
const silent = /^Agent agent_\w+ showed no activity for 8 minutes\. .+ Last status: .+/;

describe.for([
  { agent: "command", loops: timedOut, hangs: silent },
  { agent: "acp", loops: timedOut, hangs: silent },
  { agent: "llm", loops: usedTokens, hangs: /^The model did not answer within 7 seconds\.$/ },
])("a real agent by $agent", { timeout: 180_000 }, ({ agent, loops, hangs }) => {
  test("builds what its model says, and the project is deployed", async () => {
    const project = await runWith(agent, "builds");
    expect(project).toMatchObject({ status: "deployed", error: null });
    const { project_id: id } = project;
    const query = app.db.selectFrom("projects").select("state").where("id", "=", id);
    const { head } = (await query.executeTakeFirstOrThrow()).state as unknown as { head: { commit: string } };
    const gitDir = join(app.dataFolder, "workspaces", id, "repo.git");
    const made = ["--git-dir", gitDir, "show", `${head.commit}:made.txt`];
    expect(execFileSync("git", made, { encoding: "utf8" })).toBe("made\n");
  });

  test("that says it is done and has changed nothing has failed", async () => {
    const { error } = await runWith(agent, "lies");
    const message = `The agent ${await agentId(agent)} said it was done, but changed nothing.`;
    expect(error).toMatchObject({ code: "nothing_changed", message });
  });

  test("that goes round in circles is ended", async () => {
    const { error } = await runWith(agent, "loops", "timeouts: { implementation_minutes: 6 }");
    expect(error?.message).toMatch(loops);
  });

  test("whose model says nothing is ended", async () => {
    const { error } = await runWith(agent, "hangs");
    expect(error?.message).toMatch(hangs);
  });

  test("whose commands take too much memory is ended", async () => {
    const { error } = await runWith(agent, "eats", "resources: { memory_gb: 0.8 }");
    expect(error?.message).toMatch(
      /^Process killed due to memory limit exceeded\. Agent used [\d.]+(MB|GB), limit was 819MB\./,
    );
  });

  test("that tells its key leaves no trace of it", async () => {
    const project = await runWith(agent, "leaks");
    expect(project).toMatchObject({ status: "deployed", error: null });
    await expect.poll(() => keptOf(project.project_id)).toMatch(/I was let in with Bearer (\*{8}|\[key\]), look\./);
    expect(await keptOf(project.project_id)).not.toContain(secret);
  });
});
