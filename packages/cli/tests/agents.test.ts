import { readFile } from "node:fs/promises";
import { join } from "node:path";
import type { Agent, AgentContext, AgentVision } from "@slipway/contract";
import { describe, expect, test } from "vitest";
import { FakeService, problem } from "./fake-service.ts";
import { folderWith, slipway } from "./run-slipway.ts";

const agentId = "agent_01kaw3v9t2h5m8q1x7zc";
const path = `/api/v1/agents/${agentId}`;
const agent: Agent = {
  agent_id: agentId,
  name: "build farm",
  kind: "worker",
  status: "busy",
  current_project: "proj_1",
  current_task: "orders",
  utilization: 0.256,
  last_activity: "2026-11-15T09:30:00.000Z",
  capabilities: ["api", "typescript"],
  utilization_history: [0, 0.5],
  slots: 2,
  problem: null,
  version: "1.2.3",
  url: null,
  registered_by: "ann",
  usage: { input_tokens: 12345, output_tokens: 678, cost_usd: null, is_complete: false },
  created_at: "2026-11-15T09:00:00.000Z",
};
const ofRun = { agent_id: agentId, project_id: "proj_1", task_id: "orders", attempt: 2 };
const given: AgentContext = {
  ...ofRun,
  prompt: "Take orders.\nBe \u001b[31mquick.",
  base_commit: "0123456789abcdef0123456789abcdef01234567",
  files: [{ path: "src/index.ts", size_bytes: 120 }],
  files_total: 3,
  limits: { minutes: 30, tokens: null },
  last_status: "writing",
  usage: { input_tokens: null, output_tokens: null, cost_usd: null },
  started_at: "2026-11-15T09:30:00.000Z",
  ended_at: null,
  outcome: null,
};
const seen: AgentVision = {
  ...ofRun,
  path: "a.txt",
  media_type: "text/plain",
  is_binary: false,
  base: { text: "old\n", size_bytes: 4 },
  current: { text: "new\u0007\n", size_bytes: 5 },
  source: "folder",
  diff: "--- a/a.txt\n+++ b/a.txt\n@@ -1 +1 @@\n-old\n+new\u0007\n",
};

describe("slipway agents", () => {
  test("list shows a table, and as JSON what the API answers", async () => {
    const service = await new FakeService().listen();
    const page = { agents: [agent], next_cursor: "abc" };
    service.answer("GET /api/v1/agents", page);
    const { code, out, err } = await slipway(["agents", "list", "--limit", "1"], { env: service.env });
    expect(code).toBe(0);
    expect(out).toBe(`ID                          NAME        KIND    STATUS  SLOTS  TASK    CAPABILITIES
${agentId}  build farm  worker  busy    2      orders  api, typescript
`);
    expect(err).toBe("More: slipway agents list --cursor abc\n");
    expect(service.asked[0]?.url).toBe("/api/v1/agents?limit=1");
    expect(JSON.parse((await slipway(["agents", "list", "--json"], { env: service.env })).out)).toEqual(page);
  });

  test("describe shows an agent's capabilities, status and usage, and finds the agent by its name, too", async () => {
    const service = await new FakeService().listen();
    service.answer("GET /api/v1/agents", { agents: [agent], next_cursor: null });
    service.answer(`GET ${path}`, { ...agent, problem: "Nobody is logged in." });
    const { code, out } = await slipway(["agents", "describe", "build farm"], { env: service.env });
    expect(code).toBe(0);
    expect(out).toBe(`build farm  (worker)  ${agentId}
busy, running orders of proj_1, busy 26 % of the last hour
Nobody is logged in.

capabilities:     api, typescript
slots:            2
version:          1.2.3
registered by:    ann
last active:      2026-11-15T09:30:00.000Z
usage in 30 days: at least 12,345 tokens in, 678 tokens out, cost unknown
`);
    const json = await slipway(["agents", "describe", agentId, "--json"], { env: service.env });
    expect(JSON.parse(json.out)).toMatchObject({ agent_id: agentId });
    const none = await slipway(["agents", "describe", "nobody"], { env: service.env });
    expect(none).toMatchObject({
      code: 4,
      err: "slipway: there is no agent 'nobody'; 'slipway agents list' shows them\n",
    });
  });

  test("context shows what the agent received, without control characters", async () => {
    const service = await new FakeService().listen();
    service.answer(`GET ${path}/context`, given);
    const args = ["agents", "context", "--agent-id", agentId];
    const { code, out } = await slipway([...args, "--task-id", "orders"], { env: service.env });
    expect(code).toBe(0);
    expect(out).toBe(`project:     proj_1
task:        orders, attempt 2
started:     2026-11-15T09:30:00.000Z
ended:       not yet
last status: writing
limits:      minutes 30
usage:       unknown

PROMPT
Take orders.
Be \ufffd[31mquick.

FILES (3, at 0123456789ab)
       120  src/index.ts
and 2 more; --json lists up to 1,000
`);
    expect(service.asked[0]?.url).toBe(`${path}/context?task=orders`);
    expect(JSON.parse((await slipway([...args, "--json"], { env: service.env })).out)).toEqual(given);
  });

  test("vision shows the diff of a file, or the file", async () => {
    const service = await new FakeService().listen();
    service.answer(`GET ${path}/vision`, seen);
    const args = ["agents", "vision", "--agent-id", agentId, "--file", "a.txt"];
    const changed = await slipway([...args, "--project-id", "proj_1"], { env: service.env });
    expect(changed).toMatchObject({
      code: 0,
      out: "a.txt  (text/plain; orders, attempt 2)\n--- a/a.txt\n+++ b/a.txt\n@@ -1 +1 @@\n-old\n+new\ufffd\n",
    });
    expect(service.asked[0]?.url).toBe(`${path}/vision?file=a.txt&project=proj_1`);
    service.answer(`GET ${path}/vision`, { ...seen, current: seen.base, diff: "" });
    expect((await slipway(args, { env: service.env })).out).toContain("The agent has not changed it.\nold\n");
    service.answer(`GET ${path}/vision`, { ...seen, current: null, diff: null, source: "elsewhere" });
    expect((await slipway(args, { env: service.env })).out).toContain("runs on another node");
    expect(JSON.parse((await slipway([...args, "--json"], { env: service.env })).out)).toMatchObject({ path: "a.txt" });
  });

  test("vision --output saves the file, also an image", async () => {
    const service = await new FakeService().listen();
    const folder = await folderWith({});
    service.answer(`GET ${path}/vision`, seen);
    const args = ["agents", "vision", agentId, "--file", "a.txt", "--output"];
    const text = await slipway([...args, join(folder, "a.txt")], { env: service.env });
    expect(text).toMatchObject({ code: 0, out: "" });
    expect(await readFile(join(folder, "a.txt"), "utf8")).toBe("new\u0007\n");
    const nothing = { text: null, size_bytes: 4 };
    const image = { ...seen, media_type: "image/png", is_binary: true, base: nothing, current: nothing, diff: null };
    service.answer(`GET ${path}/vision`, ({ url }: { url: string }) =>
      url.includes("as=image") ? { type: "image/png", body: "the image" } : { body: image },
    );
    expect((await slipway([...args, join(folder, "a.png")], { env: service.env })).code).toBe(0);
    expect(await readFile(join(folder, "a.png"), "utf8")).toBe('"the image"');
    const cannot = await slipway([...args, join(folder, "none", "a")], { env: service.env });
    expect(cannot).toMatchObject({ code: 1, err: expect.stringContaining("/a (ENOENT)") });
  });

  test("restart restarts, with --force at once", async () => {
    const service = await new FakeService().listen();
    service.answer(`POST ${path}/restart`, { ...agent, status: "draining" });
    const args = ["agents", "restart", "--agent-id", agentId];
    expect(await slipway(args, { env: service.env })).toMatchObject({
      code: 0,
      out: "build farm is being restarted (draining)\n",
    });
    await slipway([...args, "--force"], { env: service.env });
    expect(service.asked.map(({ body }) => body)).toEqual(['{"force":false}', '{"force":true}']);
  });

  test("add registers, and remove deletes", async () => {
    const service = await new FakeService().listen();
    service.answer("POST /api/v1/agents", agent).answer(`DELETE ${path}`, () => ({ status: 204, body: null }));
    const args = ["--name", "build farm", "--kind", "a2a", "--agent-url", "https://a.example", "--slots", "2"];
    const added = await slipway(["agents", "add", ...args, "--capabilities", "api, typescript"], { env: service.env });
    expect(added).toMatchObject({ code: 0, out: `build farm is registered (${agentId})\n` });
    expect(JSON.parse(service.asked[0]!.body)).toEqual({
      name: "build farm",
      kind: "a2a",
      capabilities: ["api", "typescript"],
      slots: 2,
      url: "https://a.example",
    });
    const removed = await slipway(["agents", "remove", agentId, "--force"], { env: service.env });
    expect(removed).toMatchObject({ code: 0, out: `${agentId} is deleted\n` });
    expect(service.asked.at(-1)?.url).toBe(`${path}?force=true`);
  });
});

test("a refusal of the service ends with 3, with its message", async () => {
  const service = await new FakeService().listen();
  const refusal = problem(409, "conflict", "There is an agent 'x' already.");
  service.answer("POST /api/v1/agents", () => ({ status: 409, body: refusal }));
  const { code, err } = await slipway(["agents", "add", "--name", "x", "--kind", "worker"], { env: service.env });
  expect({ code, err }).toEqual({ code: 3, err: `slipway: ${refusal.detail}\n` });
});

test.for([
  [["describe"], "give the agent's id or name"],
  [["restart", "agent_1", "--agent-id", "agent_1"], "give [agent] or --agent-id <id>, not both"],
  [["vision", "agent_1"], "required option '--file <path>' not specified"],
  [["add", "--name", "x"], "required option '--kind <kind>' not specified"],
] as const)("a wrong call, agents %o, ends with 2 and says what is wrong", async ([args, message]) => {
  const env = { SLIPWAY_URL: "http://slipway.invalid", SLIPWAY_TOKEN: "t" };
  const { code, out, err } = await slipway(["agents", ...args], { env });
  expect({ code, out }).toEqual({ code: 2, out: "" });
  expect(err).toContain(message);
});
