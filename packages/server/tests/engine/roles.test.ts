// @module-tag soak
import { beforeAll, describe, expect, test } from "vitest";
import { soakCases } from "../../../../tools/soak-runs.ts";
import {
  command,
  readProject,
  refusalOf,
  submit,
  tasksOf,
  untilEnded,
  untilProject,
} from "../support/engine/follow.ts";
import { holdBeginnings } from "../support/engine/hold-beginnings.ts";
import type { Script } from "../support/engine/scripted-agent.ts";
import { createStage, documentOf } from "../support/engine/stage.ts";
import { until } from "../support/until.ts";

const { app, play, agentId } = await createStage({
  agents: [
    { name: "generalist", capabilities: ["api", "typescript"], slots: 4 },
    { name: "specialist", capabilities: ["api", "typescript", "postgres"], slots: 4 },
    { name: "painter", capabilities: ["api", "drawing"], slots: 1 },
  ],
});
const { call } = app;

let [generalist, specialist, painter] = ["", "", ""];
beforeAll(async () => {
  [generalist, specialist, painter] = [
    await agentId("generalist"),
    await agentId("specialist"),
    await agentId("painter"),
  ];
});

const implementer = (capabilities: string[], preferred: string[] = []) => ({
  requirements: { agents: { implementer: { capabilities, preferred } } },
});
const assign = (id: string, role: string, payload: object, query = "") =>
  call({ method: "PUT", url: `/api/v1/projects/${id}/agents/${role}${query}`, payload });

/** Agents do nothing of the work until it is let go; planning goes on. */
function held(): {
  script: Script;
  begun: { task: string; agentId: string; signal: AbortSignal }[];
  letGo: () => void;
} {
  const gate = Promise.withResolvers<void>();
  const begun: { task: string; agentId: string; signal: AbortSignal }[] = [];
  const script: Script = async ({ task, agentId, signal }) => {
    if (task.role === "planner") return undefined;
    begun.push({ task: task.id, agentId, signal });
    await gate.promise;
    return undefined;
  };
  return { script, begun, letGo: () => gate.resolve() };
}

describe("who fills a role", () => {
  test("is who has all that is required and most of what is preferred", async () => {
    const id = await play(implementer(["typescript"], ["postgres", "cobol"]));
    expect((await untilEnded(app, id)).agents["implementer"]).toBe(specialist);
    const named = await play({ requirements: { agents: { implementer: { preferred: ["generalist"] } } } });
    expect((await untilEnded(app, named)).agents["implementer"]).toBe(generalist);
    const drawn = await play(implementer(["drawing"]));
    expect((await untilEnded(app, drawn)).agents["implementer"]).toBe(painter);
  });

  test("is who has room where they are equal otherwise, and is preferred by its very id", {
    tags: "long",
  }, async () => {
    const id = await play(implementer(["typescript"], [generalist]));
    expect((await untilEnded(app, id)).agents["implementer"]).toBe(generalist);
  });

  test("stays the same for all tasks of the role, and is shown in the project", { tags: "long" }, async () => {
    const id = await play({
      phases: { one: { features: ["a", "b"] }, two: { features: ["c"], depends_on: ["one"] } },
      ...implementer(["postgres"]),
    });
    const { agents } = await untilEnded(app, id);
    expect(Object.keys(agents).toSorted()).toEqual(["deployer", "implementer", "planner", "reviewer"]);
    const done = (await tasksOf(app, id)).filter(({ role }) => role === "implementer");
    expect(done.map(({ agent_id }) => agent_id)).toEqual([specialist, specialist, specialist]);
  });

  test("with none known that can do it, the project fails and names what is missing", async () => {
    const id = await play(implementer(["typescript", "cobol"]));
    expect(await untilEnded(app, id)).toMatchObject({
      status: "failed",
      current_phase: "implementation",
      error: {
        code: "no_agents_available",
        message: "No agents available with capabilities: [typescript, cobol]",
        phase: "implementation",
      },
    });
  });

  test("who builds must know how to build such a thing, where the document does not say better", async () => {
    const id = await play({ outcome_type: "game" });
    expect((await untilEnded(app, id)).error?.message).toBe("No agents available with capabilities: [game]");
    const other = await play({ outcome_type: "game", ...implementer(["typescript"]) });
    expect(await untilEnded(app, other)).toMatchObject({ status: "deployed" });
  });
});

describe("an agent that is busy", () => {
  test("is waited for, and the project goes on when it is free", async () => {
    const { script, begun, letGo } = held();
    const first = await play(implementer(["drawing"]), script);
    await until(() => begun.length > 0);
    const second = await play(implementer(["drawing"]));
    const waiting = await untilProject(app, second, ({ waiting_for }) => waiting_for !== null);
    expect(waiting).toMatchObject({ waiting_for: "agent", status: "implementation" });
    expect(waiting.agents["implementer"]).toBeUndefined();
    letGo();
    expect(await untilEnded(app, first)).toMatchObject({ status: "deployed" });
    expect(await untilEnded(app, second)).toMatchObject({ status: "deployed", agents: { implementer: painter } });
  });

  test("is no longer waited for when the project is cancelled, paused or given another", { tags: "long" }, async () => {
    const { script, begun, letGo } = held();
    const first = await play(implementer(["drawing"]), script);
    await until(() => begun.length > 0);
    const waitFor = async () => {
      const id = await play(implementer(["drawing"]));
      await untilProject(app, id, ({ waiting_for }) => waiting_for === "agent");
      return id;
    };
    const [cancelled, paused] = [await waitFor(), await waitFor()];
    await command(app, cancelled, "cancel");
    expect((await command(app, paused, "pause")).json()).toMatchObject({ waiting_for: "paused" });
    letGo();
    expect(await untilEnded(app, first)).toMatchObject({ status: "deployed" });
    expect(await readProject(app, cancelled)).toMatchObject({ status: "failed", error: { code: "cancelled" } });
    expect(await readProject(app, paused)).toMatchObject({ waiting_for: "paused", status: "implementation" });
    await command(app, paused, "resume");
    expect(await untilEnded(app, paused)).toMatchObject({ status: "deployed" });
  });

  test("does the most urgent of what waits for it first", { tags: "long" }, async () => {
    const { script, begun, letGo } = held();
    const first = await play(implementer(["drawing"]), script);
    await until(() => begun.length > 0);
    const order: string[] = [];
    const queued = async (priority: string) => {
      const letBegin = await holdBeginnings(app.db);
      const id = await play(implementer(["drawing"]), ({ task: { role } }) => {
        if (role === "implementer") order.push(priority);
        return undefined;
      });
      expect((await assign(id, "implementer", { agent_id: painter, priority })).statusCode).toBe(200);
      await letBegin();
      await until(async () =>
        (await tasksOf(app, id)).some(({ status, role }) => role === "implementer" && status === "queued"),
      );
      return id;
    };
    const ids = [];
    for (const priority of ["low", "medium", "critical", "high"]) ids.push(await queued(priority));
    letGo();
    for (const id of [first, ...ids]) expect(await untilEnded(app, id)).toMatchObject({ status: "deployed" });
    expect(order).toEqual(["critical", "high", "medium", "low"]);
  });
});

describe("PUT /projects/{id}/agents/{role}", () => {
  test("answers who fills the role from now on", async () => {
    const id = await play();
    const answer = await assign(id, "implementer", { agent_id: specialist, capabilities: ["postgres"] });
    expect([answer.statusCode, answer.json()]).toEqual([
      200,
      {
        project_id: id,
        role: "implementer",
        agent_id: specialist,
        capabilities: ["api", "typescript", "postgres"],
        priority: "medium",
        assigned_at: expect.stringMatching(/Z$/),
      },
    ]);
  });

  test("before the start it holds from the first task on, and is shown at once", async () => {
    const letBegin = await holdBeginnings(app.db);
    const id = await play(implementer(["typescript"], ["postgres"]));
    expect((await assign(id, "implementer", { agent_id: generalist })).statusCode).toBe(200);
    expect(await readProject(app, id)).toMatchObject({ status: "specification", agents: { implementer: generalist } });
    await letBegin();
    const { agents, status } = await untilEnded(app, id);
    expect([status, agents["implementer"]]).toEqual(["deployed", generalist]);
  });

  test("before the start, too, the agent must be able to do what the role asks", { tags: "long" }, async () => {
    const letBegin = await holdBeginnings(app.db);
    const id = await play(implementer(["drawing"]));
    const refused = await assign(id, "implementer", { agent_id: generalist });
    await letBegin();
    expect(refusalOf(refused)).toEqual([422, "No agents available with capabilities: [drawing]"]);
    expect(await untilEnded(app, id)).toMatchObject({ status: "deployed" });
  });

  test("it survives that the project is cancelled before it began, and started over", { tags: "long" }, async () => {
    const letBegin = await holdBeginnings(app.db);
    const id = await play(implementer(["typescript"]));
    await assign(id, "implementer", { agent_id: specialist });
    await command(app, id, "cancel");
    await letBegin();
    await command(app, id, "restart", { from_phase: "planning" });
    expect(await untilEnded(app, id)).toMatchObject({ status: "deployed", agents: { implementer: specialist } });
  });

  test("a task that runs stays where it is; the next goes to the new agent", async () => {
    const { script, begun, letGo } = held();
    const phases = { phases: { one: {}, two: { depends_on: ["one"] } } };
    const id = await play({ ...phases, ...implementer(["typescript"], ["postgres"]) }, script);
    await until(() => begun.length > 0);
    expect((await assign(id, "implementer", { agent_id: generalist })).statusCode).toBe(200);
    letGo();
    expect(await untilEnded(app, id)).toMatchObject({ status: "deployed", agents: { implementer: generalist } });
    expect(begun.map(({ task, agentId }) => [task, agentId])).toEqual([
      ["build-one", specialist],
      ["build-two", generalist],
    ]);
  });

  test("while it runs, too, the agent must be able to do what the role asks", async () => {
    const { script, begun, letGo } = held();
    const id = await play(implementer(["postgres"]), script);
    await until(() => begun.length > 0);
    const refused = await assign(id, "implementer", { agent_id: generalist }, "?reassign_running=true");
    expect(refusalOf(refused)).toEqual([422, "No agents available with capabilities: [postgres]"]);
    letGo();
    expect(await untilEnded(app, id)).toMatchObject({ status: "deployed", agents: { implementer: specialist } });
  });

  test("a task that runs moves when that is asked for, and the first agent is told to stop", async () => {
    const { script, begun, letGo } = held();
    const phases = { phases: { one: {}, two: { depends_on: ["one"] } } };
    const id = await play({ ...phases, ...implementer(["typescript"], ["postgres"]) }, script);
    await until(() => begun.length > 0);
    expect(begun).toMatchObject([{ task: "build-one", agentId: specialist }]);
    await assign(id, "implementer", { agent_id: generalist });
    expect((await tasksOf(app, id)).find(({ task_id }) => task_id === "build-one")).toMatchObject({
      status: "running",
      agent_id: specialist,
    });
    expect(begun[0]!.signal.aborted).toBe(false);
    await assign(id, "implementer", { agent_id: generalist }, "?reassign_running=true");
    await until(() => begun.length > 1);
    expect(begun[1]).toMatchObject({ task: "build-one", agentId: generalist });
    await until(() => begun[0]!.signal.aborted);
    letGo();
    expect(await untilEnded(app, id)).toMatchObject({ status: "deployed", agents: { implementer: generalist } });
    const [one] = (await tasksOf(app, id)).filter(({ role }) => role === "implementer");
    expect(one).toMatchObject({ agent_id: generalist, attempts: [{ agent_id: generalist, outcome: "completed" }] });
  });

  test("a task that only waits in the agent's queue moves at once", { tags: "long" }, async () => {
    const { script, begun, letGo } = held();
    const first = await play(implementer(["drawing"]), script);
    await until(() => begun.length > 0);
    const letBegin = await holdBeginnings(app.db);
    const id = await play(implementer(["api"]));
    await assign(id, "implementer", { agent_id: painter });
    await letBegin();
    await until(async () =>
      (await tasksOf(app, id)).some(({ status, agent_id }) => status === "queued" && agent_id === painter),
    );
    await assign(id, "implementer", { agent_id: generalist });
    expect(await untilEnded(app, id)).toMatchObject({ status: "deployed", agents: { implementer: generalist } });
    letGo();
    await untilEnded(app, first);
  });

  test("who is looked for in vain can be named instead", { tags: "long" }, async () => {
    const { script, begun, letGo } = held();
    const first = await play(implementer(["drawing"]), script);
    await until(() => begun.length > 0);
    const id = await play(implementer(["drawing"]));
    await untilProject(app, id, ({ waiting_for }) => waiting_for === "agent");
    await assign(id, "implementer", { agent_id: painter });
    expect(await readProject(app, id)).toMatchObject({ waiting_for: null, agents: { implementer: painter } });
    letGo();
    for (const one of [first, id]) expect(await untilEnded(app, one)).toMatchObject({ status: "deployed" });
  });

  test("what is not there is 404: the agent, the project, another user's project", async () => {
    const id = await play();
    expect(refusalOf(await assign(id, "implementer", { agent_id: "agent_none" }))).toEqual([
      404,
      "There is no agent agent_none.",
    ]);
    expect((await assign("proj_none", "implementer", { agent_id: generalist })).statusCode).toBe(404);
    const { token } = await app.userToken("svc:user");
    const url = `/api/v1/projects/${id}/agents/implementer`;
    expect((await call({ method: "PUT", url, token, payload: { agent_id: generalist } })).statusCode).toBe(404);
  });

  test("a role that the project does not have is 404, before and after the start, and its roles are named", async () => {
    const requirements = { agents: { painter: { capabilities: ["drawing"] } } };
    const id = await play({ requirements, tasks: [{ id: "one", role: "writer" }] });
    const refused = [
      404,
      "The project has no role 'wizard'. Its roles are: planner, reviewer, deployer, implementer, painter, finisher, writer.",
    ];
    expect(refusalOf(await assign(id, "wizard", { agent_id: generalist }))).toEqual(refused);
    await untilEnded(app, id);
    expect(refusalOf(await assign(id, "wizard", { agent_id: generalist }))).toEqual(refused);
    for (const role of ["implementer", "writer"])
      expect((await assign(id, role, { agent_id: generalist })).statusCode).toBe(200);
  });

  test("an agent that lacks what is asked for is refused, and what was asked for is named", async () => {
    const id = await play();
    const refused = await assign(id, "implementer", { agent_id: generalist, capabilities: ["cobol", "fortran"] });
    expect(refused.json()).toMatchObject({ status: 422, code: "no_agents_available" });
    // What was asked for here, and what the role asks for anyway.
    expect(refusalOf(refused)[1]).toBe("No agents available with capabilities: [cobol, fortran, api]");
  });

  test.each([{}, { agent_id: 1 }, { agent_id: "x", priority: "urgent" }, { agent_id: "x", capabilities: "api" }])(
    "a body that makes no sense is 422: %j",
    async (payload) => {
      const id = await submit(app, documentOf());
      expect((await assign(id, "implementer", payload)).statusCode).toBe(422);
    },
  );

  test.each(soakCases(["__proto__", "constructor", "hasOwnProperty"]))(
    "a role may be called %s",
    { tags: "long" },
    async (role) => {
      const id = await play({ tasks: [{ id: "one", role }] });
      expect((await assign(id, role, { agent_id: generalist })).statusCode).toBe(200);
      const { agents, status } = await untilEnded(app, id);
      expect([status, Object.entries(agents).find(([name]) => name === role)]).toEqual([
        "deployed",
        [role, generalist],
      ]);
    },
  );
});
