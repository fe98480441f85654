import { isAbsolute, relative } from "node:path";
import { count } from "../../../platform/count.ts";
import { oneLine, shortened } from "../../../platform/one-line.ts";
import type { AgentEvent } from "../driver.ts";
import { JoinedText } from "../joined-text.ts";
import type { Reading } from "./profile.ts";
import { UsageMeter } from "./usage-meter.ts";

const maxNames = 1000;
/** A line has room for a megabyte. */
const maxIdLength = 200;
const maxMessageLength = 64 * 1024;
const maxPieces = 16 * 1024;
const maxEntries = 100;

/** Turns readings of lines into events: cuts long texts, names tools that are done, joins messages, shortens paths. */
export class EventTranslator {
  readonly #folder: string;
  readonly #emit: (event: AgentEvent) => void;
  readonly #meter = new UsageMeter();
  readonly #names = new Map<string, string>();
  readonly #pieces: JoinedText;
  #failure: { readonly message: string; readonly isFinal: boolean } | undefined;

  constructor(folder: string, emit: (event: AgentEvent) => void) {
    this.#folder = folder;
    this.#emit = emit;
    this.#pieces = new JoinedText(emit, maxPieces);
  }

  /** The failure that the agent did not recover from. */
  get failure(): string | undefined {
    return this.#failure?.message;
  }

  take(reading: Reading): void {
    if (reading.type === "piece") {
      this.#takePiece(reading.text);
      return;
    }
    this.end();
    if (reading.type === "failure") {
      this.#failure = reading;
      return;
    }
    if (reading.type !== "status" && this.#failure?.isFinal === false) this.#failure = undefined;
    const event = this.#toEvent(reading);
    if (event !== undefined) this.#emit(event);
  }

  /** Emits the pieces so far as a message. */
  end(): void {
    this.#pieces.end();
  }

  #takePiece(text: string): void {
    if (this.#failure?.isFinal === false) this.#failure = undefined;
    this.#pieces.add(shortened(text, maxMessageLength));
  }

  #toEvent(reading: Exclude<Reading, { type: "piece" | "failure" }>): AgentEvent | undefined {
    switch (reading.type) {
      case "status":
        return { type: "status", text: oneLine(reading.text, 500) };
      case "message":
        return { type: "message", text: cut(reading.text) };
      case "plan":
        return { type: "plan", entries: reading.entries.slice(0, maxEntries).map((entry) => oneLine(entry, 500)) };
      case "file":
        return { ...reading, path: oneLine(this.#within(reading.path), 1000) };
      case "used":
        return this.#meter.count(reading);
      case "tool": {
        const name = reading.name ?? this.#nameOf(reading.id);
        if (reading.id !== undefined && !reading.isDone) this.#remember(reading.id, name);
        const { isDone } = reading;
        return { type: "tool", name: oneLine(name, 100), detail: oneLine(reading.detail, 500), isDone };
      }
    }
  }

  #within(path: string): string {
    if (!isAbsolute(path)) return path;
    const inside = relative(this.#folder, path);
    return inside.startsWith("..") || isAbsolute(inside) ? path : inside;
  }

  #nameOf(id: string | undefined): string {
    return (id === undefined ? undefined : this.#names.get(id)) ?? "tool";
  }

  #remember(id: string, name: string): void {
    if (id.length > maxIdLength) return;
    this.#names.set(id, oneLine(name, 100));
    if (this.#names.size > maxNames) this.#names.delete(this.#names.keys().next().value!);
  }
}

function cut(text: string): string {
  if (text.length <= maxMessageLength) return text;
  return `${text.slice(0, maxMessageLength)}… ${count(text.length - maxMessageLength, "more character was", "more characters were")} left out`.toWellFormed();
}
