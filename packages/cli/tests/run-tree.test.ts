import type { Phase, Project, Task } from "@slipway/contract";
import fc from "fast-check";
import picocolors from "picocolors";
import { describe, expect, test } from "vitest";
import { renderTree, type TreeStyle } from "../src/follow/tree/render-tree.ts";
import { applyEvent, applyLogs, applyPlan, applyProject, type RunTree, treeOf } from "../src/follow/tree/run-tree.ts";
import { displayWidth } from "../src/output/display-width.ts";

const startMs = Date.parse("2026-11-15T09:30:00.000Z");
const project: Project = {
  ...{ project_id: "proj_1", name: "Shop", status: "implementation", progress: 0.4, current_phase: "implementation" },
  ...{ agents: {}, created_at: at(0), updated_at: at(0), application_id: "app_1", document_id: "shop" },
  ...{ outcome_type: "api", environment: null, waiting_for: null, checks: null, error: null },
};
const style: TreeStyle = {
  ...{ columns: 80, nowMs: startMs + 12_300, spinner: "⠋", colors: picocolors.createColors(false) },
  agentName: (id) => (id === "agent_1" ? "builder" : id),
};

test("a tree names phases, tasks, agents, tests and the last log line, and fits 80 columns", () => {
  expect(renderTree(running(), style).join("\n")).toBe(`\
Shop                                                               40 % · 12.3 s
✓ planning  1 task                                                        200 ms
⠋ implementation  1 of 3                                                  11.3 s
  ✓ Take orders  builder                                                     2 s
  ⠋ Send bills  builder · attempt 2 · 2 tests passed                       9.3 s
    ✔ a bill has a sum
    It was lost.
  · Write reports  implementer
· validation  0 of 1`);
});

test("200 columns show the last log line beside its task", () => {
  const lines = renderTree(running(), { ...style, columns: 200 });
  expect(lines).toHaveLength(8);
  expect(lines[4]).toMatch(/^ {2}⠋ Send bills {2}builder · attempt 2 · 2 tests passed {2}✔ a bill has a sum +9\.3 s$/);
  expect(lines[4]).toHaveLength(200);
});

test("a failed task shows its first cause, also after the end", () => {
  const error = { code: "timed_out", message: "It took too long.\nat once", phase: "implementation" };
  const data = { task_id: "bills", phase: "implementation", role: "implementer", agent_id: "agent_1", duration_ms: 5 };
  const event = { event_id: "evt_1", sequence: 1, timestamp: at(9), project_id: "proj_1" };
  const told = applyEvent(running(), { ...event, event: "agent.task_failed", data: { ...data, error } });
  const ended = applyProject(told, { ...project, status: "failed", updated_at: at(10), error });
  const text = renderTree(ended, style).join("\n");
  expect(text).toContain("✗ implementation");
  expect(text).toContain("  ✗ Send bills");
  expect(text).toContain("\n    It took too long.\n");
  expect(text).not.toContain("⠋");
});

test("events alone make a tree: the plan may come later, or never", () => {
  const event = { event_id: "evt_1", sequence: 1, timestamp: at(3), project_id: "proj_1" };
  const data = { task_id: "plan", phase: "planning", role: "planner", agent_id: "agent_1", duration_ms: 200 };
  const tree = applyEvent(treeOf(project), { ...event, event: "agent.task_completed", data });
  const next = { phase: "planning", next_phase: "implementation", artifacts: [] };
  const lines = renderTree(applyEvent(tree, { ...event, event: "project.phase_completed", data: next }), style);
  expect(lines.map((line) => line.trimEnd().split("  ")[0])).toEqual(["Shop", "✓ planning", "⠋ implementation"]);
});

test("where there is no room for all lines, what runs stays", () => {
  const tasks = Array.from({ length: 200 }, (_, at) => task(`t${at}`, at === 150 ? "running" : "waiting"));
  const tree = applyPlan(treeOf(project), [phase("implementation", "running")], tasks);
  const lines = renderTree(tree, { ...style, rows: 10 });
  expect(lines).toHaveLength(10);
  expect(lines.some((line) => line.includes("⠋ t150"))).toBe(true);
  expect(lines.at(-1)).toBe("  … and 193 more");
});

describe("whatever a project's texts are", () => {
  const text = fc.oneof(
    fc.string({ unit: "binary", maxLength: 60 }),
    fc.constantFrom(
      "\u001b[2J\u001b]0;owned\u0007",
      "漢字テスト".repeat(9),
      "👩‍👩‍👧 emoji",
      "a\tb",
      "e\u0301".repeat(30),
    ),
  );
  test("no line is wider than the terminal, and none controls it", () => {
    fc.assert(
      fc.property(
        ...([text, text, text, fc.integer({ min: 40, max: 200 }), fc.integer({ min: 1, max: 40 })] as const),
        (title, log, name, columns, rows) => {
          const plan = applyPlan(
            treeOf({ ...project, name }),
            [phase("implementation", "running")],
            [
              { ...task("a", "running"), title },
              { ...task("b", "failed"), title: log, agent_id: name },
            ],
          );
          const lines = renderTree(applyLogs(plan, [logLine("a", log)]), { ...style, columns, rows });
          expect(lines.length).toBeLessThanOrEqual(rows);
          for (const line of lines) {
            expect(displayWidth(line)).toBeLessThanOrEqual(columns);
            expect(line).not.toMatch(/[\0-\x1f\x7f-\x9f]/);
          }
        },
      ),
    );
  });
});

test("lines of 32,000 signs by the hundred are read for tests that passed, which once took minutes", () => {
  const lines = Array.from({ length: 200 }, () => logLine("bills", ":".repeat(32_000)));
  const task = (tree: RunTree) => tree.phases.flatMap(({ tasks }) => tasks).find(({ id }) => id === "bills");
  const before = running();
  expect(task(applyLogs(before, lines))?.testsPassed).toBe(task(before)?.testsPassed);
});

function running(): RunTree {
  const attempts = [attempt(1, "It was lost."), attempt(2)];
  const plan = applyPlan(
    treeOf(project),
    [phase("planning", "completed"), phase("implementation", "running"), phase("validation", "waiting")],
    [
      { ...task("plan", "completed"), phase: "planning", started_at: at(0.5), ended_at: at(0.7) },
      { ...task("orders", "completed"), title: "Take orders", started_at: at(1), ended_at: at(3) },
      { ...task("bills", "running"), title: "Send bills", started_at: at(3), attempts },
      { ...task("reports", "waiting"), title: "Write reports", agent_id: null },
      { ...task("validate", "waiting"), phase: "validation", agent_id: null },
    ],
  );
  const lines = ["✔ a bill has a date", "ok 2 - a bill has lines", "✖ no", "✔ a bill has a sum", ""];
  return applyLogs(plan, [
    logLine("bills", "✔ of the attempt before", 1),
    ...lines.map((text) => logLine("bills", text)).slice(1),
    logLine("nobody", "what no task wrote"),
  ]);
}

function at(seconds: number): string {
  return new Date(startMs + seconds * 1000).toISOString();
}

function phase(name: string, status: Phase["status"]): Phase {
  return {
    name,
    status,
    kind: "work",
    depends_on: [],
    priority: "medium",
    tasks_done: 0,
    tasks: 1,
    estimated_hours: 1,
  };
}

function task(id: string, status: Task["status"]): Task {
  return {
    ...{ task_id: id, title: id, description: null, phase: "implementation", role: "implementer", status },
    ...{ agent_id: "agent_1", depends_on: [], estimated_hours: 1, serves: [], queued_at: null },
    ...{ started_at: null, ended_at: null, attempts: [] },
  };
}

function attempt(number: number, message?: string): Task["attempts"][number] {
  const usage = { input_tokens: null, output_tokens: null, cost_usd: null };
  const outcome = message === undefined ? "running" : "failed";
  const error = message === undefined ? null : { code: "lost", message };
  return { number, agent_id: "agent_1", queued_at: at(3), started_at: at(3), ended_at: null, outcome, error, usage };
}

function logLine(task_id: string, text: string, attempt = 2) {
  return { at: at(5), source: "test", task_id, attempt, agent_id: "agent_1", text };
}
