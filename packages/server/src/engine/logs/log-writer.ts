import { count } from "../../platform/count.ts";
import { type Database, isDatabaseUnavailable } from "../../platform/database/index.ts";
import { ControlStripper, type Log } from "../../platform/log/index.ts";
import type { Masked } from "../../platform/secrets/index.ts";
import { type LogChunk, type LogOrigin, type WriteTry, writeBatch } from "./store.ts";

const flushMs = 250;
const maxChunkBytes = 32 * 1024;
/** A line is read with its time and origin: chunks of empty lines would become events that no reader takes. */
const maxChunkLines = 2_000;
/** The maximum for one attempt; further output is dropped. */
export const maxAttemptBytes = 4 * 1024 * 1024;
/** The maximum that may wait for the database, beside a batch that it has not taken yet. */
const maxWaitingBytes = 8 * 1024 * 1024;
/** How often to try again what the database did not take, or to tell of it, and of how many origins. */
const tryAgainMs = 1_000;
const maxLost = 1_000;

/** Lines waiting to be written; more of the same origin may be appended. */
type WaitingChunk = LogOrigin & { lines: number; text: string };

/** Output of one origin that the database did not take. */
type Lost = LogOrigin & { bytes: number };
type LostOutput = Map<string, Lost>;

/** What is written together. */
interface Batch {
  readonly output: readonly LogChunk[];
  readonly lost: readonly Lost[];
  /** The output, between notes of what was lost. */
  readonly all: readonly LogChunk[];
  readonly lastTry: WriteTry;
}

/** Writes the output of agents and programs to the logs of projects: in batches, bounded, and without blocking the caller. */
export class ProjectLogs {
  readonly #db: Database;
  readonly #log: Log;
  /** Called after lines of a project were written. */
  readonly #onWritten: (projectId: string) => void;
  #waiting = new Set<WaitingChunk>();
  #waitingBytes = 0;
  /** Of batches that failed: it came before all that waits. */
  readonly #failed: LostOutput = new Map();
  /** For lack of room: it came after all that waits. */
  readonly #dropped: LostOutput = new Map();
  /** The database is away. It may have taken the batch all the same, and not have been heard. */
  #unanswered: Batch | undefined;
  #timer: NodeJS.Timeout | undefined;
  #flushing: Promise<void> = Promise.resolve();

  constructor(deps: { db: Database; log: Log; onWritten: (projectId: string) => void }) {
    this.#db = deps.db;
    this.#log = deps.log;
    this.#onWritten = deps.onWritten;
  }

  /** Opens a writer for lines of one origin. */
  open(origin: LogOrigin): LogWriter {
    let last: WaitingChunk | undefined;
    return new LogWriter(origin, (chunk) => {
      // Lines between two flushes become one row.
      if (last !== undefined && this.#waiting.has(last) && fitsInto(last, chunk)) {
        if (!this.#hasRoomFor(chunk)) return;
        last.text += chunk.text;
        last.lines += chunk.lines;
      } else last = this.#add(chunk);
    });
  }

  /** Writes everything that waits. */
  async flush(): Promise<void> {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#flushing = this.#flushing.then(() => this.#write());
    await this.#flushing;
  }

  #add(chunk: LogChunk): WaitingChunk | undefined {
    if (!this.#hasRoomFor(chunk)) return undefined;
    const waiting = { ...chunk };
    this.#waiting.add(waiting);
    this.#timer ??= setTimeout(() => void this.flush(), flushMs).unref();
    return waiting;
  }

  /** While the database is unavailable, drops lines beyond the maximum instead of using up memory. */
  #hasRoomFor(chunk: LogChunk): boolean {
    const bytes = Buffer.byteLength(chunk.text);
    const hasRoom = this.#waitingBytes + bytes <= maxWaitingBytes;
    if (hasRoom) this.#waitingBytes += bytes;
    else this.#lose(this.#dropped, chunk, bytes);
    return hasRoom;
  }

  async #write(): Promise<void> {
    if (this.#unanswered !== undefined && !(await this.#isOver(this.#unanswered))) return;
    const output = [...this.#waiting];
    const [failed, dropped] = [[...this.#failed.values()], [...this.#dropped.values()]];
    const all = [...failed.map(noteOf), ...output, ...dropped.map(noteOf)];
    if (all.length === 0) return;
    this.#waiting = new Set();
    this.#waitingBytes = 0;
    this.#failed.clear();
    this.#dropped.clear();
    await this.#isOver({ output, lost: [...failed, ...dropped], all, lastTry: {} });
  }

  /** Tries to write a batch. False: the database is away, and it is tried again. */
  async #isOver(batch: Batch): Promise<boolean> {
    const isAgain = this.#unanswered === batch;
    this.#unanswered = batch;
    try {
      if (!(await writeBatch(this.#db, batch.all, batch.lastTry))) return this.#tryAgain();
      for (const projectId of new Set(batch.all.map((one) => one.projectId))) this.#onWritten(projectId);
    } catch (error) {
      const isAway = isDatabaseUnavailable(error);
      const what = isAway ? "Lines of project logs wait for the database." : "Lines of project logs were not written.";
      if (!isAgain && batch.output.length > 0) this.#log.warn({ err: error, chunks: batch.output.length }, what);
      if (isAway) return this.#tryAgain();
      for (const one of batch.lost) this.#lose(this.#failed, one, one.bytes);
      for (const one of batch.output) this.#lose(this.#failed, one, Buffer.byteLength(one.text));
    }
    this.#unanswered = undefined;
    return true;
  }

  #tryAgain(): false {
    this.#timer ??= setTimeout(() => void this.flush(), tryAgainMs).unref();
    return false;
  }

  /** Remembers, until the database takes it, that output is missing in the log. */
  #lose(lost: LostOutput, { projectId, source, taskId, attempt, agentId }: LogOrigin, bytes: number): void {
    const key = JSON.stringify([projectId, source, taskId, attempt, agentId]);
    const known = lost.get(key);
    if (known !== undefined) known.bytes += bytes;
    else if (lost.size < maxLost) lost.set(key, { projectId, source, taskId, attempt, agentId, bytes });
    this.#tryAgain();
  }
}

/** Cuts text of one origin into chunks of whole lines. */
export class LogWriter {
  readonly #origin: LogOrigin;
  readonly #onChunk: (chunk: LogChunk) => void;
  readonly #stripper = new ControlStripper();
  #open = "";
  #bytes = 0;
  readonly #maxBytes: number;
  #leftOut = 0;

  constructor(origin: LogOrigin, onChunk: (chunk: LogChunk) => void, maxBytes = maxAttemptBytes) {
    this.#origin = origin;
    this.#onChunk = onChunk;
    this.#maxBytes = maxBytes;
  }

  write(text: Masked): void {
    const stripped = this.#stripper.strip(text);
    const end = stripped.lastIndexOf("\n") + 1;
    const openLength = this.#open.length;
    this.#open += stripped;
    if (end > 0) this.#cut(openLength + end);
    else if (this.#open.length > maxChunkBytes) this.#cut(this.#open.length);
  }

  end(): void {
    if (this.#open !== "") this.#cut(this.#open.length);
    if (this.#leftOut > 0) this.#emit(`… ${count(this.#leftOut, "more byte was", "more bytes were")} left out\n`);
  }

  #cut(end: number): void {
    let text = this.#open.slice(0, end);
    this.#open = this.#open.slice(end);
    while (text !== "") {
      const part = firstPart(text);
      text = text.slice(part.length);
      this.#bytes += part.length;
      if (this.#bytes > this.#maxBytes) this.#leftOut += part.length;
      else this.#emit(part);
    }
  }

  #emit(text: string): void {
    const lines = text.split("\n").length - (text.endsWith("\n") ? 1 : 0);
    this.#onChunk({ ...this.#origin, lines, text: ownCopy(text) });
  }
}

function noteOf({ bytes, ...origin }: Lost): LogChunk {
  return {
    ...origin,
    lines: 1,
    text: `… ${count(bytes, "more byte was", "more bytes were")} left out, because the database did not take them\n`,
  };
}

function fitsInto(last: WaitingChunk, { text, lines }: LogChunk): boolean {
  return last.text.length + text.length <= maxChunkBytes && last.lines + lines <= maxChunkLines;
}

/** As much as a chunk may be. */
function firstPart(text: string): string {
  // Not half a character: the database refuses it, and with it the lines of everybody else in the batch.
  const isCutInHalf = isHighSurrogate(text.charCodeAt(maxChunkBytes - 1)) && text.length > maxChunkBytes;
  const part = text.slice(0, isCutInHalf ? maxChunkBytes - 1 : maxChunkBytes);
  let end = 0;
  for (let lines = 0; lines < maxChunkLines; lines += 1) {
    const next = part.indexOf("\n", end);
    if (next === -1) return part;
    end = next + 1;
  }
  return part.slice(0, end);
}

function isHighSurrogate(unit: number): boolean {
  return unit >= 0xd800 && unit <= 0xdbff;
}

/**
 * A slice would keep all that it was cut from in memory for as long as it waits. Halves of characters that programs write
 * become the sign for what cannot be read.
 */
function ownCopy(text: string): string {
  return Buffer.from(text).toString();
}
