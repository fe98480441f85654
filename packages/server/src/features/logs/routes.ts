import type { LogPage } from "@slipway/contract";
import type { Database } from "../../platform/database/index.ts";
import { Refusal } from "../../platform/errors/index.ts";
import { type Call, type Handlers, type OpenWaits, streamSse } from "../../platform/http/index.ts";
import type { Signals } from "../../platform/wake-up/index.ts";
import { requireReadable, whileReadable } from "../projects/index.ts";
import { showServiceLog } from "./service-log.ts";
import { type LogFilter, type LogRow, selectLogs, selectSources } from "./store.ts";
import { unknownName } from "./unknown-name.ts";

interface Deps {
  readonly db: Database;
  readonly openWaits: OpenWaits;
  /** Signalled when this node wrote lines of a project. */
  readonly signals: Signals;
  /** The last lines of the service log of this node. */
  readonly serviceLines: () => readonly string[];
}

const defaultTail = 200;
const batchSize = 100;
/** No answer reads more chunks than this, however short their lines. */
const maxChunks = 1_000;
/** A chunk may consist of 32,000 empty lines: an answer ends with the chunk that reaches this many. */
const maxLines = 10_000;
/** How often to poll for lines that other nodes wrote. */
const pollMs = 1_000;

/** The log of a project (its end, what follows a cursor, or a stream) and the log of the service. */
export function logRoutes(deps: Deps): Pick<Handlers, "readLogs" | "readServiceLog"> {
  const { db, openWaits } = deps;
  return {
    readLogs: async (call) => {
      const { params, principal, query, request } = call;
      const project = await requireReadable(db, params.project_id, principal);
      const { service: source, task: taskId, agent: agentId, contains, tail = defaultTail, cursor } = query;
      const filter = { projectId: params.project_id, source, taskId, agentId, contains };
      if (source !== undefined) await requireSource(db, params.project_id, source);
      if (query.follow === true && request.method === "GET") {
        using _ = openWaits.open(principal);
        await streamLogs(
          deps,
          whileReadable(db, call, project),
          filter,
          tail,
          cursor ?? request.headers["last-event-id"],
        );
        return undefined;
      }
      return { status: 200, body: await readPage(db, filter, { tail, cursor, isFollowed: cursor !== undefined }) };
    },
    readServiceLog: async ({ query: { service, tail = defaultTail } }) => ({
      status: 200,
      body: showServiceLog(deps.serviceLines(), { service, tail }),
    }),
  };
}

/** What writes to a project's log: agents, its scripts, the merge, the deployment, the deployed program, integrations. */
const usualSources = ["agent", "build", "test", "merge", "deploy", "app", "health_check", "commands", "slack", "jira"];

/** Refuses a source that never writes: silence would look like a program without output. */
async function requireSource(db: Database, projectId: string, source: string): Promise<void> {
  if (usualSources.includes(source)) return;
  const found = await selectSources(db, projectId);
  if (!found.includes(source)) throw unknownName(source, [...new Set([...usualSources, ...found])]);
}

interface PageOptions {
  readonly tail: number;
  readonly cursor?: string | undefined;
  /** Whether the caller continues after this page. */
  readonly isFollowed: boolean;
}

/** The last lines, or those after a cursor. */
async function readPage(db: Database, filter: LogFilter, { tail, cursor, isFollowed }: PageOptions): Promise<LogPage> {
  const after = cursor === undefined ? undefined : chunkOf(cursor);
  if (after === undefined) {
    const rows = await lastChunks(db, filter, { tail, isFollowed });
    const lines = rows.flatMap((row) => linesOf(row, filter)).slice(-tail);
    return { lines, next_cursor: String(rows.at(-1)?.id ?? 0) };
  }
  const rows = upToLines(await selectLogs(db, filter, { after, limit: batchSize, isFollowed }), filter, maxLines);
  return { lines: rows.flatMap((row) => linesOf(row, filter)), next_cursor: String(rows.at(-1)?.id ?? after) };
}

/** The first chunks, up to the one that makes the lines enough. */
function upToLines(rows: readonly LogRow[], filter: LogFilter, enough: number): LogRow[] {
  let count = 0;
  const last = rows.findIndex((row) => {
    count += linesOf(row, filter).length;
    return count >= enough;
  });
  return rows.slice(0, last === -1 ? rows.length : last + 1);
}

async function streamLogs(
  { db, openWaits, signals }: Deps,
  call: Pick<Call, "reply" | "isStillAdmitted">,
  filter: LogFilter,
  tail: number,
  lastSeen: string | string[] | undefined,
): Promise<void> {
  let first = typeof lastSeen === "string" ? undefined : await readPage(db, filter, { tail, isFollowed: true });
  await streamSse(call, {
    after: typeof lastSeen === "string" ? chunkOf(lastSeen) : 0,
    pollMs,
    stopping: openWaits.signal,
    subscribe: (onSignal, until) => signals.subscribe(filter.projectId, onSignal, until),
    read: async (after) => {
      if (first !== undefined) {
        const events = [{ id: Number(first.next_cursor), event: "lines", data: first }];
        first = undefined;
        return { events, hasMore: false };
      }
      const rows = await selectLogs(db, filter, { after, limit: batchSize, isFollowed: true });
      const events = rows.map((row) => {
        const data: LogPage = { lines: linesOf(row, filter), next_cursor: String(row.id) };
        return { id: row.id, event: "lines", data };
      });
      return { events, hasMore: rows.length === batchSize };
    },
  });
}

async function lastChunks(db: Database, filter: LogFilter, { tail, isFollowed }: PageOptions): Promise<LogRow[]> {
  const found: LogRow[] = [];
  for (let count = 0; count < tail && found.length < maxChunks; ) {
    const rows = await selectLogs(db, filter, { before: found.at(-1)?.id, limit: batchSize, isFollowed });
    const needed = upToLines(rows, filter, tail - count);
    found.push(...needed);
    count += needed.reduce((sum, row) => sum + linesOf(row, filter).length, 0);
    if (rows.length < batchSize) break;
  }
  return found.reverse();
}

function linesOf(
  { at, source, taskId, attempt, agentId, text }: LogRow,
  { contains = "" }: Pick<LogFilter, "contains">,
): LogPage["lines"] {
  const about = { at: at.toISOString(), source, task_id: taskId, attempt, agent_id: agentId };
  return text
    .replace(/\n$/, "")
    .split("\n")
    .filter((line) => line.includes(contains))
    .map((line) => ({ ...about, text: line }));
}

function chunkOf(cursor: string): number {
  if (!/^\d{1,15}$/.test(cursor))
    throw new Refusal("invalid_parameter", "cursor must be the next_cursor of an earlier answer.");
  return Number(cursor);
}
