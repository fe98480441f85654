import type { EventRecord, LogPage, Phase, Project, Task } from "@slipway/contract";

/** What is known of a project while it runs, as a tree of phases and tasks. */
export interface RunTree {
  readonly name: string;
  readonly status: Project["status"];
  readonly progress: number;
  readonly waitingFor: Project["waiting_for"];
  readonly createdAtMs: number;
  /** When it ended; undefined while it runs. */
  readonly endedAtMs: number | undefined;
  readonly phases: readonly PhaseNode[];
}

export interface PhaseNode {
  readonly name: string;
  readonly status: Phase["status"] | "failed";
  readonly tasks: readonly TaskNode[];
}

export interface TaskNode {
  readonly id: string;
  readonly title: string;
  readonly status: Task["status"];
  readonly role: string;
  readonly agentId: string | undefined;
  readonly attempt: number;
  readonly startedAtMs: number | undefined;
  readonly durationMs: number | undefined;
  /** Why its last attempt failed. */
  readonly error: string | undefined;
  readonly testsPassed: number;
  readonly lastLine: string | undefined;
}

type LogLine = LogPage["lines"][number];

/** A project of which nothing is known but itself. */
export function treeOf(project: Project): RunTree {
  const empty = { createdAtMs: Date.parse(project.created_at), phases: [] };
  return applyProject({ ...empty, ...about(project) }, project);
}

/** The project changed. */
export function applyProject(tree: RunTree, project: Project): RunTree {
  const failedPhase = project.status === "failed" ? project.error?.phase : undefined;
  const phases = tree.phases.map((phase) => (phase.name === failedPhase ? { ...phase, status: failed } : phase));
  return { ...tree, ...about(project), phases };
}

const failed = "failed" as const;

function about(project: Project) {
  const { name, status, progress, waiting_for, updated_at } = project;
  const hasEnded = status === "deployed" || status === failed;
  return {
    ...{ name, status, progress, waitingFor: waiting_for },
    endedAtMs: hasEnded ? Date.parse(updated_at) : undefined,
  };
}

/** The plan and how far it is; what only logs tell is kept. */
export function applyPlan(tree: RunTree, phases: readonly Phase[], tasks: readonly Task[]): RunTree {
  const known = new Map(tree.phases.flatMap((phase) => phase.tasks.map((task) => [task.id, task])));
  const tasksOf = Map.groupBy(tasks, ({ phase }) => phase);
  const wasFailed = new Set(tree.phases.filter(({ status }) => status === failed).map(({ name }) => name));
  return {
    ...tree,
    phases: phases.map(({ name, status }) => ({
      name,
      status: tree.status === failed && wasFailed.has(name) ? failed : status,
      tasks: (tasksOf.get(name) ?? []).map((task) => nodeOf(task, known.get(task.task_id))),
    })),
  };
}

function nodeOf(task: Task, known: TaskNode | undefined): TaskNode {
  const { attempts, started_at, ended_at } = task;
  const startedAtMs = started_at === null ? undefined : Date.parse(started_at);
  const attempt = Math.max(1, attempts.length);
  const isSame = known?.attempt === attempt;
  return {
    ...{ id: task.task_id, title: task.title, status: task.status, role: task.role, attempt, startedAtMs },
    agentId: task.agent_id ?? undefined,
    durationMs: ended_at === null || startedAtMs === undefined ? undefined : Date.parse(ended_at) - startedAtMs,
    error: attempts.findLast(({ error }) => error !== null)?.error?.message,
    testsPassed: isSame ? known.testsPassed : 0,
    lastLine: isSame ? known.lastLine : undefined,
  };
}

/** Something happened; events come before the plan that shows them is read again. */
export function applyEvent(tree: RunTree, { event, data, timestamp }: EventRecord): RunTree {
  const text = (name: string) => (typeof data[name] === "string" ? (data[name] as string) : "");
  switch (event) {
    case "agent.task_completed":
    case "agent.task_failed": {
      const isDone = event === "agent.task_completed";
      const durationMs = typeof data["duration_ms"] === "number" ? data["duration_ms"] : undefined;
      return changeTask(tree, text("phase"), text("task_id"), (task) => ({
        ...task,
        ...{ status: isDone ? "completed" : failed, role: text("role"), agentId: text("agent_id"), durationMs },
        startedAtMs: task.startedAtMs ?? Date.parse(timestamp) - (durationMs ?? 0),
        error: isDone ? undefined : ((data["error"] as { message?: string } | undefined)?.message ?? "It failed."),
      }));
    }
    case "project.phase_completed":
      return changePhase(changePhase(tree, text("phase"), "completed"), text("next_phase"), "running");
    case "project.started":
      return changePhase(tree, text("phase"), "running");
    default:
      return tree;
  }
}

function changePhase(tree: RunTree, name: string, status: PhaseNode["status"]): RunTree {
  if (name === "") return tree;
  const isKnown = tree.phases.some((phase) => phase.name === name);
  const phases = isKnown ? tree.phases : [...tree.phases, { name, status, tasks: [] }];
  return { ...tree, phases: phases.map((phase) => (phase.name === name ? { ...phase, status } : phase)) };
}

function changeTask(tree: RunTree, phaseName: string, id: string, change: (task: TaskNode) => TaskNode): RunTree {
  const isKnown = tree.phases.some(({ name }) => name === phaseName);
  const whole = isKnown ? tree : changePhase(tree, phaseName, "running");
  return {
    ...whole,
    phases: whole.phases.map((phase) => {
      if (phase.name !== phaseName) return phase;
      const at = phase.tasks.findIndex((task) => task.id === id);
      if (at === -1) return { ...phase, tasks: [...phase.tasks, change({ ...unknownTask, id, title: id })] };
      return { ...phase, tasks: phase.tasks.with(at, change(phase.tasks[at]!)) };
    }),
  };
}

const unknownTask: Omit<TaskNode, "id" | "title"> = {
  ...{ status: "running", role: "", agentId: undefined, attempt: 1, startedAtMs: undefined, durationMs: undefined },
  ...{ error: undefined, testsPassed: 0, lastLine: undefined },
};

/** How test runners say that a test passed: Node, Vitest and Jest, TAP, pytest, Go, Rust. */
const passedLine = /^\s*(?:[✔✓√] |ok \d+|--- PASS|\S+::\S+ PASSED|PASSED |test .+ \.\.\. ok$)/;

/** A line may have 32,000 characters, and of some the expression reads each again and again. */
const maxRead = 500;

/** Programs and agents wrote something; what comes from no task that is known is left out. */
export function applyLogs(tree: RunTree, lines: readonly LogLine[]): RunTree {
  const byTask = Map.groupBy(lines, ({ task_id }) => task_id);
  if (byTask.size === 0) return tree;
  return {
    ...tree,
    phases: tree.phases.map((phase) => ({ ...phase, tasks: phase.tasks.map((task) => withLines(task, byTask)) })),
  };
}

function withLines(task: TaskNode, byTask: ReadonlyMap<string, readonly LogLine[]>): TaskNode {
  const own = byTask.get(task.id)?.filter(({ attempt }) => attempt >= task.attempt) ?? [];
  if (own.length === 0) return task;
  const passed = own.filter(({ source, text }) => source === "test" && passedLine.test(text.slice(0, maxRead))).length;
  const lastLine = own.findLast(({ text }) => text.trim() !== "")?.text ?? task.lastLine;
  return { ...task, testsPassed: task.testsPassed + passed, lastLine };
}
