// @module-tag soak
import { execFileSync } from "node:child_process";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { Approval } from "@slipway/contract";
import { beforeAll, expect, test } from "vitest";
import { soakCases } from "../../../../../tools/soak-runs.ts";
import type { AcpScript } from "../../support/agents/scripted-acp-agent.ts";
import {
  approvalsOf,
  command,
  decide,
  eventsOf,
  readProject,
  submit,
  untilEnded,
} from "../../support/engine/follow.ts";
import { createTestApp } from "../../support/test-app.ts";
import { until } from "../../support/until.ts";

const agentProgram = fileURLToPath(new URL("../../support/agents/scripted-acp-agent.ts", import.meta.url));
const script: AcpScript = { steps: [{ ask: "Run `make`", kinds: ["allow_once", "reject_once"] }] };

/** An agent that asks before it does anything. */
function asking(capability: string, more: object, times = 1) {
  const args = [agentProgram, JSON.stringify({ steps: [{ ...script.steps![0], times }] })];
  return {
    name: capability,
    kind: "acp",
    command: process.execPath,
    args,
    capabilities: [capability],
    slots: 4,
    ...more,
  };
}

const app = await createTestApp({
  // Ten seconds a minute: an agent that is idle for one of them is ended, and people have three.
  engine: { retryDelayMs: () => 0, minuteMs: 10_000 },
  agents: {
    file: "slipway.yaml",
    declared: [
      asking("asks", { permissions: "ask" }),
      asking("hurries", { permissions: "ask", limits: { idle_minutes: 0.1, permission_minutes: 0.3 } }),
      asking("trusted", {}),
      asking("distrusted", { permissions: "deny" }),
      asking("floods", { permissions: "ask", limits: { permission_minutes: 0.3 } }, 300),
    ],
  },
});

const documentFor = (capability: string, more = "") => `
spec_version: "1.0.0"
id: ${capability}
name: ${capability}
description: Work for an agent that asks.
outcome_type: library
stack: {}
acceptance: {}
requirements: { agents: { implementer: { capabilities: [${capability}] } } }
${more}`;

const begin = (capability: string, token?: string) => submit(app, documentFor(capability), "", token);

/** What the agent noted that it was answered. */
async function answerTo(id: string): Promise<string> {
  expect(await untilEnded(app, id)).toMatchObject({ status: "deployed", error: null });
  const query = app.db.selectFrom("projects").select("state").where("id", "=", id);
  const { head } = (await query.executeTakeFirstOrThrow()).state as unknown as { head: { commit: string } };
  const gitDir = join(app.dataFolder, "workspaces", id, "repo.git");
  const show = ["--git-dir", gitDir, "show", `${head.commit}:.agent-notes`];
  return /^answer (.*)$/m.exec(execFileSync("git", show, { encoding: "utf8" }))![1]!;
}

async function asked(id: string): Promise<Approval> {
  return until(async () => (await approvalsOf(app, id))[0]);
}

let [owner, stranger] = ["", ""];
beforeAll(async () => {
  owner = (await app.userToken("svc:user")).token;
  stranger = (await app.userToken("svc:user")).token;
});

test("an agent that asks waits for a person, who is told what it wants", { tags: "long" }, async () => {
  const id = await begin("asks");
  const approval = await asked(id);
  expect(approval).toMatchObject({
    gate: "permission",
    status: "pending",
    question: "Run `make`",
    phase: "implementation",
    environment: "",
    approvers: [],
    agent_id: expect.stringMatching(/^agent_/),
    task_id: expect.any(String),
  });
  const { approval_id, phase, environment, approvers, deadline } = approval;
  const [event] = (await eventsOf(app, id)).filter(({ event: name }) => name === "project.approval_required");
  expect(event?.data).toEqual({ approval_id, phase, environment, approvers, deadline });
  expect(await readProject(app, id)).toMatchObject({ status: "implementation", waiting_for: null });
  const answer = await decide(app, approval, { decision: "approve", comment: "Go on." });
  expect(answer.json()).toMatchObject({ status: "approved", decided_by: "admin", comment: "Go on." });
  expect(await answerTo(id)).toBe("the-allow_once");
});

test("an agent that is denied is told so, and goes on without", async () => {
  const id = await begin("asks", owner);
  const approval = await asked(id);
  expect((await decide(app, approval, { decision: "deny" }, stranger)).statusCode).toBe(404);
  expect((await decide(app, approval, { decision: "deny" }, owner)).statusCode).toBe(200);
  expect(await answerTo(id)).toBe("the-reject_once");
  expect((await decide(app, approval, { decision: "approve" }, owner)).statusCode).toBe(409);
});

test("nobody's answer in time is a no, and waiting for it is not idleness", { tags: "long" }, async () => {
  const id = await begin("hurries");
  expect(await answerTo(id)).toBe("the-reject_once");
  expect(await approvalsOf(app, id)).toMatchObject([{ status: "expired", decided_by: null }]);
});

test("an agent that asks hundreds of questions at once asks people few of them", { tags: "long" }, async () => {
  const id = await begin("floods");
  expect(await answerTo(id)).toBe("the-reject_once");
  const { count } = app.db.fn;
  const query = app.db.selectFrom("approvals").select(count<string>("id").as("rows")).where("project_id", "=", id);
  expect(Number((await query.executeTakeFirstOrThrow()).rows)).toBe(16);
});

test("what an agent asks is withdrawn when its work is no longer wanted", async () => {
  const id = await begin("asks");
  const approval = await asked(id);
  await command(app, id, "cancel");
  await untilEnded(app, id);
  await until(async () => (await approvalsOf(app, id))[0]?.status === "withdrawn");
  expect((await decide(app, approval, { decision: "approve" })).statusCode).toBe(409);
});

test("an agent's question does not outlive its own time", async () => {
  const id = await submit(app, documentFor("asks", "timeouts: { implementation_minutes: 5 }"));
  const { created_at, deadline } = await asked(id);
  expect(Date.parse(deadline) - Date.parse(created_at)).toBeLessThanOrEqual(50_000);
  await command(app, id, "cancel");
});

test("a decision that is made at another node reaches the agent", async () => {
  const id = await begin("asks");
  const { approval_id: approvalId } = await asked(id);
  const other = await app.anotherNode({ isIdle: true });
  const answer = await other.http.inject({
    method: "POST",
    url: `/api/v1/approvals/${approvalId}`,
    headers: { authorization: `Bearer ${app.adminToken}` },
    payload: { decision: "approve" },
  });
  expect(answer.statusCode).toBe(200);
  expect(await answerTo(id)).toBe("the-allow_once");
});

test.for(
  soakCases([
    ["trusted", "the-allow_once"],
    ["distrusted", "the-reject_once"],
  ]),
)("an agent that the operator has %s is answered at once", async ([capability, answer]) => {
  const id = await begin(capability!);
  expect(await answerTo(id)).toBe(answer);
  expect(await approvalsOf(app, id)).toEqual([]);
});
