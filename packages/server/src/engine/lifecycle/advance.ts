import type { Draft } from "./draft.ts";
import type { PlannedPhase, PlannedTask, Rules } from "./plan.ts";
import { queueFollowing } from "./promotions.ts";
import { type GateName, hasEnded, type PhaseState, type RunState } from "./state.ts";

/** Goes on as far as possible: begins and ends phases, and starts the tasks that may start now. */
export function advance(draft: Draft): void {
  if (draft.state.status === "specification" || hasEnded(draft.state)) return;
  movePhases(draft);
  if (draft.plan.plan.phases.every(({ name }) => draft.isPhaseDone(name))) {
    const { url = "", version = "", usage } = draft.state.deployment ?? {};
    draft.state.status = "deployed";
    const { checks } = draft.state;
    const { environment } = draft.run.rules;
    draft.emit("project.deployed", { environment, version, url, ...(usage && { usage }), ...(checks && { checks }) });
    queueFollowing(draft);
    return;
  }
  startTasks(draft);
  draft.state.status = statusOf(firstUnfinished(draft)!);
}

/** The first phase in order that is not finished; nothing when all are. */
export function firstUnfinished({ plan, state }: Pick<Draft, "plan" | "state">): PlannedPhase | undefined {
  return plan.plan.phases.find(({ name }) => state.phases[name]?.is !== "done");
}

function statusOf({ kind }: PlannedPhase): RunState["status"] {
  return kind === "work" ? "implementation" : kind;
}

function movePhases(draft: Draft): void {
  const { state, plan } = draft;
  // Until nothing moves: a phase that ends lets others begin, and one without tasks ends at once.
  for (let hasMoved = true; hasMoved; ) {
    hasMoved = false;
    for (const phase of plan.plan.phases) {
      const now = state.phases[phase.name];
      if (now === undefined) {
        if (!phase.dependsOn.every((other) => draft.isPhaseDone(other)) || !isGateOpen(draft, phase)) continue;
        const start = { head: state.head, merges: state.merges, checks: state.checks };
        state.phases[phase.name] = { is: "running", start, artifacts: [] };
        hasMoved = true;
      } else if (now.is === "running" && plan.tasksOf(phase.name).every(({ id }) => draft.isDone(id))) {
        if (phase.hasAcceptance) verify(draft, phase, now);
        else {
          completePhase(draft, phase, now);
          hasMoved = true;
        }
      }
    }
  }
}

function verify(
  draft: Draft,
  { name }: PlannedPhase,
  { start, artifacts }: Extract<PhaseState, { is: "running" }>,
): void {
  if (draft.state.isPaused) return;
  const job = draft.nextJob();
  draft.state.phases[name] = { is: "closing", start, artifacts, job };
  draft.effects.push({ type: "verify_phase", phase: name, job });
}

/** Ends the phase: emits its event and makes a checkpoint. */
export function completePhase(
  draft: Draft,
  { name }: PlannedPhase,
  { start, artifacts }: Exclude<PhaseState, { is: "done" }>,
): void {
  const { state, plan, run } = draft;
  state.phases[name] = { is: "done", start, merges: state.merges };
  const at = plan.plan.phases.findIndex((phase) => phase.name === name);
  const next = plan.plan.phases.slice(at + 1).find((phase) => !draft.isPhaseDone(phase.name));
  draft.emit("project.phase_completed", {
    phase: name,
    next_phase: next?.name ?? "",
    artifacts: artifacts.map(({ type, path }) => ({
      type,
      url: `/api/v1/projects/${run.projectId}/artifacts/${path.split("/").map(encodeURIComponent).join("/")}`,
    })),
  });
  draft.effects.push({ type: "make_checkpoint", phase: name, state: draft.snapshot() });
}

/** Whether the phase may begin as far as people are concerned; where one must decide, they are asked. */
function isGateOpen(draft: Draft, { name, kind }: PlannedPhase): boolean {
  const gate = gateBefore(draft, kind);
  if (gate === undefined) return true;
  const known = draft.state.gates[gate];
  if (known?.is === "open") return true;
  if (known?.is !== "pending") {
    const round = (known?.round ?? 0) + 1;
    draft.state.gates[gate] = { is: "pending", round };
    draft.effects.push({ type: "ask_approval", gate, round, phase: name });
  }
  return false;
}

function gateBefore({ run, state }: Draft, kind: PlannedPhase["kind"]): GateName | undefined {
  switch (kind) {
    case "planning":
    case "validation":
      return undefined;
    case "work":
      return run.rules.reviewPlan ? "plan" : undefined;
    case "deployment":
      return run.rules.approveDeployment || isUnverified(run.rules, state) ? "deployment" : undefined;
  }
}

function isUnverified(
  { asksIfUnverified = false, linesOfDeployment = 0 }: Rules,
  { checks }: Pick<RunState, "checks">,
): boolean {
  return asksIfUnverified && (checks?.not_checked ?? 0) > linesOfDeployment;
}

/** Starts what may start, the most urgent phase first, as far as there is room. */
function startTasks(draft: Draft): void {
  const { state, run } = draft;
  if (state.isPaused) return;
  let room = run.rules.parallelTasks - countActive(draft);
  for (const task of readyTasks(draft)) {
    if (room <= 0) return;
    if (state.debug?.is === "stepping" && state.debug.steps === 0) return;
    const role = state.roles[task.role];
    if (role === undefined) {
      lookForAgent(draft, task.role);
      continue;
    }
    startTask(draft, task, role.agent, 0);
    room -= 1;
    if (state.debug?.is === "stepping") state.debug = { is: "stepping", steps: state.debug.steps - 1 };
  }
}

function lookForAgent(draft: Draft, role: string): void {
  if (draft.state.vacant[role] !== undefined) return;
  const job = draft.nextJob();
  draft.state.vacant[role] = job;
  draft.effects.push({ type: "fill_role", role, job });
}

/** Begins the next attempt at a task. */
export function startTask(
  draft: Draft,
  { id, role }: PlannedTask,
  agentId: string,
  failures: number,
  fingerprint?: string,
): void {
  const { attempt: before, gaveUp } = draft.taskState(id);
  const job = draft.nextJob();
  const attempt = before + 1;
  const known = fingerprint !== undefined && { fingerprint };
  draft.state.tasks[id] = { is: "active", job, attempt, failures, agent: agentId, gaveUp, ...known };
  const priority = draft.state.roles[role]?.priority ?? "medium";
  draft.effects.push({ type: "start_task", taskId: id, job, attempt, agentId, priority, failures });
}

function* readyTasks(draft: Draft): Generator<PlannedTask> {
  for (const { name } of draft.plan.byPriority) {
    if (draft.state.phases[name]?.is !== "running") continue;
    for (const task of draft.plan.tasksOf(name)) {
      const isFree = draft.taskState(task.id).is === "waiting" && task.dependsOn.every((id) => draft.isDone(id));
      if (isFree) yield task;
    }
  }
}

function countActive({ state }: Pick<Draft, "state">): number {
  let count = 0;
  for (const id in state.tasks) if (state.tasks[id]!.is === "active") count += 1;
  return count;
}
