import type { Database } from "../../platform/database/index.ts";
import type { Log } from "../../platform/log/index.ts";
import { insertLogs, type LogChunk, type LogOrigin } from "./store.ts";

const flushMs = 250;
const maxChunkBytes = 32 * 1024;
/** What one attempt may leave behind; the middle of more is left out. */
const maxAttemptBytes = 4 * 1024 * 1024;
/** What may wait for the database in all. */
const maxWaitingBytes = 8 * 1024 * 1024;

/** Lines that wait to be written; more of the same origin may join them. */
type WaitingChunk = LogOrigin & { lines: number; text: string };

/** Writes down what projects' agents and programs say: in batches, bounded, and never in anybody's way. */
export class ProjectLogs {
  readonly #db: Database;
  readonly #log: Log;
  /** Told after lines of a project were written. */
  readonly #onWritten: (projectId: string) => void;
  #waiting = new Set<WaitingChunk>();
  #waitingBytes = 0;
  #timer: NodeJS.Timeout | undefined;
  #flushing: Promise<void> = Promise.resolve();

  constructor(parts: { db: Database; log: Log; onWritten: (projectId: string) => void }) {
    this.#db = parts.db;
    this.#log = parts.log;
    this.#onWritten = parts.onWritten;
  }

  /** A place to write lines of one origin to. The text must be masked already. */
  open(origin: LogOrigin): LogWriter {
    let last: WaitingChunk | undefined;
    return new LogWriter(origin, (chunk) => {
      // What comes between two looks at the clock is one row, not one for each line.
      if (last !== undefined && this.#waiting.has(last) && last.text.length + chunk.text.length <= maxChunkBytes) {
        if (!this.#hasRoomFor(chunk)) return;
        last.text += chunk.text;
        last.lines += chunk.lines;
      } else last = this.#add(chunk);
    });
  }

  /** Waits until everything is written that was said before. */
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

  /** Where the database is away for long, what cannot wait is lost, and the service is not. */
  #hasRoomFor({ text }: LogChunk): boolean {
    const bytes = Buffer.byteLength(text);
    if (this.#waitingBytes + bytes > maxWaitingBytes) return false;
    this.#waitingBytes += bytes;
    return true;
  }

  async #write(): Promise<void> {
    const chunks = [...this.#waiting];
    if (chunks.length === 0) return;
    this.#waiting = new Set();
    this.#waitingBytes = 0;
    try {
      await insertLogs(this.#db, chunks);
      for (const projectId of new Set(chunks.map((chunk) => chunk.projectId))) this.#onWritten(projectId);
    } catch (error) {
      this.#log.warn({ err: error, chunks: chunks.length }, "Logs of projects could not be written.");
    }
  }
}

/** Takes text of one origin and makes chunks of whole lines of it. */
export class LogWriter {
  readonly #origin: LogOrigin;
  readonly #onChunk: (chunk: LogChunk) => void;
  #open = "";
  #bytes = 0;
  #leftOut = 0;

  constructor(origin: LogOrigin, onChunk: (chunk: LogChunk) => void) {
    this.#origin = origin;
    this.#onChunk = onChunk;
  }

  write(text: string): void {
    this.#open += stripControls(text);
    const end = this.#open.lastIndexOf("\n") + 1;
    if (end > 0) this.#cut(end);
    else if (this.#open.length > maxChunkBytes) this.#cut(this.#open.length);
  }

  /** Nothing more will come. */
  end(): void {
    if (this.#open !== "") this.#cut(this.#open.length);
    if (this.#leftOut > 0) this.#say(`… ${this.#leftOut} more bytes were left out\n`);
  }

  #cut(end: number): void {
    let text = this.#open.slice(0, end);
    this.#open = this.#open.slice(end);
    for (; text !== ""; text = text.slice(maxChunkBytes)) {
      const part = text.slice(0, maxChunkBytes);
      this.#bytes += part.length;
      if (this.#bytes > maxAttemptBytes) this.#leftOut += part.length;
      else this.#say(part);
    }
  }

  #say(text: string): void {
    const lines = text.split("\n").length - (text.endsWith("\n") ? 1 : 0);
    this.#onChunk({ ...this.#origin, lines, text });
  }
}

/** Terminal output without what could take a terminal over; colours stay. Postgres takes no zero bytes. */
function stripControls(text: string): string {
  const escapes = /\u001b\[[0-9;]*m|\u001b(?:\[[0-?]*[ -/]*[@-~]|\][^\u0007\u001b]*(?:\u0007|\u001b\\)|[@-Z\\-_])/g;
  const others = /[\u0000-\u0008\u000b\u000c\u000e-\u001a\u001c-\u001f\u007f]/g;
  return text
    .replace(escapes, (found) => (found.endsWith("m") && found.startsWith("\u001b[") ? found : ""))
    .replace(others, "");
}
