import type { Task } from "@slipway/contract";
import { describe, expect, test } from "vitest";
import { checkpointsOf, command, phasesOf, tasksOf, untilEnded } from "../../support/engine/follow.ts";
import { holdBeginnings } from "../../support/engine/hold-beginnings.ts";
import { createStage } from "../../support/engine/stage.ts";
import { until } from "../../support/until.ts";

const { app, play, agentId } = await createStage();
const { call } = app;

const twoPhases = {
  phases: {
    walls: { features: ["wall"], priority: "high" },
    roof: { features: ["tiles"], depends_on: ["walls"] },
  },
  tasks: [{ id: "wall", title: "A wall", description: "Of bricks.", estimated_hours: 3 }],
  acceptance: { commands: ["echo wall"] },
};
const lists = ["phases", "tasks", "checkpoints", "approvals", "artifacts"];

/** Reads every page of a list. */
async function pagesOf<T>(id: string, list: string, limit: number): Promise<T[][]> {
  const pages: T[][] = [];
  for (let cursor: string | null = ""; cursor !== null; ) {
    const url: string = `/api/v1/projects/${id}/${list}?limit=${limit}${cursor && `&cursor=${cursor}`}`;
    const answer = await call({ url });
    const body = answer.json<Record<string, T[]> & { next_cursor: string | null }>();
    pages.push(body[list]!);
    cursor = body.next_cursor;
    expect(answer.headers.link !== undefined).toBe(cursor !== null);
  }
  return pages;
}

test("before the start every list is empty, and there is no plan", async () => {
  const letBegin = await holdBeginnings(app.db);
  const id = await play();
  for (const list of lists) {
    const answer = await call({ url: `/api/v1/projects/${id}/${list}` });
    expect([answer.statusCode, answer.json<Record<string, unknown>>()[list]]).toEqual([200, []]);
  }
  const plan = await call({ url: `/api/v1/projects/${id}/plan` });
  expect(plan.json()).toMatchObject({ status: 409, detail: "The project has not begun yet: it has no plan." });
  await letBegin();
});

test("phases are listed in order, with what they wait for and how far they are", { tags: "long" }, async () => {
  const gate = Promise.withResolvers<void>();
  const id = await play(twoPhases, async ({ task }) => {
    if (task.id === "tiles") await gate.promise;
    return undefined;
  });
  const running = await until(async () => {
    const phases = await phasesOf(app, id);
    return phases.some(({ name, status }) => name === "roof" && status === "running") ? phases : undefined;
  });
  const phase = (name: string, kind: string, status: string, depends_on: string[], hours = 1, priority = "medium") => ({
    name,
    kind,
    status,
    depends_on,
    priority,
    tasks_done: status === "completed" ? 1 : 0,
    tasks: 1,
    estimated_hours: hours,
  });
  expect(running).toEqual([
    phase("planning", "planning", "completed", []),
    phase("walls", "work", "completed", ["planning"], 3, "high"),
    phase("roof", "work", "running", ["walls"]),
    phase("validation", "validation", "waiting", ["roof"]),
    phase("deployment", "deployment", "waiting", ["validation"]),
  ]);
  gate.resolve();
  await untilEnded(app, id);
});

describe("tasks", () => {
  test("tell what they are about and when each attempt waited, began and ended", async () => {
    const id = await play(twoPhases, ({ task, attempt }) =>
      task.id === "wall" && attempt === 1 ? { is: "failed", code: "cold", message: "Too cold." } : undefined,
    );
    await untilEnded(app, id);
    const agent = await agentId("scripted");
    const wall = (await tasksOf(app, id)).find(({ task_id }) => task_id === "wall")!;
    const [first, second] = wall.attempts;
    expect(wall).toMatchObject({
      task_id: "wall",
      title: "A wall",
      description: "Of bricks.",
      phase: "walls",
      role: "implementer",
      status: "completed",
      agent_id: agent,
      depends_on: [],
      estimated_hours: 3,
      serves: ["/acceptance/commands/0"],
      queued_at: second!.queued_at,
      started_at: second!.started_at,
      ended_at: second!.ended_at,
    });
    expect(first).toMatchObject({
      number: 1,
      agent_id: agent,
      outcome: "failed",
      error: { code: "cold", message: "Too cold." },
    });
    expect(second).toMatchObject({ number: 2, agent_id: agent, outcome: "completed", error: null });
    const times = [first!, second!].flatMap(({ queued_at, started_at, ended_at }) => [
      queued_at,
      started_at!,
      ended_at!,
    ]);
    expect(times).toEqual(times.toSorted());
  });

  test("that wait, are queued or run say so, and nobody is named who has not been chosen", async () => {
    const gate = Promise.withResolvers<void>();
    const id = await play(twoPhases, async ({ task }) => {
      if (task.id === "wall") await gate.promise;
      return undefined;
    });
    const tasks = await until(async () => {
      const all = await tasksOf(app, id);
      return all.some(({ status, role }) => status === "running" && role === "implementer") ? all : undefined;
    });
    const agent = await agentId("scripted");
    expect(tasks.map(({ task_id, status, agent_id }) => [task_id, status, agent_id])).toEqual([
      ["plan", "completed", agent],
      ["wall", "running", agent],
      ["tiles", "waiting", null],
      ["validate", "waiting", null],
      ["deploy", "waiting", null],
    ]);
    expect(tasks[1]).toMatchObject({
      started_at: expect.any(String),
      ended_at: null,
      attempts: [{ number: 1, outcome: "running", ended_at: null, error: null }],
    });
    expect(tasks[2]).toMatchObject({ queued_at: null, started_at: null, ended_at: null, attempts: [] });
    gate.resolve();
    await untilEnded(app, id);
  });

  test("are read page by page in an order in which they can be done", async () => {
    const id = await play(twoPhases);
    await untilEnded(app, id);
    const pages = await pagesOf<Task>(id, "tasks", 2);
    expect(pages.map((page) => page.map(({ task_id }) => task_id))).toEqual([
      ["plan", "wall"],
      ["tiles", "validate"],
      ["deploy"],
    ]);
  });
});

test("checkpoints are read newest first, page by page, each with where the project stood", async () => {
  const id = await play(twoPhases);
  await untilEnded(app, id);
  const all = await checkpointsOf(app, id);
  expect(all.map(({ phase }) => phase)).toEqual(["deployment", "validation", "roof", "walls", "planning"]);
  expect(all.map(({ progress }) => progress)).toEqual(
    [1, 6 / 7, 5 / 7, 4 / 7, 1 / 7].map((share) => expect.closeTo(share)),
  );
  expect(all.map(({ commit }) => commit === null)).toEqual([false, false, false, false, true]);
  expect(await pagesOf(id, "checkpoints", 2)).toEqual([all.slice(0, 2), all.slice(2, 4), all.slice(4)]);
});

test.each(["tasks", "checkpoints", "approvals"])("a cursor of %s that nobody gave is 400", async (list) => {
  const id = await play();
  for (const query of ["cursor=!", "limit=0", "limit=101", "limit=x", "page=2"]) {
    const answer = await call({ url: `/api/v1/projects/${id}/${list}?${query}` });
    expect([query, answer.statusCode]).toEqual([query, 400]);
  }
});

describe("a version", () => {
  test("of the phases changes with the project, and is 304 to who has it", { tags: "long" }, async () => {
    const gate = Promise.withResolvers<void>();
    const id = await play(twoPhases, async ({ task }) => {
      if (task.id === "wall") await gate.promise;
      return undefined;
    });
    await until(async () =>
      (await tasksOf(app, id)).some(({ task_id, status }) => task_id === "wall" && status === "running"),
    );
    const url = `/api/v1/projects/${id}/phases`;
    const first = await call({ url });
    const known = { "if-none-match": String(first.headers.etag) };
    expect((await call({ url, headers: known })).statusCode).toBe(304);
    gate.resolve();
    await untilEnded(app, id);
    expect((await call({ url, headers: known })).statusCode).toBe(200);
  });

  test("of the plan stays as long as the plan does", { tags: "long" }, async () => {
    const id = await play(twoPhases);
    await untilEnded(app, id);
    const url = `/api/v1/projects/${id}/plan`;
    const headers = { "if-none-match": String((await call({ url })).headers.etag) };
    expect((await call({ url, headers })).statusCode).toBe(304);
    await command(app, id, "restart", { from_phase: "roof" });
    expect((await call({ url, headers })).statusCode).toBe(304);
    await untilEnded(app, id);
  });
});
