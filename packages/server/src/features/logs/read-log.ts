import type { LogPage } from "@slipway/contract";
import type { Database } from "../../platform/database/index.ts";
import { Refusal } from "../../platform/errors/index.ts";
import { answers, inTurns } from "../../platform/in-turns.ts";
import { atMost } from "./at-most.ts";
import type { MadeChunks } from "./made-chunks.ts";
import { findLogEnd, type LogFilter, type LogRow, selectLogs } from "./store.ts";

const batchSize = 100;
/** No answer reads more chunks than this, however short their lines. */
const maxChunks = 1_000;
/** A chunk may be all empty lines: an answer ends with the chunk that reaches this many. */
const maxLines = 10_000;
/** Or this many letters, which may take three times as much in the answer. */
const maxLetters = 4 * 1024 * 1024;

type Lines = LogPage["lines"];

/** Chunks in their order, as an answer or a stream tells them. */
export interface ToldChunks {
  readonly chunks: readonly ToldChunk[];
  /** The chunk to go on after; what a filter lets nothing of through need not be searched again. */
  readonly end: number;
  readonly hasMore: boolean;
}

interface ToldChunk {
  readonly row: LogRow;
  /** How many of its first lines are left out, because only the last ones were asked for. */
  readonly skipped: number;
}

/** A page of a log: its last lines, or those after a cursor. */
export async function readPage(
  db: Database,
  filter: LogFilter,
  { tail, cursor, ...reader }: { readonly tail: number; readonly cursor?: string | undefined } & Reader,
): Promise<LogPage> {
  const { chunks, end } =
    cursor === undefined
      ? await readLast(db, filter, tail, reader)
      : await firstPage(await readNext(db, filter, chunkOf(cursor), reader), filter);
  return { lines: await allLines(chunks, filter), next_cursor: String(end) };
}

interface Reader {
  /** Whether the caller continues after what it is told. */
  readonly isFollowed: boolean;
  /** Aborted once the caller has left. */
  readonly gone?: AbortSignal;
}

/** The last lines. */
export async function readLast(
  db: Database,
  filter: LogFilter,
  tail: number,
  { isFollowed, gone }: Reader,
): Promise<ToldChunks> {
  const logEnd = isFollowed && isNarrowed(filter) ? await findLogEnd(db, filter.projectId) : 0;
  const found: ReadChunk[] = [];
  for (let left: Room = { lines: tail, letters: maxLetters }; !isFull(left) && found.length < maxChunks; ) {
    // For a few lines, a hundred chunks of 32 KB need not be read.
    const limit = found.length === 0 ? Math.min(tail, batchSize) : batchSize;
    const rows = await selectLogs(db, filter, { before: found.at(-1)?.row.id, limit, isFollowed, gone });
    const needed = await upTo(rows, filter, left);
    found.push(...needed);
    left = needed.reduce(less, left);
    if (rows.length < limit) break;
  }
  let tooMany = Math.max(0, found.reduce((sum, { lines }) => sum + lines, 0) - tail);
  const chunks = found.reverse().map(({ row, lines }) => {
    const skipped = Math.min(lines, tooMany);
    tooMany -= skipped;
    return { row, skipped };
  });
  return { chunks, end: Math.max(logEnd, chunks.at(-1)?.row.id ?? 0), hasMore: false };
}

/** The chunks after one. */
export async function readNext(
  db: Database,
  filter: LogFilter,
  after: number,
  { gone }: Pick<Reader, "gone">,
): Promise<ToldChunks> {
  const logEnd = isNarrowed(filter) ? Math.max(after, await findLogEnd(db, filter.projectId)) : undefined;
  if (logEnd === after) return { chunks: [], end: after, hasMore: false };
  const rows = await selectLogs(db, filter, { after, upTo: logEnd, limit: batchSize, isFollowed: true, gone });
  const hasMore = rows.length === batchSize;
  const last = rows.at(-1)?.id ?? after;
  return { chunks: rows.map((row) => ({ row, skipped: 0 })), end: hasMore ? last : (logEnd ?? last), hasMore };
}

function isNarrowed({ source, taskId, agentId, contains }: LogFilter): boolean {
  return [source, taskId, agentId, contains].some((wanted) => wanted !== undefined);
}

/** As many chunks as one answer may tell. */
async function firstPage({ chunks, end, hasMore }: ToldChunks, filter: LogFilter): Promise<ToldChunks> {
  const rows = chunks.map(({ row }) => row);
  const { length } = await upTo(rows, filter, { lines: maxLines, letters: maxLetters });
  if (length === rows.length) return { chunks, end, hasMore };
  return { chunks: chunks.slice(0, length), end: rows[length - 1]!.id, hasMore: true };
}

/** A chunk with how many lines, and letters in them, a filter lets through. */
interface ReadChunk extends Room {
  readonly row: LogRow;
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
  for await (const row of inTurns(rows, answers)) {
    const texts = textsOf(row, filter);
    const read = { row, lines: texts.length, letters: texts.reduce((sum, { length }) => sum + length, 0) };
    chunks.push(read);
    left = less(left, read);
    if (isFull(left)) break;
  }
  return chunks;
}

function less(room: Room, { lines, letters }: Room): Room {
  return { lines: room.lines - lines, letters: room.letters - letters };
}

function isFull({ lines, letters }: Room): boolean {
  return lines <= 0 || letters <= 0;
}

/** An event of a stream for each chunk, made when it is asked for: lines may take a hundred times the memory of their chunk. */
export function* eventsOf(
  made: MadeChunks,
  chunks: Iterable<ToldChunk>,
  filter: Pick<LogFilter, "contains">,
): Generator<LogEvent> {
  for (const { row, skipped } of chunks) {
    const make = () => pageOf(row.id, linesOf(row, filter).slice(skipped));
    const data = made.get(JSON.stringify([row.id, skipped, filter.contains]), make);
    yield { id: row.id, event: "lines", data };
  }
}

/** The event that begins the stream of a log without such lines. */
export function emptyEvent(end: number): LogEvent {
  return { id: end, event: "lines", data: pageOf(end, []) };
}

interface LogEvent {
  readonly id: number;
  readonly event: "lines";
  /** A page of a log, or its JSON. */
  readonly data: LogPage | Uint8Array;
}

function pageOf(id: number, lines: Lines): LogPage {
  return { lines, next_cursor: String(id) };
}

/** A hundred answers that are half made are a million lines, and no garbage could be collected in less than half a second. */
const oneByOne = atMost(1);

/** The lines of an answer. */
export function allLines(chunks: readonly ToldChunk[], filter: LogFilter): Promise<Lines> {
  return oneByOne(async () => {
    const parts: Lines[] = [];
    for await (const { row, skipped } of inTurns(chunks, answers)) parts.push(linesOf(row, filter).slice(skipped));
    return parts.flat();
  });
}

/** The lines of a chunk that a filter lets through. */
function linesOf(row: LogRow, filter: Pick<LogFilter, "contains">): Lines {
  const { at, source, taskId, attempt, agentId } = row;
  const about = { at: at.toISOString(), source, task_id: taskId, attempt, agent_id: agentId };
  return textsOf(row, filter).map((text) => ({ ...about, text }));
}

function textsOf({ text }: Pick<LogRow, "text">, { contains = "" }: Pick<LogFilter, "contains">): string[] {
  const texts = text.replace(/\n$/, "").split("\n");
  return contains === "" ? texts : texts.filter((line) => line.includes(contains));
}

/** The chunk that a cursor names. */
export function chunkOf(cursor: string): number {
  if (!/^\d{1,15}$/.test(cursor))
    throw new Refusal("invalid_parameter", "cursor must be the next_cursor of an earlier answer.");
  return Number(cursor);
}
