import { once } from "node:events";
import { chmod, rm } from "node:fs/promises";
import { createServer, type Server, type Socket } from "node:net";
import { count } from "../../platform/count.ts";
import type { Masked } from "../../platform/secrets/index.ts";
import { LineReader } from "./line-reader.ts";
import type { Supervision, SupervisorEvent } from "./supervision.ts";

/** A verb that the service sends over the socket, and its answer. */
export interface SupervisorRequest {
  readonly id: number;
  readonly verb: SupervisorVerb | "hello" | "abandon";
  readonly argument?: unknown;
}

export type SupervisorMessage =
  | { readonly id: number; readonly result: unknown }
  | { readonly id: number; readonly error: string }
  | { readonly event: SupervisorEvent };

const supervisorVerbs = ["list", "prepare", "route", "scale", "restart", "retire", "stop", "close"] as const;
export type SupervisorVerb = (typeof supervisorVerbs)[number];

/** Grows with each change that an older supervisor would not understand, or must not do without: such a one is replaced. */
export const supervisorProtocol = 5;

/** What waits for a service that is away, or slow to read; beyond it the oldest output goes. */
const maxWaitingEvents = 2_000;
const maxWaitingChars = 8 << 20;
const maxUnreadBytes = 4 << 20;
/** Pieces of a program that wait become one of up to so much. */
const maxPieceChars = 32 << 10;

type Output = Extract<SupervisorEvent, { is: "output" }>;

/** Serves a supervisor to the service on this machine. Only who may write to the data folder can reach the socket. */
export class SupervisorSocket {
  readonly #supervisor: Supervision;
  readonly #onClosed: () => void;
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();
  #waiting: SupervisorEvent[] = [];
  #waitingChars = 0;
  /** Of each program, output that went for lack of room: it came before all that waits. */
  readonly #leftOut = new Map<string, { readonly from: Output; chars: number }>();

  constructor(supervisor: Supervision, /** Called after the service has ended everything. */ onClosed: () => void) {
    this.#supervisor = supervisor;
    this.#onClosed = onClosed;
    this.#server = createServer((socket) => this.#serve(socket));
  }

  async listen(path: string): Promise<void> {
    await rm(path, { force: true });
    this.#server.listen(path);
    await once(this.#server, "listening");
    await chmod(path, 0o600);
  }

  /** Tells the service; keeps what it cannot be told now. */
  tell(event: SupervisorEvent): void {
    if (!this.#joinLast(event)) this.#waiting.push(event);
    this.#waitingChars += charsOf(event);
    this.#tellWaiting();
    while (this.#waiting.length > maxWaitingEvents || this.#waitingChars > maxWaitingChars) {
      const output = this.#waiting.findIndex(({ is }) => is === "output");
      for (const gone of this.#waiting.splice(Math.max(0, output), 1)) {
        this.#waitingChars -= charsOf(gone);
        if (gone.is === "output") this.#noteLeftOut(gone);
      }
    }
  }

  /** A program that prints line by line must not push out those of others by their number. */
  #joinLast(event: SupervisorEvent): boolean {
    const last = this.#waiting.at(-1);
    if (event.is !== "output" || last?.is !== "output" || nameOf(last) !== nameOf(event)) return false;
    if (last.text.length + event.text.length > maxPieceChars) return false;
    this.#waiting.splice(-1, 1, { ...last, text: (last.text + event.text) as Masked });
    return true;
  }

  #noteLeftOut(from: Output): void {
    const known = this.#leftOut.get(nameOf(from));
    if (known === undefined) this.#leftOut.set(nameOf(from), { from, chars: from.text.length });
    else known.chars += from.text.length;
  }

  #tellWaiting(): void {
    const isReady = ({ writableLength }: Socket) => writableLength < maxUnreadBytes;
    if (this.#leftOut.size > 0 && [...this.#sockets].some(isReady)) {
      const notes = [...this.#leftOut.values()].map(({ from, chars }) => ({ ...from, text: leftOut(chars) as Masked }));
      this.#waiting.unshift(...notes);
      for (const note of notes) this.#waitingChars += charsOf(note);
      this.#leftOut.clear();
    }
    const told = this.#waiting.findIndex((event) => {
      const ready = [...this.#sockets].filter(isReady);
      for (const socket of ready) socket.write(`${JSON.stringify({ event } satisfies SupervisorMessage)}\n`);
      return ready.length === 0;
    });
    for (const event of this.#waiting.splice(0, told === -1 ? this.#waiting.length : told))
      this.#waitingChars -= charsOf(event);
  }

  async close(): Promise<void> {
    this.#server.close();
    for (const socket of this.#sockets) socket.destroySoon();
  }

  #serve(socket: Socket): void {
    const pending = new Map<number, AbortController>();
    const reader = new LineReader((line) => void this.#answer(socket, JSON.parse(line) as SupervisorRequest, pending));
    socket.setEncoding("utf8");
    socket.on("data", (text: string) => {
      try {
        reader.push(text);
      } catch {
        socket.destroy();
      }
    });
    socket.on("error", () => undefined);
    socket.on("drain", () => this.#tellWaiting());
    socket.on("close", () => {
      this.#sockets.delete(socket);
      // A version that is being prepared for a service that died would be nobody's.
      for (const one of pending.values()) one.abort();
    });
  }

  async #answer(socket: Socket, { id, verb, argument }: SupervisorRequest, pending: Map<number, AbortController>) {
    const send = (message: SupervisorMessage) => void (socket.writable && socket.write(`${JSON.stringify(message)}\n`));
    if (verb === "abandon") return pending.get(argument as number)?.abort();
    if (verb === "hello") {
      this.#sockets.add(socket);
      send({ id, result: { protocol: supervisorProtocol } });
      this.#tellWaiting();
      return;
    }
    const abandoned = new AbortController();
    pending.set(id, abandoned);
    try {
      if (!supervisorVerbs.includes(verb)) throw new Error(`There is no verb '${verb}'.`);
      const result = await (this.#supervisor[verb] as Act).call(this.#supervisor, argument, abandoned.signal);
      send({ id, result: result ?? null });
      if (verb === "close") this.#onClosed();
    } catch (error) {
      send({ id, error: (error as Error).message });
    } finally {
      pending.delete(id);
    }
  }
}

function nameOf({ deploymentId, releaseId, program }: Output): string {
  return JSON.stringify([deploymentId, releaseId, program]);
}

function leftOut(chars: number): string {
  return `… ${count(chars, "more character was", "more characters were")} left out, because the service did not take them\n`;
}

function charsOf(event: SupervisorEvent): number {
  return event.is === "output" ? event.text.length : 0;
}

type Act = (argument: unknown, signal: AbortSignal) => Promise<unknown>;
