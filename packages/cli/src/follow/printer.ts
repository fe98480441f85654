import type { EventRecord, Project, UnmetRequest } from "@slipway/contract";
import type { Connection } from "../connection/connect.ts";
import type { Terminal } from "../output/terminal.ts";
import { eventLine } from "./event-line.ts";
import { TaskTitles } from "./task-titles.ts";
import { type Ending, verdictLines } from "./verdict.ts";
import { waitingLines } from "./waiting.ts";

/** Prints what happens to a project. */
export interface Printer {
  event(event: EventRecord, signal: AbortSignal): Promise<void>;
  /** Prints the status after a change. */
  status(project: Project): void;
  end(ending: Ending): void;
}

interface Deps {
  readonly terminal: Terminal;
  readonly connection: Connection;
  readonly projectId: string;
  /** The requests of the document that the result will not fulfil. */
  readonly unmet?: readonly UnmetRequest[];
}

/** For people: one line for each event, and a status line below. */
export function printForPeople({ terminal, connection, projectId, unmet = [] }: Deps): Printer {
  const { colors } = terminal;
  const titles = new TaskTitles(connection.client, projectId);
  const explainWait = waitExplainer(terminal, connection);
  return {
    event: async (event, signal) => {
      const taskId = event.data["task_id"];
      if (typeof taskId === "string") await titles.load(taskId, signal);
      terminal.out(eventLine(event, titles.titleOf, colors));
    },
    status: (project) => {
      explainWait(project);
      const { current_phase, progress, waiting_for } = project;
      const wait = waiting_for === null ? "" : `, waiting for: ${waiting_for}`;
      terminal.live(`${current_phase}  ${Math.floor(progress * 100)} %${wait}`);
    },
    end: (ending) => {
      terminal.live(undefined);
      terminal.out(["", ...verdictLines(ending, connection, colors, unmet)].join("\n"));
    },
  };
}

/** For programs: one line of JSON for each event as the API returns it, then one for the project. */
export function printAsJson({ terminal, connection, unmet = [] }: Deps): Printer {
  return {
    event: async (event) => terminal.out(JSON.stringify(event)),
    status: waitExplainer(terminal, connection),
    end: ({ project }) => terminal.out(JSON.stringify({ project, ...(unmet.length > 0 && { unmet }) })),
  };
}

/** Explains each wait once: what the project waits for, and how to continue. */
function waitExplainer({ err, colors }: Terminal, connection: Connection): (project: Project) => void {
  let last: Project["waiting_for"] = null;
  return (project) => {
    const isNew = project.waiting_for !== last;
    last = project.waiting_for;
    if (isNew) for (const line of waitingLines(project, connection)) err(colors.yellow(line));
  };
}
