import { ok, deepStrictEqual as same } from "node:assert/strict";
import { isReview } from "@slipway/spec";
import { whyNot } from "../../../src/engine/lifecycle/commands.ts";
import type { Effect } from "../../../src/engine/lifecycle/events.ts";
import { hasEnded, type RunState } from "../../../src/engine/lifecycle/state.ts";
import { isCommand, markOf } from "./moves.ts";
import { type Simulation, type Step, written } from "./simulation.ts";

/** What holds of every run, whatever has happened to it. */
export function checkState(simulation: Simulation): void {
  checkOrder(simulation);
  checkJobs(simulation);
  checkEnd(simulation);
  checkGoesOn(simulation);
  checkWorkIsKept(simulation);
  checkReviews(simulation);
  checkView(simulation);
}

/** Nothing is begun, or over, before what it waits for; and not more at once than allowed. */
function checkOrder({ run, state }: Simulation): void {
  const { phases, tasks } = run.plan.plan;
  const isPhaseDone = (name: string) => own(state.phases, name)?.is === "done";
  const isTaskDone = (id: string) => own(state.tasks, id)?.is === "done";
  for (const { name, dependsOn } of phases) {
    const now = own(state.phases, name);
    if (now === undefined) continue;
    ok(dependsOn.every(isPhaseDone), `${name} began before its dependencies were done`);
    if (now.is === "running") continue;
    ok(
      run.plan.tasksOf(name).every(({ id }) => isTaskDone(id)),
      `${name} is ${now.is} before its tasks are done`,
    );
  }
  for (const { id, phase, dependsOn } of tasks) {
    if (own(state.tasks, id)?.is !== "active") continue;
    same(own(state.phases, phase)?.is, "running", `${id} is active in a phase that is not`);
    ok(dependsOn.every(isTaskDone), `${id} was begun before its dependencies were done`);
  }
  ok(activeTasks(state).length <= run.rules.parallelTasks, "too many tasks at once");
}

/** What the state waits for is what there is, and the other way round. */
function checkJobs({ run, state, jobs, searches, questions }: Simulation): void {
  const expected: string[] = [];
  for (const [taskId, { job, attempt, agent }] of activeTasks(state)) {
    ok(run.plan.tasks.has(taskId), `${taskId} is active and not in the plan`);
    expected.push(job === 0 ? `search ${taskId}` : `${job} task ${taskId} ${attempt} ${agent}`);
  }
  for (const [name, phase] of Object.entries(state.phases)) {
    if (phase.is === "closing") expected.push(`${phase.job} phase ${name}`);
  }
  for (const [role, job] of Object.entries(state.vacant)) expected.push(`${job} role ${role}`);
  const found = [...searches.keys()].map((taskId) => `search ${taskId}`);
  for (const job of jobs.values()) {
    if (job.is === "task") found.push(`${job.number} task ${job.taskId} ${job.attempt} ${job.agentId}`);
    else found.push(`${job.number} ${job.is} ${job.is === "phase" ? job.phase : job.role}`);
  }
  same(found.toSorted(), expected.toSorted());
  const pending = Object.entries(state.gates).filter(([, gate]) => gate.is === "pending");
  same(new Map<string, number>(questions), new Map(pending.map(([name, { round }]) => [name, round])));
}

function checkEnd({ state, jobs, searches, questions, isOnHold }: Simulation): void {
  same(state.progress === 1, state.status === "deployed");
  ok(state.progress >= 0 && state.progress <= 1);
  same(state.error !== null, state.status === "failed");
  if (hasEnded(state)) same([jobs.size, searches.size, questions.size], [0, 0, 0]);
  else same(isOnHold, state.isPaused);
}

/** It goes on as long as nobody holds it back: whatever may start has been started. */
function checkGoesOn(simulation: Simulation): void {
  const { run, state, jobs, searches, questions } = simulation;
  if (state.status === "specification" || hasEnded(state) || state.isPaused) return;
  const isPaused = state.debug?.is === "stepping" && state.debug.steps === 0;
  ok(isPaused || jobs.size + searches.size + questions.size > 0, "nothing happens any more");
  if (isPaused || activeTasks(state).length >= run.rules.parallelTasks) return;
  for (const { id, phase, role, dependsOn } of run.plan.plan.tasks) {
    const isReady =
      own(state.phases, phase)?.is === "running" &&
      (own(state.tasks, id)?.is ?? "waiting") === "waiting" &&
      dependsOn.every((other) => own(state.tasks, other)?.is === "done");
    if (isReady) ok(own(state.vacant, role) !== undefined, `${id} could start`);
  }
}

/** The workspace holds what the tasks that are done have made. */
function checkWorkIsKept({ run, state, merged }: Simulation): void {
  for (const { id } of run.plan.plan.tasks) {
    const task = own(state.tasks, id);
    if (task?.is !== "done" || !merged.has(task.job)) continue;
    ok(state.head?.commit.includes(markOf(task.job)), `${id} is done, but its work is lost`);
  }
}

/** Whoever reviews, or has reviewed, looks at the result as it is. */
function checkReviews({ run, state, headAt }: Simulation): void {
  for (const task of run.plan.plan.tasks.filter(isReview)) {
    const now = own(state.tasks, task.id);
    if ((now?.is !== "active" && now?.is !== "done") || now.job === 0) continue;
    if (own(state.phases, "deployment") !== undefined) continue;
    same(headAt.get(now.job), state.head?.commit, `${task.id} is of another commit`);
  }
}

function checkView({ run, state, view, jobs, searches, questions }: Simulation): void {
  const first = run.plan.plan.phases.find(({ name }) => own(state.phases, name)?.is !== "done");
  if (state.status === "deployed") same(first, undefined);
  else if (state.status !== "specification" && state.status !== "failed") {
    same(state.status, first?.kind === "work" ? "implementation" : first?.kind);
    same(view.currentPhase, first?.name);
  } else if (state.status === "specification") same(view.currentPhase, "specification");
  const isBusy = searches.size > 0 || [...jobs.values()].some((job) => job.is !== "role");
  const expected = () => {
    if (hasEnded(state)) return null;
    if (state.isPaused) return "paused";
    if (isBusy || state.status === "specification") return null;
    if (jobs.size > 0) return "agent";
    return questions.size > 0 ? "approval" : "debug";
  };
  same(view.waitingFor, expected());
}

/** What holds of every step. */
export function checkStep(simulation: Simulation, step: Step, hadJob: boolean): void {
  checkCommand(simulation, step);
  checkEmitted(simulation, step);
  checkCheckpoints(step);
  checkGates(simulation, step);
  checkPause(simulation, step);
  const { event, before, isIgnored } = step;
  const { state } = simulation;
  const startsOver = event.type === "restart" || event.type === "rollback";
  if (!startsOver || isIgnored) ok(state.progress >= before.progress, "progress fell");
  ok(state.lastJob >= before.lastJob);
  if ("job" in event) same(isIgnored, !hadJob, "results count if, and only if, they are waited for");
  for (const [id, { attempt }] of Object.entries(before.tasks)) {
    ok((own(state.tasks, id)?.attempt ?? 0) >= attempt, `the attempts at ${id} are counted anew`);
  }
}

function checkCommand({ run, state }: Simulation, { event, before, effects, isIgnored, planBefore }: Step): void {
  if (!isCommand(event)) return;
  if (whyNot(planBefore, before, event) !== undefined) {
    ok(isIgnored, `${event.type} is not possible and has changed something`);
    return;
  }
  const names = emitted(effects);
  switch (event.type) {
    case "cancel":
      same([state.status, state.error?.code], ["failed", "cancelled"]);
      break;
    case "pause":
      same([before.isPaused, state.isPaused], [false, true]);
      break;
    case "resume":
      same([before.isPaused, state.isPaused], [true, false]);
      break;
    case "restart":
      ok(own(state.phases, event.fromPhase)?.is !== "done" || run.plan.tasksOf(event.fromPhase).length === 0);
      ok(names.includes("project.restarted"));
      break;
    case "rollback":
      same(written(run.plan.plan), written(event.plan));
      same(written(state.head), written(event.state.head));
      ok(names.includes("project.rolled_back"));
      break;
    case "retry":
      same(before.status, "failed");
      ok(state.status !== "failed");
      break;
    case "assign":
      same(own(state.roles, event.role), { agent: event.agentId, priority: event.priority });
      break;
    case "debug":
      same(state.debug === null, event.command === "stop");
      break;
  }
}

/** Every end and every result is told once, and nothing else is. */
function checkEmitted({ state }: Simulation, { event, before, effects, isIgnored }: Step): void {
  const count = (name: string) => emitted(effects).filter((other) => other === name).length;
  const hasJustEnded = (status: RunState["status"]) =>
    state.status === status && (before.status !== status || event.type === "restart" || event.type === "rollback");
  same(count("project.deployed"), hasJustEnded("deployed") ? (isIgnored ? 0 : 1) : 0);
  same(count("project.failed"), hasJustEnded("failed") && !isIgnored ? 1 : 0);
  same(count("agent.task_completed"), event.type === "task_succeeded" && !isIgnored ? 1 : 0);
  same(count("agent.task_failed"), event.type === "task_failed" && !isIgnored ? 1 : 0);
  const attempts = effects.filter((effect) => effect.type === "start_task");
  for (const { taskId, attempt } of attempts) ok(attempt > (own(before.tasks, taskId)?.attempt ?? 0));
}

/** A phase that ends has all its tasks done, and its acceptance verified; its checkpoint says so. */
function checkCheckpoints({ event, before, effects, planAfter }: Step): void {
  const ended = effects.flatMap((effect) => (effect.type === "make_checkpoint" ? [effect] : []));
  same(
    ended.map(({ phase }) => phase),
    effects.flatMap((effect) =>
      effect.type === "emit" && effect.name === "project.phase_completed" ? [effect.data.phase] : [],
    ),
  );
  for (const { phase, state } of ended) {
    same(own(state.phases, phase)?.is, "done");
    ok(planAfter.tasksOf(phase).every(({ id }) => own(state.tasks, id)?.is === "done"));
    if (!planAfter.phases.get(phase)!.hasAcceptance) continue;
    same(own(before.phases, phase)?.is, "closing");
    ok(event.type === "phase_accepted" && event.phase === phase);
  }
}

/** What a person must approve begins with the approval of just this. */
function checkGates({ run, state }: Simulation, { event, before, effects }: Step): void {
  const hasBegun = (name: string) => own(before.phases, name) === undefined && own(state.phases, name) !== undefined;
  const isApproved = event.type === "gate_decided" && event.isApproved;
  for (const { name, kind } of run.plan.plan.phases) {
    if (!hasBegun(name) || event.type === "rollback") continue;
    if (kind === "deployment" && run.rules.approveDeployment) ok(isApproved && event.gate === "deployment");
    if (kind === "work" && run.rules.reviewPlan) same(state.gates["plan"]?.is, "open");
  }
  const isPlanned = event.type === "task_succeeded" && effects.some(({ type }) => type === "save_plan");
  if (isPlanned && run.rules.reviewPlan) ok(state.gates["plan"]?.is !== "open", "a new plan needs a new look at it");
}

/** A paused run takes up nothing new; attempts at what is under way may follow each other, and are held. */
function checkPause({ state }: Simulation, { event, effects }: Step): void {
  if (!state.isPaused) return;
  const goesOn = ["task_failed", "other_agent_found", "assign"].includes(event.type);
  for (const { type } of effects) {
    ok(type !== "verify_phase" && type !== "fill_role" && (type !== "start_task" || goesOn), `${type} while paused`);
  }
}

function emitted(effects: readonly Effect[]): string[] {
  return effects.flatMap((effect) => (effect.type === "emit" ? [effect.name] : []));
}

function activeTasks({ tasks }: RunState) {
  return Object.entries(tasks).filter(([, { is }]) => is === "active");
}

function own<T>(record: Readonly<Record<string, T>>, key: string): T | undefined {
  return Object.hasOwn(record, key) ? record[key] : undefined;
}
