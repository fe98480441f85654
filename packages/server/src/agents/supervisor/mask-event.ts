import type { Masker } from "../../platform/secrets/index.ts";
import type { AgentEvent } from "../drivers/driver.ts";

/** One masker a stream: text of the other stream may come between two halves of a secret. */
export type StreamMaskers = Readonly<Record<"stdout" | "stderr", Masker>>;

/** The event with its secrets masked. */
export function maskEvent(maskers: StreamMaskers, event: AgentEvent): AgentEvent {
  const masker = maskers.stdout;
  switch (event.type) {
    case "status":
    case "message":
    case "checkpoint":
      return { ...event, text: masker.mask(event.text) };
    case "log":
      return { ...event, text: maskers[event.stream].push(event.text) };
    case "tool":
      return { ...event, detail: masker.mask(event.detail) };
    case "permission":
      return { ...event, title: masker.mask(event.title) };
    case "plan":
      return { ...event, entries: event.entries.map((entry) => masker.mask(entry)) };
    case "file":
    case "usage":
    case "resource":
      return event;
  }
}
