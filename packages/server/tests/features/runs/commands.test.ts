import { execFile } from "node:child_process";
import { readdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import type { Project } from "@slipway/contract";
import { describe, expect, test } from "vitest";
import {
  checkpointsOf,
  command,
  eventsOf,
  phasesOf,
  readProject,
  refusalOf,
  tasksOf,
  untilAsked,
  untilEnded,
  untilProject,
} from "../../support/engine/follow.ts";
import { holdBeginnings } from "../../support/engine/hold-beginnings.ts";
import type { Script } from "../../support/engine/scripted-agent.ts";
import { createStage } from "../../support/engine/stage.ts";
import { until } from "../../support/until.ts";

const { app, play } = await createStage();
const { call, db } = app;

const twoPhases = { phases: { walls: { features: ["wall"] }, roof: { features: ["tiles"], depends_on: ["walls"] } } };
const remove = (id: string) => call({ method: "DELETE", url: `/api/v1/projects/${id}` });
const statusOf = async (id: string, task: string) =>
  (await tasksOf(app, id)).find(({ task_id }) => task_id === task)?.status;

/** Holds tasks of some roles until they are let go. */
function holding(isPaused: (taskId: string) => boolean) {
  const gate = Promise.withResolvers<void>();
  const begun: string[] = [];
  const signals: AbortSignal[] = [];
  const script: Script = async ({ task, signal }) => {
    begun.push(task.id);
    signals.push(signal);
    if (isPaused(task.id)) await gate.promise;
    return undefined;
  };
  return { script, begun, signals, letGo: () => gate.resolve() };
}

const failing: Script = ({ task }) =>
  task.role === "implementer" ? { is: "failed", code: "x", message: "X." } : undefined;
const ended = async (script?: Script) => {
  const id = await play({}, script);
  await untilEnded(app, id);
  return id;
};

/** Brings a project into a state, and gives its id and how to let it go on. */
const states: Readonly<Record<string, () => Promise<{ id: string; letGo: () => void | Promise<void> }>>> = {
  specification: async () => {
    const letGo = await holdBeginnings(db);
    return { id: await play(), letGo };
  },
  planning: async () => {
    const { script, begun, letGo } = holding((task) => task === "plan");
    const id = await play({}, script);
    await until(() => begun.length > 0);
    return { id, letGo };
  },
  implementation: async () => {
    const { script, begun, letGo } = holding((task) => task === "build-play");
    const id = await play({}, script);
    await until(() => begun.includes("build-play"));
    return { id, letGo };
  },
  paused: async () => {
    const { script, begun, letGo } = holding((task) => task === "build-play");
    const id = await play({}, script);
    await until(() => begun.includes("build-play"));
    await command(app, id, "pause");
    return { id, letGo };
  },
  "waiting for approval": async () => {
    const id = await play({ guardrails: { deployment: { human_approval_required: ["any"] } } });
    await untilAsked(app, id);
    return { id, letGo: () => undefined };
  },
  deployed: async () => ({ id: await ended(), letGo: () => undefined }),
  failed: async () => ({ id: await ended(failing), letGo: () => undefined }),
};

const isOver = (status: string) => `The project has ended: it is ${status}.`;
const onlyFailed = (status: string) => `Only a failed project can be retried; this one is in ${status}.`;
const notDeleted = (status: string) => `Only a project that has ended can be deleted; this one is in ${status}.`;
const notPaused = (status: string) => `The project is not paused: it is in ${status}.`;
const notDebugged = "The project is not being debugged; start that first.";

/** What each command answers in each state: the refusal, or what it leads to. */
const table: Readonly<Record<string, Readonly<Record<string, string | Partial<Project>>>>> = {
  specification: {
    cancel: {
      status: "failed",
      error: { code: "cancelled", message: "The project was cancelled.", phase: "specification" },
    },
    pause: { status: "specification", waiting_for: "paused" },
    resume: notPaused("specification"),
    restart: "The project has not begun yet: it is in specification.",
    retry: onlyFailed("specification"),
    "debug/start": { status: "specification" },
    "debug/step": notDebugged,
    "debug/continue": notDebugged,
    "debug/stop": notDebugged,
    delete: notDeleted("specification"),
  },
  planning: {
    cancel: { status: "failed", current_phase: "planning" },
    pause: { status: "planning", waiting_for: "paused" },
    resume: notPaused("planning"),
    restart: { status: "planning" },
    retry: onlyFailed("planning"),
    "debug/start": { status: "planning", waiting_for: null },
    delete: notDeleted("planning"),
  },
  implementation: {
    cancel: { status: "failed", current_phase: "implementation" },
    pause: { status: "implementation", waiting_for: "paused" },
    resume: notPaused("implementation"),
    restart: { status: "planning" },
    retry: onlyFailed("implementation"),
    "debug/start": { status: "implementation" },
    delete: notDeleted("implementation"),
  },
  paused: {
    cancel: { status: "failed", waiting_for: null },
    pause: "The project is paused already.",
    resume: { status: "implementation", waiting_for: null },
    restart: { status: "planning", waiting_for: null },
    retry: onlyFailed("implementation"),
    delete: notDeleted("implementation"),
  },
  "waiting for approval": {
    cancel: { status: "failed", current_phase: "deployment" },
    pause: { status: "deployment", waiting_for: "paused" },
    resume: notPaused("deployment"),
    restart: { status: "planning" },
    retry: onlyFailed("deployment"),
    "debug/start": { status: "deployment", waiting_for: "approval" },
    delete: notDeleted("deployment"),
  },
  deployed: {
    cancel: isOver("deployed"),
    pause: isOver("deployed"),
    resume: isOver("deployed"),
    restart: { status: "planning", progress: 0, error: null },
    retry: onlyFailed("deployed"),
    "debug/start": isOver("deployed"),
    "debug/step": isOver("deployed"),
    "debug/continue": isOver("deployed"),
    "debug/stop": isOver("deployed"),
    delete: "The project is live: it made the version that the deployment 'default'",
  },
  failed: {
    cancel: isOver("failed"),
    pause: isOver("failed"),
    resume: isOver("failed"),
    restart: { status: "planning", progress: 0, error: null },
    retry: { status: "implementation", error: null },
    "debug/start": isOver("failed"),
    "debug/step": isOver("failed"),
    "debug/continue": isOver("failed"),
    "debug/stop": isOver("failed"),
    delete: {},
  },
};

const bodies: Readonly<Record<string, object>> = {
  restart: { from_phase: "planning" },
  retry: { task_id: "build-play" },
};

const give = (id: string, name: string) => (name === "delete" ? remove(id) : command(app, id, name, bodies[name]));

describe.each(Object.entries(table))("in the state '%s'", (state, row) => {
  const refused = Object.entries(row).filter(([, expected]) => typeof expected === "string");
  const accepted = Object.entries(row).filter(([, expected]) => typeof expected !== "string");

  test(`${refused.map(([name]) => name).join(", ")} are refused, and change nothing`, async () => {
    const { id, letGo } = await states[state]!();
    const before = await readProject(app, id);
    for (const [name, expected] of refused)
      expect(refusalOf(await give(id, name)), name).toEqual([409, expect.stringContaining(expected as string)]);
    const { status, waiting_for } = before;
    expect(await readProject(app, id)).toMatchObject({ status, waiting_for });
    await leave(id, letGo);
  });

  test.each(accepted)("%s is answered with %j", async (name, expected) => {
    const { id, letGo } = await states[state]!();
    const answer = await give(id, name);
    expect(answer.statusCode, answer.payload).toBe(name === "delete" ? 204 : 200);
    if (name !== "delete") expect(answer.json()).toMatchObject({ project_id: id, ...(expected as Partial<Project>) });
    await leave(id, letGo);
  });
});

/** Nobody waits for what would become of it. */
async function leave(id: string, letGo: () => void | Promise<void>): Promise<void> {
  await command(app, id, "cancel");
  await letGo();
}

describe("commands", () => {
  const names = ["cancel", "pause", "resume", "restart", "retry", "debug/start"];

  test("are 404 for a project that is not there, or is somebody else's", async () => {
    const id = await play();
    const { token } = await app.userToken("svc:user");
    for (const name of names) {
      const payload = bodies[name];
      for (const [project, as] of [
        ["proj_none", undefined],
        [id, token],
      ] as const) {
        const url = `/api/v1/projects/${project}/${name}`;
        const answer = await call({ method: "POST", url, ...(payload && { payload }), ...(as && { token: as }) });
        expect(answer.statusCode, name).toBe(404);
      }
    }
  });

  test("restart, retry and rollback name what there is not", async () => {
    const id = await ended(failing);
    expect(refusalOf(await command(app, id, "restart", { from_phase: "roof" }))).toEqual([
      409,
      "There is no phase 'roof'. There are: planning, implementation, validation, deployment.",
    ]);
    expect(refusalOf(await command(app, id, "retry", { task_id: "none" }))).toEqual([409, "There is no task 'none'."]);
    expect(refusalOf(await command(app, id, "retry", { task_id: "plan" }))).toEqual([
      409,
      "The task 'plan' is done. With downstream it and all that depends on it are done again.",
    ]);
    expect(refusalOf(await command(app, id, "rollback", { checkpoint: "ckpt_none" }))).toEqual([
      404,
      "The project has no checkpoint ckpt_none.",
    ]);
    for (const name of ["restart", "retry", "rollback"])
      expect((await command(app, id, name, {})).statusCode).toBe(422);
  });

  test("repeated with their Idempotency-Key are carried out once", { tags: "long" }, async () => {
    const id = await ended();
    const send = () =>
      call({
        method: "POST",
        url: `/api/v1/projects/${id}/restart`,
        headers: { "idempotency-key": "restart-once" },
        payload: { from_phase: "planning" },
      });
    const first = await send();
    await untilEnded(app, id);
    const second = await send();
    expect([second.statusCode, second.json(), second.headers["idempotency-replayed"]]).toEqual([
      200,
      first.json(),
      "true",
    ]);
    const restarts = (await eventsOf(app, id)).filter(({ event }) => event === "project.restarted");
    expect(restarts).toHaveLength(1);
  });
});

describe("cancel", () => {
  test("stops the agent, keeps what was done, and ends as failed", async () => {
    const { script, begun, signals, letGo } = holding((task) => task === "tiles");
    const id = await play(twoPhases, script);
    await until(() => begun.includes("tiles"));
    await command(app, id, "cancel");
    await until(() => signals.at(-1)!.aborted);
    letGo();
    const error = { code: "cancelled", message: "The project was cancelled.", phase: "roof" };
    expect(await readProject(app, id)).toMatchObject({ status: "failed", current_phase: "roof", error });
    expect((await eventsOf(app, id)).at(-1)).toMatchObject({ event: "project.failed", data: { error, phase: "roof" } });
    expect([await statusOf(id, "wall"), await statusOf(id, "tiles")]).toEqual(["completed", "waiting"]);
    // Nothing of it goes on.
    const phases = (await phasesOf(app, id)).map(({ status }) => status);
    expect(phases).toEqual(["completed", "completed", "failed", "waiting", "waiting"]);
  });
});

describe("pause", () => {
  test("lets what runs end, begins nothing new, and resume goes on from there", async () => {
    const { script, begun, letGo } = holding((task) => task === "wall");
    const id = await play(twoPhases, script);
    await until(() => begun.includes("wall"));
    await command(app, id, "pause");
    letGo();
    await until(async () => (await statusOf(id, "wall")) === "completed");
    const paused = await readProject(app, id);
    expect(paused).toMatchObject({ status: "implementation", current_phase: "roof", waiting_for: "paused" });
    expect(await statusOf(id, "tiles")).toBe("waiting");
    expect(begun).not.toContain("tiles");
    expect((await command(app, id, "resume")).json()).toMatchObject({ waiting_for: null });
    expect(await untilEnded(app, id)).toMatchObject({ status: "deployed" });
  });

  test("before the start keeps the project from beginning", async () => {
    const letBegin = await holdBeginnings(db);
    const id = await play();
    await command(app, id, "pause");
    await letBegin();
    await command(app, id, "resume");
    expect(await untilEnded(app, id)).toMatchObject({ status: "deployed" });
  });
});

describe("restart", () => {
  test("does a phase again with the code as it was when it began, and all that comes after", async () => {
    const found: string[][] = [];
    const id = await play(twoPhases, async ({ task, folder }) => {
      if (task.id === "tiles") found.push(await readdir(folder));
      return undefined;
    });
    await untilEnded(app, id);
    const answer = await command(app, id, "restart", { from_phase: "roof" });
    expect(answer.json()).toMatchObject({
      status: "implementation",
      current_phase: "roof",
      progress: expect.closeTo(0.4),
    });
    expect(await untilEnded(app, id)).toMatchObject({ status: "deployed", progress: 1 });
    expect(found).toEqual([["wall.txt"], ["wall.txt"]]);
    const attempts = (await tasksOf(app, id)).map(({ task_id, attempts }) => [task_id, attempts.length]);
    expect(attempts).toEqual([
      ["plan", 1],
      ["wall", 1],
      ["tiles", 2],
      ["validate", 2],
      ["deploy", 2],
    ]);
    const events = await eventsOf(app, id);
    expect(events.find(({ event }) => event === "project.restarted")?.data).toEqual({ from_phase: "roof" });
    expect(events.map(({ sequence }) => sequence)).toEqual(events.map((_, at) => at + 1));
  });

  test("also does again what ran beside the phase and has merged since", { tags: "long" }, async () => {
    const phases = { base: {}, left: { depends_on: ["base"] }, right: { depends_on: ["base"] } };
    const order = holding((task) => task === "build-right");
    const id = await play({ phases }, order.script);
    await until(async () => (await statusOf(id, "build-left")) === "completed");
    order.letGo();
    await untilEnded(app, id);
    // The left one was merged first: to take the right one's beginning is to lose it, or not, as it was then.
    await command(app, id, "restart", { from_phase: "left" });
    expect(await untilEnded(app, id)).toMatchObject({ status: "deployed" });
    const files = await filesAt(id, (await checkpointsOf(app, id))[0]!.commit!);
    expect(files).toEqual(["build-base.txt", "build-left.txt", "build-right.txt"]);
  });

  test("first ends what runs", async () => {
    const { script, begun, signals, letGo } = holding((task) => task === "tiles");
    const id = await play(twoPhases, script);
    await until(() => begun.includes("tiles"));
    const running = signals.at(-1)!;
    await command(app, id, "restart", { from_phase: "walls" });
    await until(() => running.aborted);
    letGo();
    expect(await untilEnded(app, id)).toMatchObject({ status: "deployed" });
    expect(begun.filter((task) => task === "wall")).toHaveLength(2);
  });
});

describe("rollback", () => {
  test("takes code and state back together, and the work goes on from there", async () => {
    let round = 0;
    const id = await play(twoPhases, async ({ task, folder }) => {
      if (task.id !== "tiles") return undefined;
      round += 1;
      await writeFile(join(folder, `tiles-${round}.txt`), "x");
      return { is: "done" };
    });
    await untilEnded(app, id);
    const walls = (await checkpointsOf(app, id)).find(({ phase }) => phase === "walls")!;
    const answer = await command(app, id, "rollback", { checkpoint: walls.checkpoint_id });
    expect(answer.json()).toMatchObject({ status: "implementation", current_phase: "roof", progress: walls.progress });
    expect(await untilEnded(app, id)).toMatchObject({ status: "deployed", progress: 1 });
    const [last] = await checkpointsOf(app, id);
    expect(await filesAt(id, last!.commit!)).toEqual(["tiles-2.txt", "wall.txt"]);
    const events = await eventsOf(app, id);
    expect(events.find(({ event }) => event === "project.rolled_back")?.data).toEqual({
      checkpoint: walls.checkpoint_id,
    });
    expect(
      (await tasksOf(app, id)).find(({ task_id }) => task_id === "tiles")?.attempts.map(({ number }) => number),
    ).toEqual([1, 2]);
  });

  test("goes back to the plan that there was then", async () => {
    const id = await play({}, undefined, { query: "?review_plan=true" });
    await untilAsked(app, id);
    const planned = await call({ url: `/api/v1/projects/${id}/plan` });
    const [planning] = await checkpointsOf(app, id);
    await call({
      method: "PUT",
      url: `/api/v1/projects/${id}/plan`,
      headers: { "content-type": "application/yaml" },
      payload: "tasks:\n  - { id: other, title: Other, phase: implementation }\n",
    });
    await command(app, id, "rollback", { checkpoint: planning!.checkpoint_id });
    expect((await call({ url: `/api/v1/projects/${id}/plan` })).payload).toBe(planned.payload);
    await untilAsked(app, id);
  });

  test("works on a project that runs, has failed, or was rolled back already", { tags: "long" }, async () => {
    const { script, begun, signals, letGo } = holding((task) => task === "tiles");
    const id = await play(twoPhases, script);
    await until(() => begun.includes("tiles"));
    const checkpoints = new Map(
      (await checkpointsOf(app, id)).map(({ phase, checkpoint_id }) => [phase, checkpoint_id]),
    );
    const running = signals.at(-1)!;
    await command(app, id, "rollback", { checkpoint: checkpoints.get("walls") });
    await until(() => running.aborted);
    await command(app, id, "cancel");
    expect((await command(app, id, "rollback", { checkpoint: checkpoints.get("planning") })).json()).toMatchObject({
      status: "implementation",
      current_phase: "walls",
      error: null,
    });
    letGo();
    expect(await untilEnded(app, id)).toMatchObject({ status: "deployed" });
    const other = await ended();
    expect((await command(app, other, "rollback", { checkpoint: checkpoints.get("walls") })).statusCode).toBe(404);
  });
});

describe("retry", () => {
  test("tries the task again that failed, and goes on", async () => {
    let isBroken = true;
    const id = await play(twoPhases, ({ task }) =>
      isBroken && task.id === "tiles" ? { is: "failed", code: "x", message: "X." } : undefined,
    );
    await untilEnded(app, id);
    isBroken = false;
    expect((await command(app, id, "retry", { task_id: "tiles" })).json()).toMatchObject({
      status: "implementation",
      current_phase: "roof",
      error: null,
    });
    expect(await untilEnded(app, id)).toMatchObject({ status: "deployed" });
    const attempts = new Map((await tasksOf(app, id)).map(({ task_id, attempts }) => [task_id, attempts]));
    expect(attempts.get("wall")).toHaveLength(1);
    expect(attempts.get("tiles")?.map(({ number, outcome }) => `${number} ${outcome}`)).toEqual([
      "1 failed",
      "2 failed",
      "3 failed",
      "4 completed",
    ]);
  });

  test("with downstream does it and all that depends on it again", async () => {
    let isBroken = true;
    const parts = {
      phases: { walls: { features: ["brick", "wall"] }, roof: { features: ["tiles"], depends_on: ["walls"] } },
      tasks: [
        { id: "brick", phase: "walls" },
        { id: "wall", phase: "walls", depends_on: ["brick"] },
      ],
    };
    const counts: Record<string, number> = {};
    const id = await play(parts, async ({ task, folder }) => {
      counts[task.id] = (counts[task.id] ?? 0) + 1;
      if (task.role === "planner") return undefined;
      if (isBroken && task.id === "tiles") return { is: "failed", code: "x", message: "X." };
      await writeFile(join(folder, `${task.id}-${counts[task.id]}.txt`), "x");
      return { is: "done" };
    });
    await untilEnded(app, id);
    isBroken = false;
    await command(app, id, "retry", { task_id: "wall", downstream: true });
    expect(await untilEnded(app, id)).toMatchObject({ status: "deployed" });
    expect(counts).toMatchObject({ brick: 1, wall: 2, tiles: 4 });
  });
});

describe("debugging", () => {
  test("stops before each task until it is told to step, continue or stop", async () => {
    const letBegin = await holdBeginnings(db);
    const begun: string[] = [];
    const id = await play(twoPhases, ({ task }) => {
      begun.push(task.id);
      return undefined;
    });
    await command(app, id, "debug/start");
    await letBegin();
    const waits = () => untilProject(app, id, ({ waiting_for }) => waiting_for === "debug");
    expect(await waits()).toMatchObject({ status: "planning", current_phase: "planning" });
    expect(begun).toEqual([]);
    await command(app, id, "debug/step");
    await until(() => begun.length === 1);
    expect(await waits()).toMatchObject({ status: "implementation", current_phase: "walls" });
    expect(begun).toEqual(["plan"]);
    expect((await command(app, id, "debug/continue")).json()).toMatchObject({ waiting_for: null });
    expect(await untilEnded(app, id)).toMatchObject({ status: "deployed" });
    expect(begun).toEqual(["plan", "wall", "tiles"]);
  });

  test("started anew while it runs on, stops before the next task", { tags: "long" }, async () => {
    const { script, begun, letGo } = holding((task) => task === "wall");
    const id = await play(twoPhases, script);
    await until(() => begun.includes("wall"));
    await command(app, id, "debug/start");
    await command(app, id, "debug/continue");
    expect(refusalOf(await command(app, id, "debug/step"))).toEqual([
      409,
      "The project runs on; start debugging anew.",
    ]);
    await command(app, id, "debug/start");
    letGo();
    expect(await untilProject(app, id, ({ waiting_for }) => waiting_for === "debug")).toMatchObject({
      current_phase: "roof",
    });
    await command(app, id, "debug/stop");
    expect(await untilEnded(app, id)).toMatchObject({ status: "deployed" });
  });
});

describe("delete", () => {
  test("removes a failed project with all that belongs to it", async () => {
    const id = await ended(failing);
    const other = await play({ id: "twice" });
    await untilEnded(app, other);
    expect((await remove(id)).statusCode).toBe(204);
    for (const part of ["", "/spec", "/events", "/tasks", "/phases", "/checkpoints", "/approvals", "/artifacts"])
      expect((await call({ url: `/api/v1/projects/${id}${part}` })).statusCode, part).toBe(404);
    expect((await remove(id)).statusCode).toBe(404);
    for (const table of ["events", "specs", "plans", "attempts", "checkpoints", "artifacts"] as const) {
      const rows = await db.selectFrom(table).select("project_id").where("project_id", "=", id).execute();
      expect([table, rows]).toEqual([table, []]);
    }
  });

  test("takes it out of its application, and the application away with the last of them", async () => {
    const applications = async () =>
      (await call({ url: "/api/v1/applications?limit=100" }))
        .json<{ applications: { document_id: string; projects: number; latest_project_id: string }[] }>()
        .applications.filter(({ document_id }) => document_id === "counted");
    const make = async () => {
      const id = await play({ id: "counted", outcome_type: "game" });
      await untilEnded(app, id);
      return id;
    };
    const [first, second] = [await make(), await make()];
    expect(await applications()).toMatchObject([{ projects: 2, latest_project_id: second }]);
    await remove(second);
    expect(await applications()).toMatchObject([{ projects: 1, latest_project_id: first }]);
    await remove(first);
    expect(await applications()).toEqual([]);
    const again = await make();
    expect(await applications()).toMatchObject([{ projects: 1, latest_project_id: again }]);
  });
});

test("progress is done work over all work by hours, never falls by itself, and is 1 only at the end", async () => {
  const tasks = [
    { id: "wall", estimated_hours: 5 },
    { id: "tiles", estimated_hours: 2 },
  ];
  const { script, letGo } = holding((task) => task === "tiles");
  const id = await play({ ...twoPhases, tasks }, script);
  const seen: number[] = [];
  const atTiles = await untilProject(app, id, (project) => {
    seen.push(project.progress);
    return project.current_phase === "roof";
  });
  // Planning 1, wall 5, tiles 2, validation 1, deployment 1.
  expect(atTiles.progress).toBeCloseTo(6 / 10);
  letGo();
  const end = await untilProject(app, id, (project) => {
    seen.push(project.progress);
    return project.status === "deployed";
  });
  expect(end.progress).toBe(1);
  expect(seen).toEqual(seen.toSorted((a, b) => a - b));
  expect(seen.filter((progress) => progress === 1)).toHaveLength(1);
});

test("current_phase is the first unfinished one in order, also where several run", async () => {
  const phases = { left: {}, right: {}, end: { depends_on: ["left", "right"] } };
  const held = holding((task) => task === "build-left");
  const id = await play({ phases }, held.script);
  await until(async () =>
    (await phasesOf(app, id)).find(({ name, status }) => name === "right" && status === "completed"),
  );
  expect(await readProject(app, id)).toMatchObject({ status: "implementation", current_phase: "left" });
  held.letGo();
  expect(await untilEnded(app, id)).toMatchObject({ status: "deployed", current_phase: "deployment" });
});

const run = promisify(execFile);

/** The files of a project at a commit. */
async function filesAt(id: string, commit: string): Promise<string[]> {
  const gitDir = join(app.dataFolder, "workspaces", id, "repo.git");
  const { stdout } = await run("git", ["--git-dir", gitDir, "ls-tree", "-r", "--name-only", commit]);
  return stdout.trim().split("\n");
}
