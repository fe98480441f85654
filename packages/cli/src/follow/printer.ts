import type { EventRecord, Project, UnmetRequest } from "@slipway/contract";
import type { Connection } from "../connection/connect.ts";
import type { Terminal } from "../output/terminal.ts";
import { toJsonLine } from "../output/to-json.ts";
import { AgentNames } from "./agent-names.ts";
import { askApproval } from "./ask-approval.ts";
import { eventLine } from "./event-line.ts";
import { TaskTitles } from "./task-titles.ts";
import { printAsTree } from "./tree/print-as-tree.ts";
import { type Ending, verdictLines } from "./verdict.ts";
import { waitingLines } from "./waiting.ts";

/** Prints what happens to a project. */
export interface Printer {
  event(event: EventRecord, signal: AbortSignal): Promise<void>;
  /** Prints the status after a change. */
  status(project: Project, signal: AbortSignal): void;
  /** Follows what is neither event nor status, until the signal aborts. */
  follow?(signal: AbortSignal): Promise<void>;
  end(ending: Ending, signal: AbortSignal): Promise<void>;
}

export interface PrinterDeps {
  readonly terminal: Terminal;
  readonly connection: Connection;
  readonly projectId: string;
  /** The requests of the document that the result will not fulfil. */
  readonly unmet?: readonly UnmetRequest[];
  /** The service and what it deployed stop with this command. */
  readonly isStopping?: boolean;
}

/** The printer for what was asked for: JSON, or a tree where it can move, or lines. */
export function printerFor(deps: PrinterDeps, { json }: { readonly json?: true }): Printer {
  if (json) return printAsJson(deps);
  return deps.terminal.isLive ? printAsTree(deps, waitExplainer(deps)) : printAsLines(deps);
}

/** For logs and pipes: one line for each event, and the verdict. */
function printAsLines(deps: PrinterDeps): Printer {
  const { terminal, connection, projectId } = deps;
  const titles = new TaskTitles(connection.client, projectId);
  const agents = new AgentNames(connection.client);
  const explainWait = waitExplainer(deps);
  return {
    event: async (event, signal) => {
      const { task_id, agent_id } = event.data;
      if (typeof task_id === "string") await titles.load(task_id, signal);
      if (typeof agent_id === "string") await agents.load(agent_id, signal);
      terminal.out(eventLine(event, { titleOf: titles.titleOf, agentName: agents.nameOf }, terminal.colors));
    },
    status: (project, signal) => {
      explainWait(project, signal);
      const { current_phase, progress, waiting_for } = project;
      const wait = waiting_for === null ? "" : `, waiting for: ${waiting_for}`;
      terminal.live(`${current_phase}  ${Math.floor(progress * 100)} %${wait}`);
    },
    end: async (ending, signal) => {
      terminal.live(undefined);
      terminal.out(["", ...(await verdictLines(deps, ending, signal))].join("\n"));
    },
  };
}

/** For programs: one line of JSON for each event as the API returns it, then one for the project. */
function printAsJson(deps: PrinterDeps): Printer {
  const { terminal, unmet = [] } = deps;
  const { ask: _, ...withoutAsking } = terminal;
  const explainWait = waitExplainer({ ...deps, terminal: withoutAsking });
  return {
    event: async (event) => terminal.out(toJsonLine(event)),
    status: (project, signal) => explainWait(project, signal),
    end: async ({ project }) => terminal.out(toJsonLine({ project, ...(unmet.length > 0 && { unmet }) })),
  };
}

export type ExplainWait = (project: Project, signal: AbortSignal) => void;

/** Explains each wait once: what the project waits for, and how to continue; asks for approvals where somebody is. */
function waitExplainer(deps: PrinterDeps): ExplainWait {
  const { terminal, connection } = deps;
  let last: Project["waiting_for"] = null;
  let question = new AbortController();
  return (project, signal) => {
    if (project.waiting_for === last) return;
    last = project.waiting_for;
    question.abort();
    question = new AbortController();
    if (last === "approval" && terminal.ask !== undefined) {
      const until = AbortSignal.any([signal, question.signal]);
      // What is wrong with the service, the event stream reports.
      askApproval(deps, project, until).catch(() => undefined);
      return;
    }
    for (const line of waitingLines(project, connection)) terminal.err(terminal.colors.yellow(line));
  };
}
