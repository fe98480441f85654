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

/**
 * The events that a worker sends for lines of an agent's log. The supervisor's own lines become status and tool events, which
 * the service writes into its log as the same lines again.
 */
export function eventsOfLog(text: string): UnnumberedEvent[] {
  const events: UnnumberedEvent[] = [];
  let plain = "";
  const flush = () => {
    if (plain !== "") events.push({ type: "log", stream: "stdout", text: plain });
    plain = "";
  };
  for (const line of text.toWellFormed().match(/[^\n]*\n|[^\n]+$/g) ?? []) {
    const [, status] = /^· (.+)\n$/.exec(line) ?? [];
    const [, name, detail] = /^→ (\S{1,500}) (.*)\n$/.exec(line) ?? [];
    if (status !== undefined || name !== undefined) flush();
    if (status !== undefined) events.push({ type: "status", text: status });
    else if (name !== undefined) events.push({ type: "tool", name, detail: detail ?? "", is_done: false });
    else plain += line;
  }
  flush();
  return events;
}
