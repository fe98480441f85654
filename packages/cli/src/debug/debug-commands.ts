import { type Client, listAll } from "@slipway/client";
import type { Project, Task } from "@slipway/contract";
import { printable, printableLines, withoutOrders } from "../output/printable.ts";
import { table } from "../output/table.ts";
import type { Terminal } from "../output/terminal.ts";
import { toJsonLine } from "../output/to-json.ts";

export interface DebugDeps {
  readonly client: Client;
  readonly terminal: Terminal;
  readonly signal: AbortSignal;
  readonly projectId: string;
  readonly agentId: string | undefined;
  readonly isJson: boolean;
}

/** A command at the prompt; returns whether the project still stops before each task, if that changed. */
type DebugCommand = (deps: DebugDeps, words: readonly string[]) => Promise<boolean | undefined>;

const maxOtherTasks = 10;

/** What can be typed at the prompt, by its name. */
export const debugCommands: Readonly<Record<string, DebugCommand>> = {
  step: async (deps) => {
    show(deps, await deps.client.call("stepDebugging", about(deps)), statusLine);
    return true;
  },
  inspect: async (deps, [taskId]) => {
    const tasks = await allTasks(deps);
    const task = tasks.find((one) => one.task_id === taskId);
    if (task !== undefined) show(deps, task, () => taskLines(task).join("\n"));
    else if (taskId !== undefined) deps.terminal.err(`There is no task '${printable(taskId)}'.`);
    else {
      const project = await deps.client.call("readProject", about(deps));
      const { colors } = deps.terminal;
      show(deps, { project, tasks }, () => [statusLine(project), ...taskTable(tasks, colors)].join("\n"));
    }
    return undefined;
  },
  logs: async (deps, [lines = "20"]) => {
    const query = { tail: Number(lines) || 20, ...(deps.agentId !== undefined && { agent: deps.agentId }) };
    const page = await deps.client.call("readLogs", { ...about(deps), query });
    show(deps, page, () =>
      page.lines.map(({ task_id, text }) => `${printable(task_id, 40)}  ${clean(text)}`).join("\n"),
    );
    return undefined;
  },
  diff: async (deps, [file]) => {
    const agentId = deps.agentId ?? (await runningAgent(deps));
    if (file === undefined || agentId === undefined) {
      deps.terminal.err(
        file === undefined ? "Name a file: diff src/server.js" : "No agent runs: name one by --agent-id.",
      );
      return undefined;
    }
    const query = { file, project: deps.projectId };
    const { signal } = deps;
    const vision = await deps.client.call("readAgentVision", { params: { agent_id: agentId }, query, signal });
    show(deps, vision, () => printableLines(vision.diff || "The agent has not changed it.", ""));
    return undefined;
  },
  continue: async (deps) => {
    show(deps, await deps.client.call("continueDebugging", about(deps)), statusLine);
    return false;
  },
  help: async ({ terminal }) => {
    terminal.err("step, inspect [task], logs [lines], diff <file>, continue, quit");
    return undefined;
  },
};

function about({ projectId, signal }: DebugDeps) {
  return { params: { project_id: projectId }, signal };
}

function show<T extends object>({ terminal, isJson }: DebugDeps, value: T, text: (value: T) => string): void {
  terminal.out(isJson ? toJsonLine(value) : text(value));
}

async function allTasks(deps: DebugDeps): Promise<Task[]> {
  const tasks = listAll(
    (query) => deps.client.call("listTasks", { ...about(deps), query }),
    (page) => page.tasks,
  );
  return Array.fromAsync(tasks);
}

async function runningAgent(deps: DebugDeps): Promise<string | undefined> {
  const tasks = await allTasks(deps);
  return (
    (tasks.find(({ status }) => status === "running") ?? tasks.findLast(({ agent_id }) => agent_id))?.agent_id ??
    undefined
  );
}

function statusLine({ status, current_phase, progress, waiting_for }: Project): string {
  const wait = waiting_for === null ? "" : `, waiting for: ${waiting_for}`;
  return `${status}, ${Math.floor(progress * 100)} % done, in ${printable(current_phase)}${wait}`;
}

function taskTable(tasks: readonly Task[], colors: Terminal["colors"]): string[] {
  const open = tasks.filter(({ status }) => status !== "completed");
  const rows = open.slice(0, maxOtherTasks).map(({ task_id, title, status, role }) => [task_id, title, status, role]);
  if (rows.length === 0) return [];
  const left = open.length - rows.length;
  return [...table(["TASK", "TITLE", "STATUS", "ROLE"], rows, colors), ...(left > 0 ? [`and ${left} more`] : [])];
}

function taskLines({ task_id, title, status, depends_on, attempts }: Task): string[] {
  return [
    `${printable(task_id)}  ${printable(title)}: ${status}`,
    ...(depends_on.length > 0 ? [`after ${printable(depends_on.join(", "))}`] : []),
    ...attempts.map(({ number, outcome, error }) => {
      return `attempt ${number}: ${outcome}${error === null ? "" : `: ${printableLines(error.message)}`}`;
    }),
  ];
}

function clean(text: string): string {
  return printable(withoutOrders(text), 10_000);
}
