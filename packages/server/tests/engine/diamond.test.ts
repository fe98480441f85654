import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Approval, Checkpoint, Phase } from "@slipway/contract";
import { expect, test } from "vitest";
import { eventsOf, readProject, submit, tasksOf, untilEnded, untilProject } from "../support/engine/follow.ts";
import { scriptedAgent } from "../support/engine/scripted-agent.ts";
import { createTestApp } from "../support/test-app.ts";

const example = await readFile(new URL("../support/engine/diamond.yaml", import.meta.url), "utf8");

const write = scriptedAgent(
  async ({ task, folder, attempt }) => {
    if (task.role === "planner") return undefined;
    await writeFile(join(folder, `${task.id}.md`), `# ${task.title}\nA page about the ${task.id}.\n`);
    if (task.id === "coot" && attempt === 1)
      return { is: "failed", code: "ink_spilled", message: "The ink was spilled." };
    return { is: "done" };
  },
  { name: "pen", capabilities: ["documentation", "drawing"] },
);
const app = await createTestApp({ engine: { agents: [write], retryDelayMs: () => 0 } });
const { call } = app;

test("a document with four phases in a diamond, an approval and a failing task runs as written", async () => {
  const editor = (
    await call({ method: "POST", url: "/api/v1/users", payload: { name: "editor", role: "svc:user" } })
  ).json<{ user_id: string }>();
  const { token } = (await call({ method: "POST", url: `/api/v1/users/${editor.user_id}/tokens` })).json<{
    token: string;
  }>();

  const id = await submit(app, example);
  const waiting = await untilProject(app, id, ({ waiting_for }) => waiting_for === "approval");
  expect(waiting).toMatchObject({ status: "deployment", current_phase: "deployment", environment: "print" });
  expect(waiting.progress).toBeGreaterThan(0.9);
  expect(waiting.progress).toBeLessThan(1);

  const { approvals } = (await call({ url: `/api/v1/projects/${id}/approvals`, token })).json<{
    approvals: Approval[];
  }>();
  expect(approvals).toMatchObject([
    { status: "pending", gate: "deployment", approvers: ["editor"], environment: "print" },
  ]);
  const url = `/api/v1/approvals/${approvals[0]!.approval_id}`;
  const payload = { decision: "approve", comment: "Print it." };
  expect((await call({ method: "POST", url, token, payload })).json()).toMatchObject({
    status: "approved",
    decided_by: "editor",
    comment: "Print it.",
  });

  expect(await untilEnded(app, id)).toMatchObject({ status: "deployed", progress: 1, error: null, waiting_for: null });
  const events = await eventsOf(app, id);
  expect(events.map(({ sequence }) => sequence)).toEqual(events.map((_, at) => at + 1));
  const told = events.map(({ event, data }) => {
    const about = data["phase"] ?? "";
    return event.startsWith("agent.") ? `${event} ${data["task_id"]}` : `${event} ${about}`.trim();
  });
  const placeOf = (line: string) => {
    expect(told.filter((other) => other === line)).toHaveLength(1);
    return told.indexOf(line);
  };
  expect(told.slice(0, 6)).toEqual([
    "project.created",
    "project.started planning",
    "agent.task_completed plan",
    "project.phase_completed planning",
    "agent.task_completed contents",
    "project.phase_completed outline",
  ]);
  // Words and pictures go side by side, in any order; within each, the order is the document's.
  expect(placeOf("agent.task_completed heron")).toBeLessThan(placeOf("agent.task_failed coot"));
  expect(placeOf("agent.task_failed coot")).toBeLessThan(placeOf("agent.task_completed coot"));
  expect(placeOf("agent.task_completed coot")).toBeLessThan(placeOf("project.phase_completed words"));
  expect(placeOf("agent.task_completed map")).toBeLessThan(placeOf("project.phase_completed pictures"));
  const binding = placeOf("agent.task_completed cover");
  expect(placeOf("project.phase_completed words")).toBeLessThan(binding);
  expect(placeOf("project.phase_completed pictures")).toBeLessThan(binding);
  expect(told.slice(binding)).toEqual([
    "agent.task_completed cover",
    "project.phase_completed binding",
    "agent.task_completed validate",
    "project.phase_completed validation",
    "project.approval_required deployment",
    "agent.task_completed deploy",
    "project.phase_completed deployment",
    "project.deployed",
  ]);

  const tasks = await tasksOf(app, id);
  expect(tasks.map(({ task_id, status }) => `${task_id} ${status}`)).toEqual(
    ["plan", "contents", "heron", "coot", "map", "cover", "validate", "deploy"].map((it) => `${it} completed`),
  );
  expect(tasks.find(({ task_id }) => task_id === "coot")?.attempts).toMatchObject([
    { number: 1, outcome: "failed", error: { code: "ink_spilled", message: "The ink was spilled." } },
    { number: 2, outcome: "completed", error: null },
  ]);
  const { phases } = (await call({ url: `/api/v1/projects/${id}/phases` })).json<{ phases: Phase[] }>();
  expect(phases.map(({ name, status }) => `${name} ${status}`)).toEqual(
    ["planning", "outline", "words", "pictures", "binding", "validation", "deployment"].map((it) => `${it} completed`),
  );
  const { checkpoints } = (await call({ url: `/api/v1/projects/${id}/checkpoints` })).json<{
    checkpoints: Checkpoint[];
  }>();
  expect(checkpoints.map(({ phase }) => phase).toSorted()).toEqual(phases.map(({ name }) => name).toSorted());
  const { agents } = await readProject(app, id);
  expect(Object.keys(agents).toSorted()).toEqual(["deployer", "illustrator", "implementer", "planner", "reviewer"]);
});
