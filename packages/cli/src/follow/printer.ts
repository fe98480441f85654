import type { EventRecord, Project } from "@slipway/contract";
import type { Connection } from "../connection/connect.ts";
import type { Terminal } from "../output/terminal.ts";
import { eventLine } from "./event-line.ts";
import { TaskTitles } from "./task-titles.ts";
import { type Ending, verdictLines } from "./verdict.ts";
import { waitingLines } from "./waiting.ts";

/** Tells what happens to a project, as it happens. */
export interface Printer {
  event(event: EventRecord, signal: AbortSignal): Promise<void>;
  /** The project has changed in some way. */
  standing(project: Project): void;
  end(ending: Ending): void;
}

interface Parts {
  readonly terminal: Terminal;
  readonly connection: Connection;
  readonly projectId: string;
  /** What the result will not be, although the document asks for it. */
  readonly unmet?: readonly { readonly pointer: string; readonly reason: string }[];
}

/** For people: a line an event, and below them where the project stands. */
export function printForPeople({ terminal, connection, projectId, unmet = [] }: Parts): Printer {
  const { colors } = terminal;
  const titles = new TaskTitles(connection.client, projectId);
  const remark = remarkOnWaiting(terminal, connection);
  return {
    event: async (event, signal) => {
      const taskId = event.data["task_id"];
      if (typeof taskId === "string") await titles.know(taskId, signal);
      terminal.out(eventLine(event, titles.titleOf, colors));
    },
    standing: (project) => {
      remark(project);
      const { current_phase, progress, waiting_for } = project;
      const wait = waiting_for === null ? "" : `, waits for: ${waiting_for}`;
      terminal.live(`${current_phase}  ${Math.floor(progress * 100)} %${wait}`);
    },
    end: (ending) => {
      terminal.live(undefined);
      terminal.out(["", ...verdictLines(ending, connection, colors, unmet.length)].join("\n"));
    },
  };
}

/** For machines: a JSON object a line, each event as the API shows it, and the project at the end. */
export function printAsJson({ terminal, connection, unmet = [] }: Parts): Printer {
  return {
    event: async (event) => terminal.out(JSON.stringify(event)),
    standing: remarkOnWaiting(terminal, connection),
    end: ({ project }) => terminal.out(JSON.stringify({ project, ...(unmet.length > 0 && { unmet }) })),
  };
}

/** Says once, each time a project begins to wait, what for and what to do about it. */
function remarkOnWaiting({ err, colors }: Terminal, connection: Connection): (project: Project) => void {
  let known: Project["waiting_for"] = null;
  return (project) => {
    const isNew = project.waiting_for !== known;
    known = project.waiting_for;
    if (isNew) for (const line of waitingLines(project, connection)) err(colors.yellow(line));
  };
}
