import type { LogPage } from "@slipway/contract";
import type { Database } from "../../platform/database/index.ts";
import { Refusal } from "../../platform/errors/index.ts";
import { inTurns } from "../../platform/in-turns.ts";
import { type LogFilter, type LogRow, selectLogs } from "./store.ts";

export const batchSize = 100;
/** No answer reads more chunks than this, however short their lines. */
const maxChunks = 1_000;
/** A chunk may be all empty lines: an answer ends with the chunk that reaches this many. */
const maxLines = 10_000;
/** Or this many letters, which may take three times as much in the answer. */
const maxLetters = 4 * 1024 * 1024;

interface PageOptions {
  readonly tail: number;
  readonly cursor?: string | undefined;
  /** Whether the caller continues after this page. */
  readonly isFollowed: boolean;
}

/** The last lines, chunk by chunk; the last one says where to go on. */
export async function readLast(
  db: Database,
  filter: LogFilter,
  { tail, isFollowed }: Pick<PageOptions, "tail" | "isFollowed">,
): Promise<LogEvent[]> {
  const chunks = await lastChunks(db, filter, { tail, isFollowed });
  const count = chunks.reduce((sum, { lines }) => sum + lines.length, 0);
  let tooMany = Math.max(0, count - tail);
  const told = chunks.map(({ id, lines }) => {
    const wanted = lines.slice(tooMany);
    tooMany -= lines.length - wanted.length;
    return eventOf(id, wanted);
  });
  const end = told.at(-1) ?? eventOf(0, []);
  return [...told.slice(0, -1).filter(({ data }) => data.lines.length > 0), end];
}

/** The last lines, or those after a cursor. */
export async function readPage(
  db: Database,
  filter: LogFilter,
  { tail, cursor, isFollowed }: PageOptions,
): Promise<LogPage> {
  const after = cursor === undefined ? undefined : chunkOf(cursor);
  if (after === undefined) {
    const last = await readLast(db, filter, { tail, isFollowed });
    return { lines: last.flatMap(({ data }) => data.lines), next_cursor: last.at(-1)!.data.next_cursor };
  }
  const rows = await selectLogs(db, filter, { after, limit: batchSize, isFollowed });
  const chunks = await upTo(rows, filter, { lines: maxLines, letters: maxLetters });
  return { lines: chunks.flatMap(({ lines }) => lines), next_cursor: String(chunks.at(-1)?.id ?? after) };
}

/** A chunk with those of its lines that a filter lets through, and how many letters they have. */
interface ReadChunk extends Pick<LogPage, "lines"> {
  readonly id: number;
  readonly letters: number;
}

/** How much an answer may still take. */
interface Room {
  readonly lines: number;
  readonly letters: number;
}

/** The first chunks, up to the one that is enough. */
async function upTo(rows: readonly LogRow[], filter: LogFilter, room: Room): Promise<ReadChunk[]> {
  const chunks: ReadChunk[] = [];
  let left = room;
  for await (const row of inTurns(rows)) {
    const lines = linesOf(row, filter);
    const letters = lines.reduce((sum, { text }) => sum + text.length, 0);
    chunks.push({ id: row.id, lines, letters });
    left = less(left, { lines, letters });
    if (isFull(left)) break;
  }
  return chunks;
}

function less(room: Room, { lines, letters }: Pick<ReadChunk, "lines" | "letters">): Room {
  return { lines: room.lines - lines.length, letters: room.letters - letters };
}

function isFull({ lines, letters }: Room): boolean {
  return lines <= 0 || letters <= 0;
}

async function lastChunks(
  db: Database,
  filter: LogFilter,
  { tail, isFollowed }: Pick<PageOptions, "tail" | "isFollowed">,
): Promise<ReadChunk[]> {
  const found: ReadChunk[] = [];
  for (let left: Room = { lines: tail, letters: maxLetters }; !isFull(left) && found.length < maxChunks; ) {
    const rows = await selectLogs(db, filter, { before: found.at(-1)?.id, limit: batchSize, isFollowed });
    const needed = await upTo(rows, filter, left);
    found.push(...needed);
    left = needed.reduce(less, left);
    if (rows.length < batchSize) break;
  }
  return found.reverse();
}

/** An event of a stream for each chunk, made when it is asked for: lines may take a hundred times the memory of their chunk. */
export function* eventsOf(rows: Iterable<LogRow>, filter: LogFilter): Generator<LogEvent> {
  for (const row of rows) yield eventOf(row.id, linesOf(row, filter));
}

/** An event of a stream. */
interface LogEvent {
  readonly id: number;
  readonly event: "lines";
  readonly data: LogPage;
}

function eventOf(id: number, lines: LogPage["lines"]): LogEvent {
  return { id, event: "lines", data: { lines, next_cursor: String(id) } };
}

/** The lines of a chunk that a filter lets through. */
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

/** The chunk that a cursor names. */
export function chunkOf(cursor: string): number {
  if (!/^\d{1,15}$/.test(cursor))
    throw new Refusal("invalid_parameter", "cursor must be the next_cursor of an earlier answer.");
  return Number(cursor);
}
