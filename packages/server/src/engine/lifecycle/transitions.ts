import { shortened } from "../../platform/one-line.ts";
import { advance, completePhase, startTask } from "./advance.ts";
import { applyCommand } from "./commands.ts";
import { Draft, type Run } from "./draft.ts";
import type { Effect, RunEvent, SecurityIssue } from "./events.ts";
import type { PlannedPhase, PlannedTask } from "./plan.ts";
import { doneShare } from "./progress.ts";
import { advancePromotions, promotionDecided, promotionEnded } from "./promotions.ts";
import { addRepair, isRepair, mayRepair } from "./repair.ts";
import { renewReviews } from "./reviews.ts";
import { hasEnded, noJob, type RunError, type RunState, type TaskState } from "./state.ts";

/** A document may ask for very many. The failure is told in lists of projects, too. */
const maxCapabilitiesLength = 2_000;

export interface Transition {
  readonly state: RunState;
  readonly effects: readonly Effect[];
  /** The run with the plan it has now. */
  readonly run: Run;
}

/** Decides what an event makes of a run, and which effects follow. Pure: no clock, no randomness, no I/O. */
export function transition(run: Run, state: RunState, event: RunEvent): Transition {
  const draft = new Draft(run, state);
  apply(draft, event);
  advance(draft);
  advancePromotions(draft);
  const progress = Math.max(doneShare(draft), draft.state.progress);
  draft.state.progress = progress;
  // The checkpoints were recorded before the new progress was known.
  const effects = draft.effects.map((effect) =>
    effect.type === "make_checkpoint" ? { ...effect, state: { ...effect.state, progress } } : effect,
  );
  return { state: draft.state, effects, run: draft.run };
}

function apply(draft: Draft, event: RunEvent): void {
  switch (event.type) {
    case "begin": {
      if (draft.state.status !== "specification") return;
      draft.state.status = "planning";
      draft.emit("project.started", { phase: draft.plan.plan.phases[0]?.name ?? "" });
      return;
    }
    case "unreadable": {
      if (draft.state.status !== "specification") return;
      draft.fail({ code: "unreadable_document", message: event.message });
      return;
    }
    case "lost": {
      if (!hasEnded(draft.state)) draft.fail({ code: "lost", message: event.message });
      return;
    }
    case "task_succeeded":
      taskSucceeded(draft, event);
      return;
    case "task_failed":
      taskFailed(draft, event);
      return;
    case "phase_accepted":
      phaseAccepted(draft, event);
      return;
    case "phase_rejected":
      phaseRejected(draft, event);
      return;
    case "role_filled":
      roleFilled(draft, event);
      return;
    case "role_unfillable": {
      if (!isLookedFor(draft, event)) return;
      const wanted = shortened(event.capabilities.join(", "), maxCapabilitiesLength);
      const message = `No agents available with capabilities: [${wanted}]`;
      const phase = waitingPhase(draft, event.role);
      draft.fail({ code: "no_agents_available", message, ...(phase !== undefined && { phase }) });
      return;
    }
    case "other_agent_found":
      otherAgentFound(draft, event);
      return;
    case "no_other_agent":
      noOtherAgent(draft, event);
      return;
    case "agent_gone":
      agentGone(draft, event);
      return;
    case "gate_decided":
      gateDecided(draft, event);
      return;
    case "promotion_decided":
      promotionDecided(draft, event);
      return;
    case "promoted":
    case "promotion_failed":
      promotionEnded(draft, event);
      return;
    case "plan_edited":
      if (isPlanReviewed(draft.state)) draft.replacePlan(event.plan);
      return;
    default:
      applyCommand(draft, event);
  }
}

type Told<T extends RunEvent["type"]> = Extract<RunEvent, { type: T }>;

function taskSucceeded(draft: Draft, event: Told<"task_succeeded">): void {
  const found = activeTask(draft, event);
  if (found === undefined) return;
  const [planned, task] = found;
  const { state } = draft;
  state.tasks[planned.id] = { ...task, is: "done", ...(event.head !== undefined && { hasChanged: true as const }) };
  if (event.head !== undefined) {
    if (event.head.commit !== state.head?.commit) renewReviews(draft, planned.id);
    state.head = event.head;
    state.merges += 1;
  }
  if (event.deployment !== undefined) state.deployment = event.deployment;
  tellIssues(draft, event.issues ?? []);
  if (event.checks !== undefined) {
    state.checks = event.checks;
    state.unmended = null;
  }
  addArtifacts(draft, planned.phase, event.artifacts ?? []);
  if (event.plan !== undefined) draft.replacePlan(event.plan);
  draft.emit("agent.task_completed", taskData(planned, task, event.durationMs));
}

function taskFailed(draft: Draft, event: Told<"task_failed">): void {
  const found = activeTask(draft, event);
  if (found === undefined) return;
  const [planned, task] = found;
  const error = { ...event.error, phase: planned.phase, task_id: planned.id, agent_id: task.agent };
  if (event.checks !== undefined) draft.state.checks = event.checks;
  tellIssues(draft, event.issues ?? []);
  draft.emit("agent.task_failed", { ...taskData(planned, task, event.durationMs), error });
  const failures = task.failures + 1;
  const isFirstAgent = task.gaveUp.length === 0;
  // A verification that finds the same twice will find it again, whoever has the role.
  const isKnown = event.fingerprint !== undefined && event.fingerprint === task.fingerprint;
  const { repair } = event;
  if (repair !== undefined && (isKnown || repair.isCertain) && mayRepair(draft)) {
    addRepair(draft, planned, error, repair);
    return;
  }
  if (event.isFinal === true || isKnown || repair?.isCertain === true || !isFirstAgent) {
    failTask(draft, planned, error);
  } else if (event.isByRule !== true && failures < draft.run.rules.attemptsPerAgent) {
    startTask(draft, planned, task.agent, failures, event.fingerprint);
  } else {
    // One other agent has a try; who it is, others know.
    const besides = [task.agent];
    draft.state.tasks[planned.id] = { ...task, job: noJob, failures, gaveUp: besides };
    draft.effects.push({ type: "find_other_agent", taskId: planned.id, role: planned.role, besides, error });
  }
}

/** How many issues the event log of a project tells of; the report has them all. */
const maxIssues = 100;

function tellIssues(draft: Draft, issues: readonly SecurityIssue[]): void {
  const { state } = draft;
  const told = new Set(state.issues);
  for (const { fingerprint, ...issue } of issues) {
    if (told.has(fingerprint) || told.size >= maxIssues) continue;
    told.add(fingerprint);
    draft.emit("security.issue_detected", issue);
  }
  state.issues = [...told];
}

function otherAgentFound(draft: Draft, { taskId, agentId }: Told<"other_agent_found">): void {
  const planned = taskWithoutAgent(draft, taskId);
  if (planned !== undefined) startTask(draft, planned, agentId, 0);
}

function noOtherAgent(draft: Draft, { taskId, error }: Told<"no_other_agent">): void {
  const planned = taskWithoutAgent(draft, taskId);
  if (planned !== undefined) failTask(draft, planned, error);
}

/** The agent's tasks wait for the agent that fills its roles next; they have not failed. */
function agentGone(draft: Draft, { agentId }: Told<"agent_gone">): void {
  const { state, effects } = draft;
  if (hasEnded(state)) return;
  for (const [role, { agent }] of Object.entries(state.roles)) if (agent === agentId) delete state.roles[role];
  const left = Object.entries(state.tasks).filter(
    ([, { is, agent, job }]) => is === "active" && agent === agentId && job !== noJob,
  );
  if (left.length === 0) return;
  effects.push({ type: "drop_jobs", jobs: left.map(([, { job }]) => job).toSorted((a, b) => a - b) });
  for (const [id] of left) draft.resetTask(id);
}

/** The task, if it waits for another agent: an answer that comes twice or too late finds it running or waiting. */
function taskWithoutAgent(draft: Draft, taskId: string): PlannedTask | undefined {
  const { is, job } = draft.taskState(taskId);
  return is === "active" && job === noJob ? draft.plan.tasks.get(taskId) : undefined;
}

function failTask(draft: Draft, { id }: PlannedTask, error: RunError): void {
  // Why a repair failed is of no use to anybody without what was to be repaired.
  const { unmended } = draft.state;
  draft.fail(isRepair(id) && unmended !== null ? unmended : error);
  draft.state.tasks[id] = { ...draft.taskState(id), is: "failed", agent: error.agent_id ?? "" };
}

function phaseAccepted(draft: Draft, event: Told<"phase_accepted">): void {
  const phase = draft.plan.phases.get(event.phase);
  const now = draft.state.phases[event.phase];
  if (phase === undefined || now?.is !== "closing" || now.job !== event.job) return;
  if (event.checks !== undefined) draft.state.checks = event.checks;
  completePhase(draft, phase, { ...now, artifacts: [...now.artifacts, ...(event.artifacts ?? [])] });
}

function phaseRejected(draft: Draft, event: Told<"phase_rejected">): void {
  const now = draft.state.phases[event.phase];
  if (now?.is !== "closing" || now.job !== event.job) return;
  if (event.checks !== undefined) draft.state.checks = event.checks;
  draft.fail({ ...event.error, phase: event.phase });
}

function roleFilled(draft: Draft, event: Told<"role_filled">): void {
  if (!isLookedFor(draft, event)) return;
  const { role, agentId } = event;
  delete draft.state.vacant[role];
  draft.state.roles[role] ??= { agent: agentId, priority: "medium" };
}

/** Whether the role still waits for an agent, through this very job if the answer names one. */
function isLookedFor({ state }: Draft, { role, job }: { role: string; job?: number }): boolean {
  const search = state.vacant[role];
  return search !== undefined && (job === undefined || job === search);
}

function gateDecided(draft: Draft, event: Told<"gate_decided">): void {
  const gate = draft.state.gates[event.gate];
  if (gate?.is !== "pending" || gate.round !== event.round) return;
  draft.state.gates[event.gate] = { ...gate, is: event.isApproved ? "open" : "closed" };
  if (event.isApproved) {
    if (event.checks !== undefined) draft.state.checks = event.checks;
    return;
  }
  draft.fail({ code: "approval_denied", message: event.reason, phase: phaseBehind(draft, event.gate) });
}

/** Whether the plan waits for approval, and may be edited. */
export function isPlanReviewed({ gates }: RunState): boolean {
  return gates["plan"]?.is === "pending";
}

/** The task and its state, if this very job is still what the run waits for. */
function activeTask(
  draft: Draft,
  { taskId, job }: { taskId: string; job: number },
): [PlannedTask, TaskState] | undefined {
  const planned = draft.plan.tasks.get(taskId);
  const task = draft.state.tasks[taskId];
  return planned !== undefined && task?.is === "active" && task.job === job ? [planned, task] : undefined;
}

function addArtifacts({ state }: Draft, phase: string, artifacts: readonly { type: string; path: string }[]): void {
  const now = state.phases[phase];
  if (now?.is !== "running" || artifacts.length === 0) return;
  const isNew = ({ path }: { path: string }) => !artifacts.some((other) => other.path === path);
  state.phases[phase] = { ...now, artifacts: [...now.artifacts.filter(isNew), ...artifacts] };
}

function taskData({ id, role, phase }: PlannedTask, { agent }: TaskState, durationMs: number) {
  return { task_id: id, agent_id: agent, role, phase, duration_ms: Math.max(0, Math.round(durationMs)) };
}

function waitingPhase({ plan, state }: Draft, role: string): string | undefined {
  return plan.plan.tasks.find((task) => task.role === role && state.phases[task.phase]?.is === "running")?.phase;
}

function phaseBehind(draft: Draft, gate: "plan" | "deployment"): string {
  const kind = gate === "plan" ? "work" : "deployment";
  const isNext = (phase: PlannedPhase) => phase.kind === kind && phase.dependsOn.every((it) => draft.isPhaseDone(it));
  return draft.plan.plan.phases.find(isNext)?.name ?? "";
}
