import type { LogPage } from "@slipway/contract";
import type { Database } from "../database/index.ts";
import type { Handlers } from "../http/index.ts";
import { requireReadable } from "../projects/index.ts";
import { Refusal } from "../refusal.ts";
import { type LogRow, selectLogs } from "./store.ts";

const usualTail = 200;
const chunksAtOnce = 100;
/** However short the lines: no answer looks at more than this. */
const mostChunks = 1_000;

/** What was written in a project: the last of it, or what follows a cursor. */
export function logRoutes({ db }: { readonly db: Database }): Pick<Handlers, "readLogs"> {
  return {
    readLogs: async ({ params, principal, query }) => {
      await requireReadable(db, params.project_id, principal);
      const { service: source, task: taskId, agent: agentId, tail = usualTail, cursor } = query;
      const filter = { projectId: params.project_id, source, taskId, agentId };
      const after = cursor === undefined ? undefined : chunkOf(cursor);
      const rows =
        after === undefined
          ? await lastChunks(db, filter, tail)
          : await selectLogs(db, filter, { after, limit: chunksAtOnce });
      const lines = rows.flatMap(linesOf);
      const body: LogPage = {
        lines: after === undefined ? lines.slice(-tail) : lines,
        next_cursor: String(rows.at(-1)?.id ?? after ?? 0),
      };
      return { status: 200, body };
    },
  };
}

async function lastChunks(db: Database, filter: Parameters<typeof selectLogs>[1], tail: number): Promise<LogRow[]> {
  const found: LogRow[] = [];
  for (let count = 0; count < tail && found.length < mostChunks; ) {
    const rows = await selectLogs(db, filter, { before: found.at(-1)?.id, limit: chunksAtOnce });
    found.push(...rows);
    count += rows.reduce((sum, { lines }) => sum + lines, 0);
    if (rows.length < chunksAtOnce) break;
  }
  return found.reverse();
}

function linesOf({ at, source, taskId, attempt, agentId, text }: LogRow): LogPage["lines"] {
  const about = { at: at.toISOString(), source, task_id: taskId, attempt, agent_id: agentId };
  return text
    .replace(/\n$/, "")
    .split("\n")
    .map((line) => ({ ...about, text: line }));
}

function chunkOf(cursor: string): number {
  if (!/^\d{1,15}$/.test(cursor))
    throw new Refusal("invalid_parameter", "cursor must be the next_cursor of an answer before.");
  return Number(cursor);
}
