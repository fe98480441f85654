import { WorkerEvent } from "@slipway/contract";
import { type AgentEvent, toWorkerEvent, type UnnumberedEvent } from "../../agents/index.ts";
import { LogWriter, maxAttemptBytes } from "../../engine/logs/index.ts";
import { storableJson } from "../../platform/one-line.ts";
import type { Masked } from "../../platform/secrets/index.ts";
import { type EventSender, maxBatchBytes } from "./event-sender.ts";
import { whyInvalid } from "./service-calls.ts";

type Origin = ConstructorParameters<typeof LogWriter>[0];

/** The service's log has room for as much: what else it says, and how much output was left out here. */
const besidesBytes = 256 * 1024;

/** What a supervisor notes of an agent, for the service: events as such, and what a program prints, whatever it is, as output. */
export class LeaseLog {
  readonly #sender: Pick<EventSender, "push" | "whenRoom">;
  readonly #output: LogWriter;

  constructor(origin: Origin, sender: Pick<EventSender, "push" | "whenRoom">) {
    this.#sender = sender;
    const send = ({ text }: { readonly text: string }) => sender.push({ type: "log", stream: "stdout", text });
    this.#output = new LogWriter(origin, send, maxAttemptBytes - besidesBytes);
  }

  write(text: Masked, event?: AgentEvent): void {
    // The service writes the line of a usage itself.
    if (text === "" || event?.type === "usage") return;
    const sent = event && sendable(event);
    if (sent === undefined) this.#output.write(text);
    else this.#sender.push(sent);
  }

  whenRoom(): Promise<void> {
    return this.#sender.whenRoom();
  }

  end(): void {
    this.#output.end();
  }
}

/** The event as the service takes it; undefined if it only takes its line. */
function sendable(event: AgentEvent): UnnumberedEvent | undefined {
  const sent = toWorkerEvent(event);
  if (sent === undefined) return undefined;
  const storable: UnnumberedEvent = JSON.parse(storableJson(sent));
  const isLarge = Buffer.byteLength(JSON.stringify(storable)) > maxBatchBytes;
  return isLarge || whyInvalid(WorkerEvent, { sequence: 1, ...storable }) !== undefined ? undefined : storable;
}
