import type { Masker } from "../../platform/secrets/index.ts";
import type { AgentEvent } from "../drivers/driver.ts";

/** One masker a stream, and one for parts of messages: text of another may come between two halves of a secret. */
export type StreamMaskers = Readonly<Record<"stdout" | "stderr" | "message", Masker>>;

/** The event with the secrets in every text of it masked: agents choose even the names of tools and files. */
export async function maskEvent(maskers: StreamMaskers, event: AgentEvent): Promise<AgentEvent> {
  const masker = maskers.stdout;
  switch (event.type) {
    case "status":
    case "message":
    case "checkpoint":
      return { ...event, text: await masker.maskInSlices(event.text) };
    case "log": {
      if (event.isLastPart === undefined)
        return { ...event, text: await maskers[event.stream].pushCutInSlices(event.text) };
      const text = await maskers.message.pushCutInSlices(event.text);
      return { ...event, text: event.isLastPart ? text + maskers.message.end() : text };
    }
    case "tool":
      return {
        ...event,
        name: await masker.maskInSlices(event.name),
        detail: await masker.maskInSlices(event.detail),
      };
    case "permission":
      return {
        ...event,
        title: await masker.maskInSlices(event.title),
        tool: await masker.maskInSlices(event.tool),
      };
    case "plan":
      return { ...event, entries: await Promise.all(event.entries.map((entry) => masker.maskInSlices(entry))) };
    case "file":
      return { ...event, path: await masker.maskInSlices(event.path) };
    case "usage":
    case "resource":
      return event;
  }
}
