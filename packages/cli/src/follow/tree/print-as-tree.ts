import { listAll, watchLogs } from "@slipway/client";
import type { EventRecord, Project } from "@slipway/contract";
import { AgentNames } from "../agent-names.ts";
import { eventLine } from "../event-line.ts";
import type { ExplainWait, Printer, PrinterDeps } from "../printer.ts";
import { verdictLines } from "../verdict.ts";
import { renderTree } from "./render-tree.ts";
import { applyEvent, applyLogs, applyPlan, applyProject, type RunTree, treeOf } from "./run-tree.ts";

/** What the tree does not show: these get a line above it. */
const toldAbove: ReadonlySet<string> = new Set([
  ...["security.issue_detected", "deployment.failed", "deployment.unhealthy", "deployment.rolled_back"],
  ...["project.restarted", "project.rolled_back", "agent.task_failed"],
]);

/** For people before a terminal: phases and tasks as a tree that changes in place, and the verdict. */
export function printAsTree(deps: PrinterDeps, explainWait: ExplainWait): Printer {
  const { terminal, connection, projectId } = deps;
  const { client } = connection;
  const agents = new AgentNames(client);
  const params = { project_id: projectId };
  let tree: RunTree | undefined;
  let early: EventRecord[] = [];
  let reading: Promise<void> | undefined;
  let isStale = false;

  const change = (apply: (tree: RunTree) => RunTree) => {
    if (tree !== undefined) tree = apply(tree);
  };
  const draw = () => terminal.live(({ columns, rows, spinner }) => render(columns, spinner, rows));
  const render = (columns: number, spinner: string, rows?: number) =>
    tree === undefined
      ? [`${spinner} ${projectId}`]
      : renderTree(tree, {
          ...{ columns, spinner, nowMs: Date.now(), colors: terminal.colors, agentName: agents.nameOf },
          ...(rows !== undefined && { rows }),
        });

  const readPlan = async (signal: AbortSignal) => {
    const tasks = listAll(
      (query) => client.call("listTasks", { params, query: { ...query, limit: 100 }, signal }),
      (page) => page.tasks,
    );
    const [{ phases }, all] = await Promise.all([
      client.call("listPhases", { params, signal }),
      Array.fromAsync(tasks),
    ]);
    for (const { agent_id } of all) await agents.load(agent_id, signal);
    change((before) => applyPlan(before, phases, all));
  };
  /** Once more after the present one, however many changes come in between. */
  const refresh = async (signal: AbortSignal): Promise<void> => {
    isStale = true;
    if (reading !== undefined) return reading;
    reading = (async () => {
      while (isStale && !signal.aborted) {
        isStale = false;
        await readPlan(signal);
      }
    })()
      // What is wrong with the service, the event stream reports.
      .catch(() => undefined)
      .finally(() => {
        reading = undefined;
      });
    return reading;
  };
  const meet = (project: Project) => {
    tree = tree === undefined ? early.reduce(applyEvent, treeOf(project)) : applyProject(tree, project);
    early = [];
  };

  return {
    event: async (event, signal) => {
      if (typeof event.data["agent_id"] === "string") await agents.load(event.data["agent_id"], signal);
      if (tree === undefined) early.push(event);
      change((before) => applyEvent(before, event));
      if (!toldAbove.has(event.event)) return;
      const titleOf = (id: string) =>
        tree?.phases.flatMap((phase) => phase.tasks).find((task) => task.id === id)?.title;
      const names = { titleOf: (id: string) => titleOf(id) ?? id, agentName: agents.nameOf };
      terminal.out(eventLine(event, names, terminal.colors));
    },
    status: (project, signal) => {
      meet(project);
      draw();
      void refresh(signal);
      explainWait(project, signal);
    },
    follow: async (signal) => {
      for await (const lines of watchLogs(client, projectId, { query: { tail: 1 }, signal })) {
        change((before) => applyLogs(before, lines));
        const running = tree?.phases.flatMap((phase) => phase.tasks).filter(({ status }) => status === "running");
        // A task that writes has started, which is no event.
        if (lines.some(({ task_id }) => !running?.some(({ id }) => id === task_id))) void refresh(signal);
      }
    },
    end: async (ending, signal) => {
      meet(ending.project);
      await reading;
      await readPlan(signal).catch(() => signal.throwIfAborted());
      terminal.live(undefined);
      const columns = Math.max(1, (process.stdout.columns || 80) - 1);
      terminal.out([...render(columns, "·"), "", ...(await verdictLines(deps, ending, signal))].join("\n"));
    },
  };
}
