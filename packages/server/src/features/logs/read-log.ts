import type { LogPage } from "@slipway/contract";
import type { Database } from "../../platform/database/index.ts";
import { Refusal } from "../../platform/errors/index.ts";
import { type LogFilter, type LogRow, selectLogs } from "./store.ts";

export const batchSize = 100;
/** No answer reads more chunks than this, however short their lines. */
const maxChunks = 1_000;
/** A chunk may consist of 32,000 empty lines: an answer ends with the chunk that reaches this many. */
const maxLines = 10_000;

interface PageOptions {
  readonly tail: number;
  readonly cursor?: string | undefined;
  /** Whether the caller continues after this page. */
  readonly isFollowed: boolean;
}

/** The last lines, or those after a cursor. */
export async function readPage(
  db: Database,
  filter: LogFilter,
  { tail, cursor, isFollowed }: PageOptions,
): Promise<LogPage> {
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

/** The lines of a chunk that a filter lets through. */
export function linesOf(
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

/** The chunk that a cursor names. */
export function chunkOf(cursor: string): number {
  if (!/^\d{1,15}$/.test(cursor))
    throw new Refusal("invalid_parameter", "cursor must be the next_cursor of an earlier answer.");
  return Number(cursor);
}
