import { describe, expect, test } from "vitest";
import { whyNot } from "../../../src/engine/lifecycle/commands.ts";
import type { Command, Effect, RunEvent } from "../../../src/engine/lifecycle/events.ts";
import type { Plan, Rules } from "../../../src/engine/lifecycle/plan.ts";
import { planOf, runOf } from "../../support/lifecycle/plans.ts";
import { Simulation } from "../../support/lifecycle/simulation.ts";

/** First `a`; then `b` and `c` side by side; `d` after both. */
const diamond = planOf(
  { a: {}, b: { dependsOn: ["a"] }, c: { dependsOn: ["a"] }, d: { dependsOn: ["b", "c"] } },
  { a1: { phase: "a" }, b1: { phase: "b" }, c1: { phase: "c" }, d1: { phase: "d" } },
);
const simple = planOf({ implementation: {} }, { build: { phase: "implementation" } });
const error = { code: "agent_timeout", message: "Agent agent_1 timed out after 30 minutes. Last status: thinking" };

describe("the course of a run", () => {
  test("a run goes through its phases to deployed by itself", () => {
    const run = new Play(simple);
    run.tell({ type: "begin" });
    expect(run.view).toMatchObject({ status: "planning", currentPhase: "planning", progress: 0 });
    run.succeed("plan");
    expect(run.view).toMatchObject({ status: "implementation", currentPhase: "implementation", progress: 0.25 });
    run.succeed("build");
    expect(run.view).toMatchObject({ status: "validation", currentPhase: "validation", progress: 0.5 });
    run.succeed("validate");
    expect(run.view).toMatchObject({ status: "deployment", currentPhase: "deployment", progress: 0.75 });
    run.succeed("deploy", { deployment: { version: "v1", url: "http://localhost:5000" } });
    expect(run.view).toMatchObject({ status: "deployed", progress: 1, waitingFor: null, error: null });
    expect(run.emitted.map(({ name }) => name)).toEqual([
      "project.started",
      ...["plan", "build", "validate", "deploy"].flatMap(() => ["agent.task_completed", "project.phase_completed"]),
      "project.deployed",
    ]);
    expect(run.emittedAs("project.deployed")).toEqual([
      { environment: "", version: "v1", url: "http://localhost:5000" },
    ]);
  });

  test("before the start the phase is specification, and nothing is under way", () => {
    const run = new Play(simple);
    expect(run.view).toMatchObject({ status: "specification", currentPhase: "specification", waitingFor: null });
    expect(run.jobs.size).toBe(0);
  });

  test("a phase begins when all that it depends on is complete; independent ones run side by side", () => {
    const run = new Play(diamond).through("plan");
    expect(run.working).toEqual(["a1"]);
    run.succeed("a1");
    expect(run.working).toEqual(["b1", "c1"]);
    run.succeed("c1");
    expect(run.working).toEqual(["b1"]);
    expect(run.view.currentPhase).toBe("b");
    run.succeed("b1");
    expect(run.working).toEqual(["d1"]);
  });

  test("phase_completed names the next phase in order, and nothing after the last", () => {
    const run = new Play(diamond).through("plan", "a1", "c1", "b1", "d1", "validate", "deploy");
    expect(run.emittedAs("project.phase_completed").map(({ phase, next_phase }) => [phase, next_phase])).toEqual([
      ["planning", "a"],
      ["a", "b"],
      ["c", "d"],
      // c is over already.
      ["b", "d"],
      ["d", "validation"],
      ["validation", "deployment"],
      ["deployment", ""],
    ]);
  });

  test("phase_completed lists what the phase's tasks made, by address", () => {
    const run = new Play(simple).through("plan");
    run.succeed("build", { artifacts: [{ type: "source_code", path: "src/a b.ts" }] });
    expect(run.emittedAs("project.phase_completed").at(-1)!.artifacts).toEqual([
      { type: "source_code", url: "/api/v1/projects/proj_1/artifacts/src/a%20b.ts" },
    ]);
  });

  test("no more tasks are under way at once than parallel_tasks allows", () => {
    const tasks = { a: { phase: "work" }, b: { phase: "work" }, c: { phase: "work" } };
    const run = new Play(planOf({ work: {} }, tasks), { parallelTasks: 2 }).through("plan");
    expect(run.working).toEqual(["a", "b"]);
    run.succeed("b");
    expect(run.working).toEqual(["a", "c"]);
  });

  test("where there is not room for all, the phase of higher priority goes first", () => {
    const phases = {
      low: { priority: "low" },
      medium: {},
      critical: { priority: "critical" },
      high: { priority: "high" },
    } as const;
    const tasks = { l: { phase: "low" }, m: { phase: "medium" }, c: { phase: "critical" }, h: { phase: "high" } };
    const run = new Play(planOf(phases, tasks), { parallelTasks: 1 }).through("plan");
    const order: string[] = [];
    for (let i = 0; i < 4; i += 1) {
      order.push(...run.working);
      run.succeed(run.working[0]!);
    }
    expect(order).toEqual(["c", "h", "m", "l"]);
  });

  test("a task waits for those it depends on, in its own phase too", () => {
    const tasks = { second: { phase: "work", dependsOn: ["first"] }, first: { phase: "work" } };
    const run = new Play(planOf({ work: {} }, tasks)).through("plan");
    expect(run.working).toEqual(["first"]);
    run.succeed("first");
    expect(run.working).toEqual(["second"]);
  });

  test("a phase with acceptance of its own ends only when that holds", () => {
    const plan = planOf(
      { a: { hasAcceptance: true }, b: { dependsOn: ["a"] } },
      { a1: { phase: "a" }, b1: { phase: "b" } },
    );
    const run = new Play(plan).through("plan", "a1");
    expect(run.working).toEqual([]);
    expect(run.emittedAs("project.phase_completed")).toHaveLength(1);
    run.tell({ type: "phase_accepted", phase: "a", job: run.jobFor("a") });
    expect(run.emittedAs("project.phase_completed")).toHaveLength(2);
    expect(run.working).toEqual(["b1"]);
  });

  test("a phase whose acceptance does not hold fails the project", () => {
    const plan = planOf({ a: { hasAcceptance: true } }, { a1: { phase: "a" } });
    const run = new Play(plan).through("plan", "a1");
    run.tell({
      type: "phase_rejected",
      phase: "a",
      job: run.jobFor("a"),
      error: { code: "acceptance", message: "No." },
    });
    expect(run.state.error).toEqual({ code: "acceptance", message: "No.", phase: "a" });
    expect(run.view).toMatchObject({ status: "failed", currentPhase: "a" });
  });

  test("phases without tasks end at once", () => {
    const run = new Play(planOf({ a: {}, b: { dependsOn: ["a"] } }, {})).through("plan");
    expect(run.working).toEqual(["validate"]);
  });

  test("where nothing is planned, nothing is done: progress is a number all the same", () => {
    const run = new Play({ phases: [], tasks: [] });
    run.tell({ type: "pause" });
    expect(run.view).toMatchObject({ status: "specification", progress: 0, waitingFor: "paused" });
    const empty = new Play({ phases: planOf({ a: { hasAcceptance: true } }, {}).phases, tasks: [] });
    empty.tell({ type: "begin" });
    expect(empty.view).toMatchObject({ status: "implementation", progress: 0 });
  });

  test("progress is done hours over all hours", () => {
    const tasks = { small: { phase: "work", estimatedHours: 2 }, big: { phase: "work", estimatedHours: 15 } };
    const run = new Play(planOf({ work: {} }, tasks)).through("plan", "big");
    expect(run.view.progress).toBe(16 / 20);
  });

  test("progress is 1 only when deployed, not when the last task is done", () => {
    const phases = simple.phases.map((phase) => ({ ...phase, hasAcceptance: phase.kind === "deployment" }));
    const run = new Play({ ...simple, phases }).through("plan", "build", "validate", "deploy");
    expect(run.view).toMatchObject({ status: "deployment", progress: 0.999 });
    run.tell({ type: "phase_accepted", phase: "deployment", job: run.jobFor("deployment") });
    expect(run.view).toMatchObject({ status: "deployed", progress: 1 });
  });

  test("the planner's plan replaces the first one, and progress does not fall because of it", () => {
    const run = new Play(simple);
    run.tell({ type: "begin" });
    run.succeed("plan", { plan: diamond });
    expect(run.working).toEqual(["a1"]);
    expect(run.view.progress).toBe(1 / 7);
  });

  test("tasks, phases and roles may have any name", () => {
    const names = { constructor: { phase: "toString", role: "valueOf" }, ["__proto__"]: { phase: "hasOwnProperty" } };
    const plan = planOf({ toString: {}, hasOwnProperty: {} }, names);
    const run = new Play(plan).through("plan", "constructor", "__proto__", "validate", "deploy");
    expect(run.view.status).toBe("deployed");
  });
});

describe("people who decide", () => {
  test("a plan that is to be reviewed waits for it, and goes on with the plan as it was edited", () => {
    const run = new Play(simple, { reviewPlan: true }).through("plan");
    expect(run.view).toMatchObject({ status: "implementation", waitingFor: "approval" });
    expect(run.jobs.size).toBe(0);
    run.tell({ type: "plan_edited", plan: diamond });
    expect(run.lastEffects).toContainEqual({ type: "save_plan", plan: diamond });
    run.tell({ type: "gate_decided", gate: "plan", round: 1, isApproved: true, reason: "" });
    expect(run.working).toEqual(["a1"]);
  });

  test("deployment waits for its approval", () => {
    const run = new Play(simple, { approveDeployment: true }).through("plan", "build", "validate");
    expect(run.view).toMatchObject({ status: "deployment", waitingFor: "approval", currentPhase: "deployment" });
    run.tell({ type: "gate_decided", gate: "deployment", round: 1, isApproved: true, reason: "" });
    expect(run.working).toEqual(["deploy"]);
  });

  test("a denied deployment fails the project, with the reason", () => {
    const run = new Play(simple, { approveDeployment: true }).through("plan", "build", "validate");
    run.tell({ type: "gate_decided", gate: "deployment", round: 1, isApproved: false, reason: "Not on a Friday." });
    expect(run.state.error).toEqual({ code: "approval_denied", message: "Not on a Friday.", phase: "deployment" });
  });

  test("the denial of a plan is told of the phase for which it was asked", () => {
    const plan = planOf({ second: { dependsOn: ["first"] }, first: {} }, {});
    const run = new Play(plan, { reviewPlan: true }).through("plan");
    expect(run.lastEffects).toContainEqual({ type: "ask_approval", gate: "plan", round: 1, phase: "first" });
    run.tell({ type: "gate_decided", gate: "plan", round: 1, isApproved: false, reason: "No." });
    expect(run.state.error?.phase).toBe("first");
  });

  test("a decision about what was withdrawn does not count", () => {
    const run = new Play(simple, { approveDeployment: true }).through("plan", "build", "validate");
    run.tell({ type: "restart", fromPhase: "validation" });
    run.through("validate");
    expect(run.questions).toEqual(new Map([["deployment", 2]]));
    const late: RunEvent = { type: "gate_decided", gate: "deployment", round: 1, isApproved: true, reason: "" };
    expect(run.tell(late).isIgnored).toBe(true);
  });

  test("what is made anew after an approval needs a new one", () => {
    const run = new Play(simple, { approveDeployment: true }).through("plan", "build", "validate");
    run.tell({ type: "gate_decided", gate: "deployment", round: 1, isApproved: true, reason: "" });
    run.fail("deploy", { isFinal: true });
    run.tell({ type: "retry", taskId: "build", downstream: true });
    run.through("build", "validate");
    expect(run.view.waitingFor).toBe("approval");
    expect(run.working).toEqual([]);
  });

  test("a deployment that is only tried again needs no new approval", () => {
    const run = new Play(simple, { approveDeployment: true }).through("plan", "build", "validate");
    run.tell({ type: "gate_decided", gate: "deployment", round: 1, isApproved: true, reason: "" });
    run.fail("deploy", { isFinal: true });
    run.tell({ type: "retry", taskId: "deploy", downstream: false });
    expect(run.working).toEqual(["deploy"]);
  });
});

describe("agents that fail or are missing", () => {
  test("a failed task is tried again by the same agent, each time after a longer wait", () => {
    const run = new Play(simple).through("plan");
    run.fail("build");
    expect(run.started("build")).toMatchObject({ attempt: 2, agentId: "agent_1", failures: 1 });
    run.fail("build");
    expect(run.started("build")).toMatchObject({ attempt: 3, agentId: "agent_1", failures: 2 });
    expect(run.emittedAs("agent.task_failed")).toHaveLength(2);
    expect(run.view).toMatchObject({ status: "implementation", error: null });
  });

  test("after its attempts another agent has one, and then the project fails with that agent's error", () => {
    const run = new Play(simple).through("plan");
    for (let i = 0; i < 3; i += 1) run.fail("build");
    expect(run.lastEffects).toContainEqual({
      type: "find_other_agent",
      taskId: "build",
      role: "implementer",
      besides: ["agent_1"],
      error: { ...error, phase: "implementation", task_id: "build", agent_id: "agent_1" },
    });
    run.tell({ type: "other_agent_found", taskId: "build", agentId: "agent_2" });
    expect(run.started("build")).toMatchObject({ attempt: 4, agentId: "agent_2", failures: 0 });
    run.fail("build");
    expect(run.state.error).toEqual({ ...error, phase: "implementation", task_id: "build", agent_id: "agent_2" });
    expect(run.emittedAs("project.failed")).toEqual([{ error: run.state.error, phase: "implementation" }]);
    expect(run.state.tasks["build"]).toMatchObject({ is: "failed", attempt: 4 });
  });

  test("where there is no other agent, the project fails with the first one's error", () => {
    const run = new Play(simple, { attemptsPerAgent: 1 }).through("plan");
    run.fail("build");
    const given = run.searches.get("build")!.error;
    run.tell({ type: "no_other_agent", taskId: "build", error: given });
    expect(run.state.error).toEqual({ ...error, phase: "implementation", task_id: "build", agent_id: "agent_1" });
  });

  test("a failure that comes twice counts once, also while another agent is looked for", () => {
    const run = new Play(simple, { attemptsPerAgent: 1 }).through("plan");
    const failure = run.fail("build");
    expect(run.tell(failure).isIgnored).toBe(true);
    run.tell({ type: "other_agent_found", taskId: "build", agentId: "agent_2" });
    expect(run.tell(failure).isIgnored).toBe(true);
    expect(run.view.status).toBe("implementation");
  });

  test("another agent that is found twice is asked once", () => {
    const run = new Play(simple, { attemptsPerAgent: 1 }).through("plan");
    run.fail("build");
    run.tell({ type: "other_agent_found", taskId: "build", agentId: "agent_2" });
    expect(run.tell({ type: "other_agent_found", taskId: "build", agentId: "agent_3" }).isIgnored).toBe(true);
    expect(run.tell({ type: "no_other_agent", taskId: "build", error }).isIgnored).toBe(true);
    expect(run.jobs.size).toBe(1);
  });

  test("a failure that is known from the attempt before fails the project at once; another one does not", () => {
    const run = new Play(simple).through("plan");
    run.fail("build", { fingerprint: "one" });
    run.fail("build", { fingerprint: "other" });
    expect(run.started("build")).toMatchObject({ attempt: 3 });
    run.fail("build", { fingerprint: "other" });
    expect(run.state.error).toEqual({ ...error, phase: "implementation", task_id: "build", agent_id: "agent_1" });
    expect(run.searches.size).toBe(0);
  });

  test("a failure that the same agent would repeat goes to another agent at once", () => {
    const run = new Play(simple).through("plan");
    run.fail("build", { isByRule: true });
    expect(run.searches.get("build")).toMatchObject({ besides: ["agent_1"] });
    run.tell({ type: "other_agent_found", taskId: "build", agentId: "agent_2" });
    expect(run.started("build")).toMatchObject({ attempt: 2, agentId: "agent_2" });
  });

  test("a failure that no attempt would mend fails the project at once", () => {
    const run = new Play(simple).through("plan");
    run.fail("build", { isFinal: true });
    expect(run.view).toMatchObject({ status: "failed", currentPhase: "implementation" });
  });

  test("when one task fails for good, the others are stopped", () => {
    const run = new Play(diamond).through("plan", "a1");
    run.fail("b1", { isFinal: true });
    expect(run.jobs.size).toBe(0);
    expect(run.state.tasks["c1"]).toMatchObject({ is: "waiting", attempt: 1 });
  });

  test("a role is looked for at its first task, and the run waits for an agent meanwhile", () => {
    const run = new Play(simple);
    run.tell({ type: "begin" }, { fillRoles: false });
    expect([...run.jobs.values()]).toMatchObject([{ is: "role", role: "planner" }]);
    expect(run.view.waitingFor).toBe("agent");
    run.tell({ type: "role_filled", role: "planner", job: 1, agentId: "agent_7" });
    expect(run.started("plan")).toMatchObject({ agentId: "agent_7", priority: "medium" });
    expect(run.view).toMatchObject({ waitingFor: null, agents: { planner: "agent_7" } });
  });

  test("with no agent known the project fails with the exact message", () => {
    const run = new Play(simple);
    run.tell({ type: "begin" }, { fillRoles: false });
    run.tell({ type: "role_unfillable", role: "planner", job: 1, capabilities: ["go", "react"] });
    expect(run.state.error).toEqual({
      code: "no_agents_available",
      message: "No agents available with capabilities: [go, react]",
      phase: "planning",
    });
  });

  test("of very many capabilities that no agent has, the failure names only the first", () => {
    const run = new Play(simple);
    run.tell({ type: "begin" }, { fillRoles: false });
    const capabilities = Array.from({ length: 10_000 }, (_, at) => `skill-${at}`);
    run.tell({ type: "role_unfillable", role: "planner", job: 1, capabilities });
    const { message } = run.state.error!;
    expect(message).toMatch(/^No agents available with capabilities: \[skill-0, skill-1, .*…\]$/);
    expect(message.length).toBeLessThan(2_100);
  });

  test("the answer of a search that was dropped does not count", () => {
    const run = new Play(simple);
    run.tell({ type: "begin" }, { fillRoles: false });
    run.tell({ type: "restart", fromPhase: "planning" }, { fillRoles: false });
    const late: RunEvent = { type: "role_unfillable", role: "planner", job: 1, capabilities: ["go"] };
    expect(run.tell(late, { fillRoles: false }).isIgnored).toBe(true);
    expect(run.view).toMatchObject({ status: "planning", waitingFor: "agent" });
  });

  test("an agent that was assigned beforehand is not looked for", () => {
    const run = new Play(simple);
    run.tell(assign("planner", "agent_9"));
    run.tell({ type: "begin" }, { fillRoles: false });
    expect(run.started("plan")).toMatchObject({ agentId: "agent_9", priority: "high" });
  });

  test("assigning an agent ends the search for one", () => {
    const run = new Play(simple);
    run.tell({ type: "begin" }, { fillRoles: false });
    run.tell(assign("planner", "agent_9"), { fillRoles: false });
    expect([...run.jobs.values()]).toMatchObject([{ is: "task", taskId: "plan", agentId: "agent_9" }]);
  });

  test("an assignment takes effect at the next task, and leaves a running one where it is", () => {
    const tasks = { one: { phase: "work" }, two: { phase: "work" } };
    const run = new Play(planOf({ work: {} }, tasks), { parallelTasks: 1 }).through("plan");
    run.tell(assign("implementer", "agent_2", [run.jobFor("one")]));
    expect(run.lastEffects).toEqual([]);
    expect(run.state.tasks["one"]).toMatchObject({ agent: "agent_1", attempt: 1 });
    run.succeed("one");
    expect(run.started("two")).toMatchObject({ agentId: "agent_2" });
  });

  test("a task that nobody has begun moves, and who did it is told as its agent", () => {
    const run = new Play(simple).through("plan");
    run.tell(assign("implementer", "agent_2"));
    run.succeed("build");
    expect(run.emittedAs("agent.task_completed").at(-1)).toMatchObject({ task_id: "build", agent_id: "agent_2" });
  });

  test("reassigning moves a running task: the old attempt no longer counts", () => {
    const run = new Play(simple).through("plan");
    const old = run.jobFor("build");
    run.tell(assign("implementer", "agent_2"));
    expect(run.lastEffects).toContainEqual({ type: "drop_jobs", jobs: [old] });
    expect(run.started("build")).toMatchObject({ attempt: 2, agentId: "agent_2" });
    expect(run.tell({ type: "task_succeeded", taskId: "build", job: old, durationMs: 1 }).isIgnored).toBe(true);
  });

  test("reassigning a task for which another agent is looked for ends the search", () => {
    const run = new Play(simple, { attemptsPerAgent: 1 }).through("plan");
    run.fail("build");
    run.tell(assign("implementer", "agent_2"));
    expect(run.lastEffects.map(({ type }) => type)).toEqual(["start_task"]);
    expect(run.tell({ type: "other_agent_found", taskId: "build", agentId: "agent_3" }).isIgnored).toBe(true);
  });
});

describe("commands", () => {
  test("a paused run begins nothing new, and goes on where it was", () => {
    const run = new Play(diamond).through("plan");
    run.tell({ type: "pause" });
    expect(run.lastEffects).toEqual([{ type: "hold_jobs" }]);
    expect(run.view).toMatchObject({ status: "implementation", waitingFor: "paused" });
    run.succeed("a1");
    expect(run.working).toEqual([]);
    run.tell({ type: "resume" });
    expect(run.lastEffects[0]).toEqual({ type: "release_jobs" });
    expect(run.working).toEqual(["b1", "c1"]);
  });

  test("a paused run does not verify acceptance before it is resumed", () => {
    const run = new Play(planOf({ a: { hasAcceptance: true } }, { a1: { phase: "a" } })).through("plan");
    run.tell({ type: "pause" });
    run.succeed("a1");
    expect(run.jobs.size).toBe(0);
    run.tell({ type: "resume" });
    expect([...run.jobs.values()]).toMatchObject([{ is: "phase", phase: "a" }]);
  });

  test.each<[string, (run: Play) => void]>([
    ["restarted", (run) => run.tell({ type: "restart", fromPhase: "implementation" })],
    ["rolled back", (run) => run.tell(run.rollbackTo("planning"))],
    [
      "cancelled and retried",
      (run) => {
        run.tell({ type: "cancel" });
        run.tell({ type: "retry", taskId: "build", downstream: false });
      },
    ],
  ])("a paused run that is %s is no longer held", (_, command) => {
    const run = new Play(simple).through("plan");
    run.tell({ type: "pause" });
    command(run);
    expect(run.lastEffects).toContainEqual({ type: "release_jobs" });
    expect(run.view.waitingFor).toBe(null);
    expect(run.working).toEqual(["build"]);
  });

  test("a debugged run stops before each task until the next step", () => {
    const run = new Play(diamond);
    run.tell({ type: "debug", command: "start" });
    run.tell({ type: "begin" });
    expect(run.view.waitingFor).toBe("debug");
    for (const task of ["plan", "a1"]) {
      expect(run.working).toEqual([]);
      run.tell({ type: "debug", command: "step" });
      run.succeed(task);
    }
    run.tell({ type: "debug", command: "step" });
    expect(run.working).toEqual(["b1"]);
    run.tell({ type: "debug", command: "continue" });
    expect(run.working).toEqual(["b1", "c1"]);
    run.tell({ type: "debug", command: "start" });
    run.through("b1", "c1");
    expect(run.view.waitingFor).toBe("debug");
    run.tell({ type: "debug", command: "stop" });
    expect(run.working).toEqual(["d1"]);
  });

  test("cancelling ends in failed, and says so once", () => {
    const run = new Play(diamond).through("plan", "a1");
    run.tell({ type: "cancel" });
    expect(run.jobs.size).toBe(0);
    expect(run.view).toMatchObject({ status: "failed", currentPhase: "b", error: { code: "cancelled", phase: "b" } });
    expect(run.tell({ type: "cancel" }).isIgnored).toBe(true);
    expect(run.emittedAs("project.failed")).toHaveLength(1);
  });

  test("a run that is cancelled before its start was in specification", () => {
    const run = new Play(simple);
    run.tell({ type: "cancel" });
    expect(run.view).toMatchObject({ status: "failed", currentPhase: "specification" });
    expect(run.tell({ type: "begin" }).isIgnored).toBe(true);
  });

  test("results of dropped jobs are ignored", () => {
    const run = new Play(diamond).through("plan", "a1");
    const [b1, c1] = [run.jobFor("b1"), run.jobFor("c1")];
    run.tell({ type: "restart", fromPhase: "b" });
    const head = { commit: "late", bundle: "late" };
    expect(run.tell({ type: "task_succeeded", taskId: "b1", job: b1, durationMs: 1, head }).isIgnored).toBe(true);
    expect(run.tell({ type: "task_failed", taskId: "c1", job: c1, durationMs: 1, error }).isIgnored).toBe(true);
    expect(run.working).toEqual(["b1", "c1"]);
  });

  test("restarting does the phase and all after it again, with the code as it was when the phase began", () => {
    const run = new Play(diamond).through("plan", "a1", "b1", "c1", "d1");
    const before = run.state.phases["d"]!.start.head;
    run.tell({ type: "restart", fromPhase: "d" });
    expect(run.state.head).toEqual(before);
    expect(run.working).toEqual(["d1"]);
    expect(run.view).toMatchObject({ status: "implementation", currentPhase: "d", progress: 4 / 7 });
    expect(run.started("d1")).toMatchObject({ attempt: 2 });
    expect(run.emittedAs("project.restarted")).toEqual([{ from_phase: "d" }]);
  });

  test("restarting also does what ran beside the phase and was merged since again", () => {
    const run = new Play(diamond).through("plan", "a1", "c1", "b1");
    run.tell({ type: "restart", fromPhase: "b" });
    expect(run.working).toEqual(["b1", "c1"]);
    expect(run.state.head?.commit).toBe("plan a1");
  });

  test("restarting forgets repairs, but no number of their attempts", () => {
    const repair = { role: "implementer", description: "Mend it.", lines: [], isCertain: true };
    const run = new Play(simple, { repairRounds: 1 }).through("plan", "build");
    run.fail("validate", { repair });
    run.through("slipway-repair-1", "validate");
    run.tell({ type: "restart", fromPhase: "validation" });
    expect(run.working).toEqual(["validate"]);
    run.fail("validate", { repair });
    expect(run.state.tasks["slipway-repair-1"]).toMatchObject({ is: "active", attempt: 2, failures: 0 });
    run.through("slipway-repair-1", "validate", "deploy");
    expect(run.view.status).toBe("deployed");
  });

  test("restarting leaves what ran beside the phase and merged nothing as it is", () => {
    const run = new Play(diamond).through("plan", "a1");
    run.succeed("c1", { isMerged: false });
    run.tell({ type: "restart", fromPhase: "b" });
    expect(run.working).toEqual(["b1"]);
    expect(run.state.phases["c"]!.is).toBe("done");
  });

  test("restarting a phase lets a task go on that had failed beside it", () => {
    const run = new Play(diamond).through("plan", "a1");
    run.fail("b1", { isFinal: true });
    run.tell({ type: "restart", fromPhase: "c" });
    expect(run.working).toEqual(["b1", "c1"]);
  });

  test("a deployed project can be restarted, and is deployed once more", () => {
    const run = new Play(simple).through("plan", "build", "validate", "deploy");
    run.tell({ type: "restart", fromPhase: "validation" });
    expect(run.view).toMatchObject({ status: "validation", progress: 0.5 });
    run.through("validate", "deploy");
    expect(run.emittedAs("project.deployed")).toHaveLength(2);
  });

  test("rolling back restores code, state and plan of the checkpoint together", () => {
    const run = new Play(simple);
    run.tell({ type: "begin" });
    run.succeed("plan", { plan: diamond });
    run.through("a1", "b1", "c1");
    const rollback = run.rollbackTo("a");
    run.through("d1");
    run.tell({ type: "restart", fromPhase: "planning" });
    run.succeed("plan", { plan: simple });
    run.tell(rollback);
    expect(run.lastEffects).toContainEqual({ type: "save_plan", plan: diamond });
    expect(run.state.head?.commit).toBe("plan a1");
    expect(run.working).toEqual(["b1", "c1"]);
    expect(run.view.progress).toBe(2 / 7);
    expect(run.emittedAs("project.rolled_back")).toEqual([{ checkpoint: rollback.checkpoint }]);
  });

  test("rolling back restores what the checks found: a person is asked about the lines that were open then", () => {
    const run = new Play(simple, { asksIfUnverified: true }).through("plan", "build");
    const checks = { passed: 1, failed: 0, not_checked: 1, waived: 0 };
    run.succeed("validate", { checks });
    const rollback = run.rollbackTo("validation");
    run.tell({ type: "restart", fromPhase: "implementation" });
    run.through("build");
    run.succeed("validate", { checks: { ...checks, not_checked: 0 } });
    expect(run.working).toEqual(["deploy"]);
    run.tell(rollback);
    expect(run.state.checks).toEqual(checks);
    expect(run.view.waitingFor).toBe("approval");
    expect(run.working).toEqual([]);
  });

  test.each([
    ["that has begun", true],
    ["about which a person is asked", false],
  ])("restarting a deployment %s asks anew about lines that are open", (_, hasBegun) => {
    const run = new Play(simple, { asksIfUnverified: true, linesOfDeployment: 1 }).through("plan", "build");
    const checks = { passed: 1, failed: 0, not_checked: 2, waived: 0 };
    run.succeed("validate", { checks });
    if (hasBegun) {
      run.tell({ type: "gate_decided", gate: "deployment", round: 1, isApproved: true, reason: "" });
      run.fail("deploy", { checks: { ...checks, passed: 2, not_checked: 1 }, isFinal: true });
    }
    run.tell({ type: "restart", fromPhase: "deployment" });
    expect(run.view.waitingFor).toBe("approval");
    expect(run.working).toEqual([]);
    expect(run.state.checks).toEqual(checks);
  });

  test("rolling back counts attempts and jobs on: late results of then are not taken for new ones", () => {
    const run = new Play(diamond).through("plan", "a1");
    const rollback = run.rollbackTo("a");
    const old = run.jobFor("b1");
    run.tell(rollback);
    expect(run.started("b1")).toMatchObject({ attempt: 2 });
    expect(run.jobFor("b1")).toBeGreaterThan(old);
    expect(run.tell({ type: "task_succeeded", taskId: "b1", job: old, durationMs: 1 }).isIgnored).toBe(true);
  });

  test("retrying goes on with the task that failed", () => {
    const run = new Play(diamond).through("plan", "a1");
    run.fail("b1", { isFinal: true });
    run.tell({ type: "retry", taskId: "b1", downstream: false });
    expect(run.view).toMatchObject({ status: "implementation", error: null });
    expect(run.working).toEqual(["b1", "c1"]);
    expect(run.started("b1")).toMatchObject({ attempt: 2, failures: 0 });
  });

  test("retrying with downstream does the task and all that depend on it again, and nothing else", () => {
    const tasks = {
      a1: { phase: "a" },
      a2: { phase: "a", dependsOn: ["a1"] },
      other: { phase: "a" },
      b1: { phase: "b" },
    };
    const plan = planOf({ a: {}, b: { dependsOn: ["a"] } }, tasks);
    const run = new Play(plan).through("plan", "a1", "a2", "other", "b1");
    const { progress } = run.view;
    run.fail("validate", { isFinal: true });
    run.tell({ type: "retry", taskId: "a1", downstream: true });
    expect(run.working).toEqual(["a1"]);
    expect(run.view).toMatchObject({ currentPhase: "a", progress });
    run.succeed("a1");
    expect(run.working).toEqual(["a2"]);
    run.succeed("a2");
    expect(run.working).toEqual(["b1"]);
    run.through("b1", "validate", "deploy");
    expect(run.view.status).toBe("deployed");
  });

  test("retrying with downstream also ends phases anew that have no tasks", () => {
    const plan = planOf({ a: {}, empty: { dependsOn: ["a"], hasAcceptance: true } }, { a1: { phase: "a" } });
    const run = new Play(plan).through("plan", "a1");
    run.tell({ type: "phase_accepted", phase: "empty", job: run.jobFor("empty") });
    run.fail("validate", { isFinal: true });
    run.tell({ type: "retry", taskId: "a1", downstream: true });
    run.succeed("a1");
    expect(run.jobFor("empty")).toBeGreaterThan(0);
  });

  test("an impossible restart does not change the progress", () => {
    const run = new Play(simple).through("plan", "build");
    run.fail("validate", { isFinal: true });
    run.tell({ type: "retry", taskId: "build", downstream: true });
    expect(run.tell({ type: "restart", fromPhase: "nowhere" }).isIgnored).toBe(true);
    expect(run.view.progress).toBe(0.5);
  });

  test.each<[string, Command, string]>([
    ["resume", { type: "resume" }, "The project is not paused: it is in implementation."],
    [
      "retry",
      { type: "retry", taskId: "build", downstream: false },
      "Only a failed project can be retried; this one is in implementation.",
    ],
    ["step", { type: "debug", command: "step" }, "The project is not being debugged; start that first."],
    [
      "restart",
      { type: "restart", fromPhase: "x" },
      "There is no phase 'x'. There are: planning, implementation, validation, deployment.",
    ],
  ])("why %s is not possible is said in words", (_, command, reason) => {
    const run = new Play(simple).through("plan");
    expect(whyNot(run.run.plan, run.state, command)).toBe(reason);
    expect(run.tell(command).isIgnored).toBe(true);
  });
});

function assign(role: string, agentId: string, begun: readonly number[] = []): Command {
  return { type: "assign", role, agentId, priority: "high", begun };
}

type Result<T extends RunEvent["type"]> = Partial<Extract<RunEvent, { type: T }>>;

/** A run in which `agent_1` fills every role, and in which the test says how tasks end. */
describe("reviews", () => {
  const reviews = { "review-as-auditor": "auditor", "review-as-lawyer": "lawyer" };
  const reviewed = planOf(
    { work: {} },
    {
      build: { phase: "work" },
      late: { phase: "validation" },
      ...Object.fromEntries(Object.entries(reviews).map(([id, role]) => [id, { phase: "validation", role }])),
    },
  );
  const tasks = reviewed.tasks.map((task) => {
    if (task.id === "validate") return { ...task, dependsOn: ["late", ...Object.keys(reviews)] };
    return task;
  });
  const repair = { role: "implementer", description: "Mend it.", lines: [], isCertain: true };
  const accept = (run: Play, ...ids: string[]) => {
    for (const id of ids) run.succeed(id, { isMerged: false });
  };
  const begun = () => new Play({ ...reviewed, tasks }, { repairRounds: 2 }).through("plan", "build");

  test("each is of one commit: what a repair changes is reviewed before it is validated again", () => {
    const run = begun();
    accept(run, "late", ...Object.keys(reviews));
    for (const round of [1, 2]) {
      run.fail("validate", { repair });
      expect(run.working).toEqual([`slipway-repair-${round}`]);
      run.succeed(`slipway-repair-${round}`);
      expect(run.working).toEqual(Object.keys(reviews));
      accept(run, ...Object.keys(reviews));
      expect(run.working).toEqual(["validate"]);
    }
    accept(run, "validate", "deploy");
    expect(run.view.status).toBe("deployed");
    expect(run.state.tasks["review-as-auditor"]).toMatchObject({ is: "done", attempt: 3 });
  });

  test("one that refuses what a repair changed fails the project", () => {
    const run = begun();
    accept(run, "late", ...Object.keys(reviews));
    run.fail("validate", { repair });
    run.succeed("slipway-repair-1");
    run.fail("review-as-lawyer", { error: { code: "review_refused", message: "No." }, isFinal: true });
    expect(run.state).toMatchObject({ status: "failed", error: { code: "review_refused" } });
    run.tell({ type: "retry", taskId: "validate", downstream: false });
    expect(run.working).toEqual(Object.keys(reviews));
  });

  test("one that another task overtakes begins anew, and what it says no longer counts", () => {
    const run = begun();
    accept(run, "review-as-auditor");
    const job = run.jobFor("review-as-lawyer");
    run.succeed("late");
    expect(run.working).toEqual(Object.keys(reviews));
    const late = run.tell({ type: "task_succeeded", taskId: "review-as-lawyer", job, durationMs: 5 });
    expect(late.isIgnored).toBe(true);
  });

  test("one for which another agent is looked for goes on with that agent", () => {
    const run = begun();
    for (let i = 0; i < 3; i += 1) run.fail("review-as-lawyer");
    run.succeed("late");
    run.tell({ type: "other_agent_found", taskId: "review-as-lawyer", agentId: "agent_2" });
    expect(run.started("review-as-lawyer")).toMatchObject({ attempt: 4, agentId: "agent_2" });
  });

  test("one counts on where a task left the result as it was", () => {
    const run = begun();
    accept(run, "review-as-auditor", "review-as-lawyer");
    run.succeed("late", { head: run.state.head! });
    expect(run.working).toEqual(["validate"]);
  });
});

class Play extends Simulation {
  lastEffects: readonly Effect[] = [];

  constructor(plan: Plan, rules: Partial<Rules> = {}) {
    super(runOf(plan, rules));
  }

  override tell(event: RunEvent, { fillRoles = true } = {}) {
    const step = super.tell(event);
    this.lastEffects = step.effects;
    for (const job of fillRoles ? [...this.jobs.values()] : []) {
      if (job.is !== "role") continue;
      const filled = super.tell({ type: "role_filled", role: job.role, job: job.number, agentId: "agent_1" });
      this.lastEffects = [...this.lastEffects, ...filled.effects];
    }
    return step;
  }

  /** Begins, if need be, and has these tasks succeed one after the other. */
  through(...tasks: string[]): this {
    if (this.state.status === "specification") this.tell({ type: "begin" });
    for (const task of tasks) this.succeed(task);
    return this;
  }

  /** The commit tells which tasks are in it. */
  succeed(
    taskId: string,
    { isMerged = true, ...result }: Result<"task_succeeded"> & { isMerged?: boolean } = {},
  ): void {
    const commit = [...(this.state.head === null ? [] : [this.state.head.commit]), taskId].join(" ");
    const head = isMerged ? { head: { commit, bundle: commit } } : {};
    this.tell({ type: "task_succeeded", taskId, job: this.jobFor(taskId), durationMs: 5, ...head, ...result });
  }

  fail(taskId: string, result: Result<"task_failed"> = {}): RunEvent {
    const event: RunEvent = {
      ...{ type: "task_failed", taskId, job: this.jobFor(taskId), durationMs: 5, error },
      ...result,
    };
    this.tell(event);
    return event;
  }

  rollbackTo(phase: string): Extract<Command, { type: "rollback" }> {
    const { id, state, plan } = this.checkpoints.findLast((checkpoint) => checkpoint.phase === phase)!;
    return { type: "rollback", checkpoint: id, state, plan };
  }

  /** The job that is at the task or phase. */
  jobFor(name: string): number {
    for (const job of this.jobs.values()) {
      if ((job.is === "task" && job.taskId === name) || (job.is === "phase" && job.phase === name)) return job.number;
    }
    throw new Error(`Nobody is at ${name}.`);
  }

  /** How the task was started just now. */
  started(taskId: string): Effect | undefined {
    return this.lastEffects.findLast((effect) => effect.type === "start_task" && effect.taskId === taskId);
  }

  /** The tasks that are being worked on. */
  get working(): string[] {
    return [...this.jobs.values()].flatMap((job) => (job.is === "task" ? [job.taskId] : [])).toSorted();
  }
}
