import type { WorkerEvent } from "@slipway/contract";
import type { AgentEvent } from "../driver.ts";

export function toAgentEvent(event: WorkerEvent): AgentEvent {
  switch (event.type) {
    case "status":
    case "message":
      return { type: event.type, text: event.text };
    case "log":
      return { type: "log", stream: event.stream, text: event.text };
    case "plan":
      return { type: "plan", entries: event.entries };
    case "tool":
      return { type: "tool", name: event.name, detail: event.detail, isDone: event.is_done };
    case "file":
      return { type: "file", path: event.path, change: event.change };
    case "usage": {
      const { input_tokens: inputTokens, output_tokens: outputTokens, cost_usd: costUsd } = event;
      return { type: "usage", inputTokens, outputTokens, ...(costUsd !== undefined && { costUsd }) };
    }
  }
}

type Unnumbered<E> = E extends WorkerEvent ? Omit<E, "sequence"> : never;
export type UnnumberedEvent = Unnumbered<WorkerEvent>;

/** What a worker sends of an event; undefined of those that it sends as output or, the usage, as sums. */
export function toWorkerEvent(event: AgentEvent): UnnumberedEvent | undefined {
  switch (event.type) {
    case "status":
    case "file":
      return event;
    case "plan":
      return { type: "plan", entries: [...event.entries] };
    case "tool":
      return { type: "tool", name: event.name, detail: event.detail, is_done: event.isDone };
    case "log":
    case "message":
    case "permission":
    case "usage":
    case "resource":
    case "checkpoint":
      return undefined;
  }
}
