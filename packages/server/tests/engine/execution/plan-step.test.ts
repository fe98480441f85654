import { expect, test } from "vitest";
import {
  approvalsOf,
  command,
  decide,
  eventsOf,
  refusalOf,
  tasksOf,
  untilAsked,
  untilEnded,
} from "../../support/engine/follow.ts";
import { holdBeginnings } from "../../support/engine/hold-beginnings.ts";
import { createStage } from "../../support/engine/stage.ts";

const { app, play } = await createStage();
const { call } = app;

const yaml = { "content-type": "application/yaml" };
const review = { query: "?review_plan=true" };
const twoPhases = { phases: { first: { features: ["one"] }, second: { features: ["two"], depends_on: ["first"] } } };

const readPlan = (id: string) => call({ url: `/api/v1/projects/${id}/plan` });
const writePlan = (id: string, payload: string) =>
  call({ method: "PUT", url: `/api/v1/projects/${id}/plan`, headers: yaml, payload });

const task = (id: string, phase: string, more = "") => `  - { id: ${id}, title: Do ${id}, phase: ${phase}${more} }\n`;

test("the plan becomes the artifact tasks.yaml, listed as task_breakdown and named in the event when planning ends", async () => {
  const id = await play(twoPhases);
  await untilEnded(app, id);
  const { artifacts } = (await call({ url: `/api/v1/projects/${id}/artifacts` })).json<{
    artifacts: { type: string; path: string; size_bytes: number; modified: string }[];
  }>();
  const breakdown = artifacts.find(({ path }) => path === "tasks.yaml");
  expect(breakdown).toEqual({
    type: "task_breakdown",
    path: "tasks.yaml",
    size_bytes: (await readPlan(id)).rawPayload.length,
    modified: expect.stringMatching(/Z$/),
  });
  const completed = (await eventsOf(app, id)).find(({ event }) => event === "project.phase_completed");
  expect(completed?.data).toEqual({
    phase: "planning",
    next_phase: "first",
    artifacts: [{ type: "task_breakdown", url: `/api/v1/projects/${id}/artifacts/tasks.yaml` }],
  });
});

test("a planner's own breakdown is the plan that is carried out", async () => {
  const breakdown = `tasks:\n${task("dig", "first")}${task("pour", "first", ", depends_on: [dig], estimated_hours: 3")}${task("one", "first")}${task("two", "second", ", role: reviewer")}`;
  const id = await play(twoPhases, ({ task: { role } }) => {
    return role === "planner" ? { is: "done", breakdown } : undefined;
  });
  expect(await untilEnded(app, id)).toMatchObject({ status: "deployed" });
  const tasks = await tasksOf(app, id);
  expect(
    tasks.map(({ task_id, phase, role, depends_on, estimated_hours }) => [
      task_id,
      phase,
      role,
      depends_on,
      estimated_hours,
    ]),
  ).toEqual([
    ["plan", "planning", "planner", [], 1],
    ["dig", "first", "implementer", [], 1],
    ["pour", "first", "implementer", ["dig"], 3],
    ["one", "first", "implementer", [], 1],
    ["two", "second", "reviewer", [], 1],
    ["validate", "validation", "reviewer", [], 1],
    ["deploy", "deployment", "deployer", [], 1],
  ]);
});

test("a planner whose breakdown cannot be used tries again, and the project fails with what was wrong", async () => {
  const breakdown = `tasks:\n${task("one", "frist")}${task("two", "second", ", depends_on: [none]")}`;
  const id = await play(twoPhases, () => ({ is: "done", breakdown }));
  const { error, status } = await untilEnded(app, id);
  expect(status).toBe("failed");
  expect(error).toMatchObject({ code: "invalid_plan", phase: "planning", task_id: "plan" });
  expect(error?.message).toBe(
    "The planner's tasks.yaml cannot be used: line 1: The phase 'first' has no task. line 2: There is no phase 'frist'. line 3: There is no task 'none'.",
  );
  const [plan] = await tasksOf(app, id);
  expect(plan?.attempts.map(({ outcome }) => outcome)).toEqual(["failed", "failed", "failed"]);
});

test("a planner may be right at the second try", async () => {
  const id = await play({}, ({ task: { role }, attempt }) => {
    return role === "planner" && attempt === 1 ? { is: "done", breakdown: "tasks: [" } : undefined;
  });
  expect(await untilEnded(app, id)).toMatchObject({ status: "deployed" });
  const [plan] = await tasksOf(app, id);
  expect(plan?.attempts.map(({ outcome }) => outcome)).toEqual(["failed", "completed"]);
});

test("with review_plan nothing is made before a person has approved the plan", async () => {
  const made: string[] = [];
  const id = await play(
    {},
    ({ task: { id: taskId } }) => {
      made.push(taskId);
      return undefined;
    },
    review,
  );
  const approval = await untilAsked(app, id);
  expect(approval).toMatchObject({ gate: "plan", phase: "implementation", approvers: [], status: "pending" });
  expect(made).toEqual(["plan"]);
  expect((await decide(app, approval, { decision: "approve" })).statusCode).toBe(200);
  expect(await untilEnded(app, id)).toMatchObject({ status: "deployed" });
  expect(made).toEqual(["plan", "build-play"]);
});

test("a plan that waits for approval can be changed, and the work follows the changed one", async () => {
  const id = await play(twoPhases, undefined, review);
  const approval = await untilAsked(app, id);
  const first = await readPlan(id);
  expect(first.headers["content-type"]).toBe("application/yaml; charset=utf-8");
  const changed = `tasks:\n${task("one", "first")}${task("extra", "first", ", estimated_hours: 2")}${task("two", "second")}`;
  const written = await writePlan(id, changed);
  expect(written.statusCode).toBe(200);
  const now = await readPlan(id);
  expect(now.payload).toBe(written.payload);
  expect(now.payload).toContain("extra");
  expect(now.headers.etag).not.toBe(first.headers.etag);
  const { artifacts } = (await call({ url: `/api/v1/projects/${id}/artifacts` })).json<{
    artifacts: { size_bytes: number }[];
  }>();
  expect(artifacts).toMatchObject([{ path: "tasks.yaml", size_bytes: now.rawPayload.length }]);
  expect((await approvalsOf(app, id)).map(({ status }) => status)).toEqual(["pending"]);
  await decide(app, approval, { decision: "approve" });
  expect(await untilEnded(app, id)).toMatchObject({ status: "deployed" });
  expect((await tasksOf(app, id)).map(({ task_id, status }) => `${task_id} ${status}`)).toContain("extra completed");
});

test("a plan that was read and is written back unchanged stays the same", async () => {
  const id = await play(twoPhases, undefined, review);
  await untilAsked(app, id);
  const { payload } = await readPlan(id);
  expect((await writePlan(id, payload)).payload).toBe(payload);
});

test("a changed plan is refused with every line that is wrong", async () => {
  const id = await play(twoPhases, undefined, review);
  await untilAsked(app, id);
  const { payload: before } = await readPlan(id);
  const wrong = await writePlan(id, `tasks:\n${task("one", "frist")}${task("two", "second", ", depends_on: [none]")}`);
  expect(wrong.statusCode).toBe(422);
  const { code, errors } = wrong.json<{ code: string; errors: { code: string; line: number }[] }>();
  expect(code).toBe("invalid_document");
  expect(errors.map((error) => [error.code, error.line])).toEqual(
    expect.arrayContaining([
      ["unknown_reference", 2],
      ["unknown_reference", 3],
    ]),
  );
  const broken = await writePlan(id, "tasks: [");
  expect(broken.json()).toMatchObject({ status: 400, code: "invalid_yaml", errors: [{ line: 1 }] });
  expect((await readPlan(id)).payload).toBe(before);
});

test("a plan cannot be changed while nobody is asked about it", { tags: "long" }, async () => {
  const message = "The plan can be changed only while the project waits for its approval.";
  const id = await play({});
  await untilEnded(app, id);
  const { payload } = await readPlan(id);
  expect(refusalOf(await writePlan(id, payload))).toEqual([409, message]);
  const cancelled = await play({}, undefined, review);
  await untilAsked(app, cancelled);
  await command(app, cancelled, "cancel");
  expect(refusalOf(await writePlan(cancelled, payload))).toEqual([409, message]);
});

test("a plan that is denied fails the project before anything was made", async () => {
  const id = await play({}, undefined, review);
  const approval = await untilAsked(app, id);
  await decide(app, approval, { decision: "deny", comment: "Too much." });
  expect(await untilEnded(app, id)).toMatchObject({
    status: "failed",
    error: { code: "approval_denied", message: "Too much.", phase: "implementation" },
  });
  expect((await tasksOf(app, id)).map(({ status }) => status)).toEqual(["completed", "waiting", "waiting", "waiting"]);
});

test("a plan is asked about anew when planning is done again, and not when later work is", {
  tags: "long",
}, async () => {
  const id = await play({}, undefined, review);
  await decide(app, await untilAsked(app, id), { decision: "approve" });
  await untilEnded(app, id);
  await command(app, id, "restart", { from_phase: "implementation" });
  expect(await untilEnded(app, id)).toMatchObject({ status: "deployed" });
  expect(await approvalsOf(app, id)).toHaveLength(1);
  await command(app, id, "restart", { from_phase: "planning" });
  await untilAsked(app, id);
  expect((await approvalsOf(app, id)).map(({ status }) => status)).toEqual(["pending", "approved"]);
});

test("a project that was cancelled before it began still has its plan reviewed when it is restarted", async () => {
  const letBegin = await holdBeginnings(app.db);
  const id = await play({}, undefined, review);
  await command(app, id, "cancel");
  await letBegin();
  const answer = await command(app, id, "restart", { from_phase: "planning" });
  expect(answer.statusCode, answer.payload).toBe(200);
  await untilAsked(app, id);
});
