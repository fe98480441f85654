import { startTask } from "./advance.ts";
import type { Draft } from "./draft.ts";
import { copyOf } from "./draft.ts";
import type { Command } from "./events.ts";
import type { PlanIndex } from "./plan.ts";
import { currentPhase } from "./progress.ts";
import { promote } from "./promotions.ts";
import { dropRepairs } from "./repair.ts";
import { hasEnded, noJob, type RunState } from "./state.ts";

/** Why a command is not possible now; undefined if it is. */
export function whyNot(plan: PlanIndex, state: RunState, command: Command): string | undefined {
  switch (command.type) {
    case "cancel":
      return hasEnded(state) ? `The project has ended: it is ${state.status}.` : undefined;
    case "pause":
      if (hasEnded(state)) return `The project has ended: it is ${state.status}.`;
      return state.isPaused ? "The project is paused already." : undefined;
    case "resume":
      if (hasEnded(state)) return `The project has ended: it is ${state.status}.`;
      return state.isPaused ? undefined : `The project is not paused: it is in ${state.status}.`;
    case "restart": {
      if (state.status === "specification") return "The project has not begun yet: it is in specification.";
      const names = plan.plan.phases.map(({ name }) => name);
      if (names.includes(command.fromPhase)) return undefined;
      return `There is no phase '${command.fromPhase}'. There are: ${names.join(", ")}.`;
    }
    case "rollback":
      return undefined;
    case "retry": {
      if (state.status !== "failed") return `Only a failed project can be retried; this one is in ${state.status}.`;
      if (!plan.tasks.has(command.taskId)) return `There is no task '${command.taskId}'.`;
      if (command.downstream || state.tasks[command.taskId]?.is !== "done") return undefined;
      return `The task '${command.taskId}' is done. With downstream it and all that depends on it are done again.`;
    }
    case "assign":
      return undefined;
    case "promote":
      return state.status === "deployed"
        ? undefined
        : `Only what is live can go to another environment; this project is in ${state.status}.`;
    case "debug": {
      if (hasEnded(state)) return `The project has ended: it is ${state.status}.`;
      if (command.command === "start") return undefined;
      if (state.debug === null) return "The project is not being debugged; start that first.";
      if (command.command === "step" && state.debug.is !== "stepping")
        return "The project runs on; start debugging anew.";
      return undefined;
    }
  }
}

/** Carries a command out that was found possible. */
export function applyCommand(draft: Draft, command: Command): void {
  if (whyNot(draft.plan, draft.state, command) !== undefined) return;
  const { state, effects } = draft;
  switch (command.type) {
    case "cancel":
      draft.fail({ code: "cancelled", message: "The project was cancelled.", phase: currentPhase(draft) });
      return;
    case "pause": {
      state.isPaused = true;
      effects.push({ type: "hold_jobs" });
      return;
    }
    case "resume": {
      state.isPaused = false;
      effects.push({ type: "release_jobs" });
      return;
    }
    case "restart":
      restart(draft, command.fromPhase);
      return;
    case "rollback":
      rollBack(draft, command);
      return;
    case "retry":
      retry(draft, command);
      return;
    case "assign":
      assign(draft, command);
      return;
    case "promote":
      promote(draft, command.target);
      return;
    case "debug":
      debug(draft, command.command);
      return;
  }
}

/** The phase is done again, with the code as it was when the phase began; so is all that came after. */
function restart(draft: Draft, fromPhase: string): void {
  const { state, plan } = draft;
  draft.dropEverything();
  const again = new Set(plan.withDependents(fromPhase));
  const from = state.phases[fromPhase];
  if (from !== undefined) {
    // Phases that ran beside it and have merged since would lose that: they are done again too.
    for (const [name, phase] of Object.entries(state.phases)) {
      const merges = phase.is === "done" ? phase.merges : state.merges;
      if (merges > from.start.merges) again.add(name);
    }
    for (const name of [...again]) for (const later of plan.withDependents(name)) again.add(later);
    state.head = from.start.head;
    state.merges = from.start.merges;
  }
  forgetPhases(draft, again);
  state.deployment = null;
  // The deployment has its own say on lines; whether to ask before it depends on what was found until then.
  const isCheckedAgain = [...again].some((name) => plan.phases.get(name)?.kind === "validation");
  state.checks = isCheckedAgain ? null : (from?.start.checks ?? state.checks);
  dropRepairs(draft);
  state.progress = 0;
  reopen(draft);
  draft.emit("project.restarted", { from_phase: fromPhase });
}

function forgetPhases(draft: Draft, names: ReadonlySet<string>): void {
  for (const name of names) {
    delete draft.state.phases[name];
    for (const { id } of draft.plan.tasksOf(name)) draft.resetTask(id);
  }
  const kinds = new Set([...names].map((name) => draft.plan.phases.get(name)?.kind));
  closeGate(draft, "plan", kinds.has("planning"));
  closeGate(draft, "deployment", kinds.has("deployment"));
}

/** What was approved was another result. */
function closeGate({ state }: Draft, name: string, isDue: boolean): void {
  const gate = state.gates[name];
  if (isDue && gate !== undefined) state.gates[name] = { ...gate, is: "closed" };
}

/** Goes on, whatever it was before. */
function reopen(draft: Draft): void {
  const { state, effects } = draft;
  // Also failed tasks of other phases: the project goes on only if they are retried too.
  for (const [id, task] of Object.entries(state.tasks)) if (task.is === "failed") draft.resetTask(id);
  if (state.isPaused) effects.push({ type: "release_jobs" });
  state.isPaused = false;
  state.error = null;
  // The first unfinished phase says which it is.
  state.status = "planning";
}

function rollBack(draft: Draft, { checkpoint, state: then, plan }: Extract<Command, { type: "rollback" }>): void {
  draft.dropEverything();
  const now = draft.state;
  const { phases, tasks, gates, head, merges, deployment, checks, unmended } = copyOf(then);
  // Numbers of jobs, attempts and approvals never restart: a late answer must not match a new question.
  for (const [id, task] of Object.entries(now.tasks)) {
    const known = tasks[id];
    if (known === undefined) tasks[id] = { ...task, is: "waiting", job: noJob, failures: 0, gaveUp: [] };
    else tasks[id] = { ...known, attempt: task.attempt };
  }
  for (const [name, { round }] of Object.entries(now.gates)) gates[name] = { is: gates[name]?.is ?? "closed", round };
  // What the checks found of a later result says nothing of this one.
  Object.assign(now, { phases, tasks, gates, head, merges, deployment, checks, unmended });
  // Tasks that were running beside the checkpoint wait again.
  for (const [id, task] of Object.entries(now.tasks)) if (task.is === "active") draft.resetTask(id);
  for (const [name, gate] of Object.entries(now.gates)) {
    if (gate.is === "pending") now.gates[name] = { ...gate, is: "closed" };
  }
  for (const [name, phase] of Object.entries(now.phases)) {
    if (phase.is === "closing") now.phases[name] = { is: "running", start: phase.start, artifacts: phase.artifacts };
  }
  draft.replacePlan(plan);
  now.progress = 0;
  reopen(draft);
  draft.emit("project.rolled_back", { checkpoint });
}

function retry(draft: Draft, { taskId, downstream }: Extract<Command, { type: "retry" }>): void {
  const { state, plan } = draft;
  const own = plan.tasks.get(taskId)!.phase;
  for (const id of downstream ? plan.withFollowers(taskId) : [taskId]) draft.resetTask(id);
  if (downstream) {
    // Later phases start over, and the approvals were for another result.
    const later = new Set(plan.withDependents(own));
    later.delete(own);
    forgetPhases(draft, later);
    closeGate(draft, "plan", plan.phases.get(own)?.kind === "planning");
    const now = state.phases[own];
    if (now?.is === "done") state.phases[own] = { is: "running", start: now.start, artifacts: [] };
  }
  reopen(draft);
}

function assign(draft: Draft, { role, agentId, priority, begun }: Extract<Command, { type: "assign" }>): void {
  const { state, plan, effects } = draft;
  state.roles[role] = { agent: agentId, priority };
  const search = state.vacant[role];
  if (search !== undefined) {
    delete state.vacant[role];
    effects.push({ type: "drop_jobs", jobs: [search] });
  }
  if (hasEnded(state)) return;
  for (const task of plan.plan.tasks) {
    const now = draft.taskState(task.id);
    if (task.role !== role || now.is !== "active" || now.agent === agentId || begun.includes(now.job)) continue;
    if (now.job !== noJob) effects.push({ type: "drop_jobs", jobs: [now.job] });
    // Who gave up on it before does not matter: a person decided.
    state.tasks[task.id] = { ...now, gaveUp: [] };
    startTask(draft, task, agentId, 0);
  }
}

function debug({ state }: Draft, command: "start" | "step" | "continue" | "stop"): void {
  switch (command) {
    case "start":
      state.debug = { is: "stepping", steps: 0 };
      return;
    case "step":
      state.debug = { is: "stepping", steps: 1 };
      return;
    case "continue":
      state.debug = { is: "running", steps: 0 };
      return;
    case "stop":
      state.debug = null;
      return;
  }
}
