import type { Agent } from "@slipway/contract";
import { sql } from "kysely";
import { describe, expect, onTestFinished, test } from "vitest";
import { newAgent, register } from "../../support/agents/agent-calls.ts";
import { startA2aAgent, text } from "../../support/agents/scripted-a2a-agent.ts";
import { refusalOf, tasksOf, untilEnded, untilProject } from "../../support/engine/follow.ts";
import { createStage } from "../../support/engine/stage.ts";
import { until } from "../../support/until.ts";

const { app, play, agentId } = await createStage({ agents: [{ name: "scripted", slots: 2 }] });
const { call, db } = app;
const post = (payload: object) => call({ method: "POST", url: "/api/v1/agents", payload });
const remove = (id: string, query = "") => call({ method: "DELETE", url: `/api/v1/agents/${id}${query}` });
const read = async (id: string) => (await call({ url: `/api/v1/agents/${id}` })).json<Agent>();

describe("registering", () => {
  test("a worker answers the agent, which is offline until its worker comes", async () => {
    const { name, kind } = newAgent();
    const answer = await post({ name, kind, capabilities: ["api", "api", "go"], slots: 3 });
    const agent = answer.json<Agent>();
    expect([answer.statusCode, answer.headers.location]).toEqual([201, `/api/v1/agents/${agent.agent_id}`]);
    expect(agent).toEqual({
      agent_id: expect.stringMatching(/^agent_[0-9a-z]{20}$/),
      name,
      kind: "worker",
      capabilities: ["api", "go"],
      slots: 3,
      status: "offline",
      problem: null,
      version: null,
      url: null,
      registered_by: "admin",
      usage: { input_tokens: null, output_tokens: null, cost_usd: null, is_complete: true },
      current_project: null,
      current_task: null,
      utilization: 0,
      utilization_history: Array.from({ length: 12 }, () => 0),
      last_activity: null,
      created_at: expect.stringMatching(/Z$/),
    });
    expect(await read(agent.agent_id)).toEqual(agent);
  });

  test.for(["https://agents.example.com/a", "http://127.0.0.1:9/a", "http://localhost/", "http://[::1]:9/"])(
    "an a2a agent takes the address %s",
    async (url) => {
      const answer = await post(newAgent({ kind: "a2a", url }));
      expect(answer.json()).toMatchObject({ kind: "a2a", url });
      await remove(answer.json<Agent>().agent_id, "?force=true");
    },
  );

  test.for([
    [{ kind: "a2a" }, "An agent of kind 'a2a' needs the 'url' at which it is reached."],
    [{ kind: "a2a", url: "http://example.com" }, "must be an https address, or http on the service's own machine"],
    [{ kind: "a2a", url: "ftp://127.0.0.1" }, "must be an https address"],
    [{ kind: "a2a", url: "https://me:secret@example.com" }, "without a name or password"],
    [{ kind: "a2a", url: "somewhere" }, "must be an https address"],
    [{ kind: "worker", url: "https://example.com" }, "A worker asks for its tasks itself"],
    [{ kind: "command" }, "declare it under 'agents' in the config file of a node"],
    [{ kind: "blueprint" }, "Only 'worker' and 'a2a' can be registered."],
    [{ kind: "worker", slots: 0 }, "slots"],
    [{ kind: "worker", name: "../x" }, "name"],
    [{ kind: "worker", surprise: 1 }, "surprise"],
  ] as const)("%j is refused with the remedy", async ([about, detail]) => {
    const [status, told] = refusalOf(await post(newAgent(about)));
    expect([status, told]).toEqual([422, expect.stringContaining(detail)]);
    expect(told).not.toContain("secret");
  });

  test("by a name that is taken is a conflict", async () => {
    expect(refusalOf(await post({ name: "scripted", kind: "worker" }))).toEqual([
      409,
      "An agent 'scripted' already exists.",
    ]);
  });
});

test("an a2a agent that is registered is tried out, and does tasks", async () => {
  const remote = await startA2aAgent({ steps: [{ artifact: [text("hello\n", { filename: "hello.txt" })] }] });
  onTestFinished(() => remote.close());
  const id = await register(app, { kind: "a2a", url: remote.url, capabilities: ["remote"] });
  const implementer = { requirements: { agents: { implementer: { capabilities: ["remote"] } } } };
  const project = await untilEnded(app, await play(implementer));
  expect(project).toMatchObject({ status: "deployed", agents: { implementer: id } });
  const seen = await call({ url: `/api/v1/agents/${id}/vision?file=hello.txt` });
  expect(seen.json()).toMatchObject({ base: null, current: { text: "hello\n" } });
  expect(await read(id)).toMatchObject({ status: "idle", problem: null, version: expect.any(String) });
  expect((await remove(id)).statusCode).toBe(204);
});

describe("deleting", () => {
  test("an agent that was registered and has nothing to do", async () => {
    const id = await register(app);
    expect((await remove(id)).statusCode).toBe(204);
    expect((await call({ url: `/api/v1/agents/${id}` })).statusCode).toBe(404);
    expect((await remove(id)).statusCode).toBe(404);
  });

  test("not one that a config file declares", async () => {
    expect(refusalOf(await remove(await agentId("scripted"), "?force=true"))).toEqual([
      409,
      "The agent 'scripted' is declared in the config file of a node: remove it there.",
    ]);
  });

  test("not one that has tasks, unless by force", async () => {
    const id = await register(app);
    await sql`insert into jobs (queue, priority, available_at, is_paused, group_id, number, kind, payload)
      values (${`agent:${id}`}, 1, now() + interval '1 hour', false, 'proj_x', 1, 'task', '{}')`.execute(db);
    const [status, detail] = refusalOf(await remove(id));
    expect([status, detail]).toEqual([409, expect.stringMatching(/still has tasks \(1\); force=true/)]);
    expect((await remove(id, "?force=true")).statusCode).toBe(204);
    await sql`delete from jobs where group_id = 'proj_x'`.execute(db);
  });
});

describe("restarting", () => {
  const restart = (id: string, payload?: object) =>
    call({ method: "POST", url: `/api/v1/agents/${id}/restart`, ...(payload && { payload }) });

  test("what is not there is 404, and a wrong body 422", async () => {
    expect((await restart("agent_none")).statusCode).toBe(404);
    expect((await restart(await agentId("scripted"), { force: "yes" })).statusCode).toBe(422);
  });

  test("lets it finish what it is at; nothing new begins until it is there again", async () => {
    const id = await agentId("scripted");
    const gate = Promise.withResolvers<void>();
    const begun: string[] = [];
    const work = async ({ task }: { task: { id: string; role: string } }) => {
      if (task.role === "implementer") begun.push(task.id);
      if (task.id === "first") await gate.promise;
      return undefined;
    };
    const first = await play({ tasks: [{ id: "first" }] }, work);
    await until(() => begun.length === 1);
    expect((await restart(id)).json()).toMatchObject({ status: "draining", current_project: first });
    const second = await play({ tasks: [{ id: "second" }] }, work);
    await untilProject(app, second, ({ status }) => status !== "specification");
    expect([(await read(id)).status, begun]).toEqual(["draining", ["first"]]);
    gate.resolve();
    for (const project of [first, second]) expect(await untilEnded(app, project)).toMatchObject({ status: "deployed" });
    expect(begun).toEqual(["first", "second"]);
    const [done] = (await tasksOf(app, first)).filter(({ task_id }) => task_id === "first");
    expect(done?.attempts).toMatchObject([{ number: 1, outcome: "completed" }]);
    await until(async () => (await read(id)).status === "idle");
  });

  test("by force ends what it is at, which begins again and is not counted", async () => {
    const id = await agentId("scripted");
    const signals: AbortSignal[] = [];
    const project = await play({ tasks: [{ id: "long" }] }, async ({ task, attempt, signal }) => {
      if (task.role !== "implementer") return undefined;
      expect(attempt).toBe(1);
      signals.push(signal);
      if (signals.length === 2) expect(signals[0]!.aborted).toBe(true);
      // Without a word, as one that hangs.
      if (signals.length === 1) await new Promise((resolve) => signal.addEventListener("abort", resolve));
      return undefined;
    });
    await until(() => signals.length === 1);
    expect((await restart(id, { force: true })).statusCode).toBe(202);
    expect(await untilEnded(app, project)).toMatchObject({ status: "deployed" });
    expect(signals).toHaveLength(2);
    const [task] = (await tasksOf(app, project)).filter(({ task_id }) => task_id === "long");
    expect(task?.attempts).toMatchObject([{ number: 1, outcome: "completed" }]);
  });
});

test("what an agent has used is summed up, and what is not known is not taken for nothing", async () => {
  const id = await register(app);
  const project = await play();
  await untilEnded(app, project);
  const use = (number: number, days: number, values: [number | null, number | null, number | null]) =>
    sql`insert into agent_runs (project_id, task_id, number, agent_id, node, attempt_id, base_commit, prompt, limits,
        input_tokens, output_tokens, cost_usd, started_at)
      values (${project}, 'x', ${number}, ${id}, 'n', 'a', '', '', '{}', ${values[0]}, ${values[1]}, ${values[2]},
        now() - ${days} * interval '1 day')`.execute(db);
  await use(1, 31, [1_000_000, 1, 1]);
  await use(2, 29, [5_000_000_000, 20, 0.5]);
  await use(3, 0, [7, 2, 0.25]);
  expect((await read(id)).usage).toEqual({
    input_tokens: 5_000_000_007,
    output_tokens: 22,
    cost_usd: 0.75,
    is_complete: true,
  });
  await use(4, 0, [3, null, null]);
  expect((await read(id)).usage).toEqual({
    input_tokens: 5_000_000_010,
    output_tokens: 22,
    cost_usd: 0.75,
    is_complete: false,
  });
});
